// While the viewer waits in a queue: a match that is found rings, changes the title and, if that is on, notifies.
"use strict";

{
  const { sound, worker, foundTitle, foundBody } = document.currentScript.dataset;
  const RINGS = 3;
  let title = null; // the page's own, while another stands in its place
  const chime = new Audio();
  let clock = null;

  // In a hidden tab the page asks at the worker's tick; in a visible one HTMX's own clock is enough.
  function tickWhilePolling() {
    const polled = document.querySelector("[data-poll]");
    if (polled && !clock) {
      clock = new Worker(worker);
      clock.onmessage = () => {
        if (document.hidden) for (const part of document.querySelectorAll("[data-poll]")) htmx.trigger(part, "tick");
      };
    } else if (!polled && clock) {
      clock.terminate();
      clock = null;
    }
  }

  function ring(times) {
    chime.src ||= sound;
    chime.onended = () => (times > 1 && document.querySelector("[data-found]") ? ring(times - 1) : undefined);
    chime.play().catch(() => {}); // a browser may want a click on the page first
  }

  const wantsNotice = () => "Notification" in window && Notification.permission === "granted" && localStorage.getItem("notify") === "on";

  function notify() {
    if (!wantsNotice() || !document.hidden) return;
    const notice = new Notification(foundTitle, { body: foundBody, tag: "match-found" });
    notice.onclick = () => window.focus();
  }

  function tell() {
    tickWhilePolling();
    const found = document.querySelector("[data-found]")?.dataset.found;
    const ringing = `● ${foundTitle}`;
    if (document.title !== ringing) title = document.title; // a swap may have brought a new one
    document.title = found ? ringing : title;
    if (!found) return;
    if (sessionStorage.getItem("rung") === found) return;
    sessionStorage.setItem("rung", found);
    ring(RINGS);
    notify();
  }

  function showAlerts() {
    const alerts = document.getElementById("alerts");
    if (!alerts) return;
    alerts.hidden = false;
    const button = alerts.querySelector("[data-notify]");
    button.hidden = !("Notification" in window) || Notification.permission === "denied";
    button.setAttribute("aria-pressed", String(wantsNotice()));
  }

  document.addEventListener("click", async (event) => {
    if (event.target.closest("[data-test-sound]")) ring(1);
    const copy = event.target.closest("[data-copy]");
    if (copy) {
      const address = copy.parentElement.querySelector(".lobby-address");
      getSelection().selectAllChildren(address); // for browsers that let no page copy
      const written = await navigator.clipboard?.writeText(address.textContent).then(() => true, () => false);
      if (written) copy.textContent = copy.dataset.copied;
    }
    if (event.target.closest("[data-notify]")) {
      const on = !wantsNotice() && (await Notification.requestPermission()) === "granted";
      localStorage.setItem("notify", on ? "on" : "off");
      showAlerts();
    }
  });
  document.addEventListener("htmx:afterSettle", () => { tell(); showAlerts(); });
  document.addEventListener("DOMContentLoaded", () => { tell(); showAlerts(); });
  if (document.readyState !== "loading") { tell(); showAlerts(); }
}
