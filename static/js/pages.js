// What pages do beyond links and forms; everything works without it.
"use strict";

// After a part was swapped, keep the keyboard where the reader is: on the same link, or else on the part itself.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status === 409) event.detail.shouldSwap = true; // a refusal has its reason on the page
});
const kept = { href: null, within: null };
document.addEventListener("htmx:beforeSwap", (event) => {
  const [part, focused] = [event.detail.target, document.activeElement];
  kept.within = part && part !== focused && part.contains(focused) ? part.id : null;
  kept.href = kept.within && focused.getAttribute("href");
});
document.addEventListener("htmx:afterSettle", (event) => {
  const part = event.detail.target;
  if (!part || document.activeElement !== document.body) return;
  const again = kept.within === part.id && kept.href && part.querySelector(`[href="${CSS.escape(kept.href)}"]`);
  if (again) again.focus({ preventScroll: true });
  else if (["board", "calculator"].includes(part.id) || kept.within === part.id) part.focus({ preventScroll: true });
});

// Open pages ask whether something newer was published: every half minute or so, not all at once, and at rest in hidden tabs.
const REFRESH = 30_000;
function refreshLater() {
  setTimeout(() => {
    if (!document.hidden) for (const part of document.querySelectorAll(".refresh")) part.dispatchEvent(new Event("refresh"));
    refreshLater();
  }, REFRESH * (0.75 + Math.random() / 2));
}
refreshLater();

// Words of the page's language: see leaderboards/display/spans.py, which words the same for readers without scripts.
const WORDS = JSON.parse(document.querySelector('meta[name="words"]').content);
const LANGUAGE = document.documentElement.lang;
const ZONE = document.documentElement.dataset.zone || undefined; // the account's, else the browser's

// Sentences that the server words have times, too. An account that chose no zone gets its browser's by a cookie.
if (document.documentElement.dataset.zone === "") {
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `zone=${new Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/; max-age=34560000; samesite=lax${secure}`;
}

function fill(pattern, values) {
  return pattern.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
}

// Plural forms come with a number each that has that form.
const PLURALS = new Intl.PluralRules(LANGUAGE);
function plural(forms, number) {
  const form = PLURALS.select(number);
  const sample = Object.keys(forms).find((each) => PLURALS.select(Number(each)) === form) || Object.keys(forms).pop();
  return fill(forms[sample], { number });
}

// A moment by the name of a pattern, in the reader's zone.
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeZone: ZONE, year: "numeric", month: "numeric", day: "numeric", weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const WEEK = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
function dateText(moment, pattern) {
  const parts = Object.fromEntries(CLOCK.formatToParts(moment).map((part) => [part.type, part.value]));
  return fill(WORDS.dates[pattern], {
    day: Number(parts.day), month: WORDS.months[Number(parts.month) - 1], year: Number(parts.year),
    weekday: WORDS.weekdays[WEEK.indexOf(parts.weekday)], time: `${parts.hour}:${parts.minute}`,
  });
}

// Times that say how long ago they were go on saying it.
function ago(moment) {
  const seconds = (Date.now() - moment) / 1000;
  if (seconds < 5) return WORDS.now;
  for (const [size, most, pattern] of WORDS.ago) {
    if (seconds < most * size) return fill(pattern, { number: Math.floor(seconds / size) });
  }
  const [most, forms] = WORDS.days_ago;
  const days = Math.floor(seconds / 86_400);
  return days <= most ? plural(forms, days) : dateText(moment, "day_of_year");
}

function tick() {
  for (const time of document.querySelectorAll("time[data-ago]")) {
    const words = ago(new Date(time.dateTime));
    if (words !== time.textContent) time.textContent = words;
  }
}

// A page that is kept for many readers says when something was.
document.addEventListener("DOMContentLoaded", tick);
document.addEventListener("htmx:afterSettle", tick);
setInterval(() => document.hidden || tick(), 10_000);
document.addEventListener("visibilitychange", () => document.hidden || tick());

// Times that say how long is left count down; who may queue again sees so on a fresh page.
function left(seconds) {
  if (seconds >= 3 * 86_400) return plural(WORDS.days, Math.floor(seconds / 86_400));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

setInterval(() => {
  for (const time of document.querySelectorAll("time[data-left]")) {
    time.textContent = left(Math.max(0, Math.round((Date.parse(time.dateTime) - Date.now()) / 1000)));
  }
  for (const time of document.querySelectorAll("time[data-since]")) {
    time.textContent = left(Math.max(0, Math.floor((Date.now() - Date.parse(time.dateTime)) / 1000)));
  }
}, 1000);

// Moments stand in the reader's own time, and go on saying how far away they are.
function until(seconds) {
  if (seconds <= 0) return WORDS.any;
  for (const [size, least, forms] of WORDS.until) {
    if (seconds >= least * size) return plural(forms, Math.round(seconds / size));
  }
  return WORDS.soon;
}

function tellMoments() {
  for (const time of document.querySelectorAll("time[data-local]")) {
    const moment = new Date(time.dateTime);
    let words = dateText(moment, moment.getFullYear() === new Date().getFullYear() ? "moment" : "moment_of_year");
    if ("until" in time.dataset) words += ` (${until(Math.round((moment - Date.now()) / 1000))})`;
    if (words !== time.textContent) time.textContent = words;
  }
  for (const time of document.querySelectorAll("time[title$=' UTC']")) {
    time.title = dateText(new Date(time.dateTime), "moment_of_year");
  }
  for (const time of document.querySelectorAll("time[data-until]:not([data-local])")) {
    const words = until(Math.round((Date.parse(time.dateTime) - Date.now()) / 1000));
    if (words !== time.textContent) time.textContent = words;
  }
}

document.addEventListener("DOMContentLoaded", tellMoments);
document.addEventListener("htmx:afterSettle", tellMoments);
setInterval(() => document.hidden || tellMoments(), 10_000);
