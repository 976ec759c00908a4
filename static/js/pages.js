// What pages do beyond links and forms; everything works without it.
"use strict";

// After the board was swapped, keep the keyboard where the reader is: if what had the focus is gone, on the board itself.
document.addEventListener("htmx:afterSettle", (event) => {
  const target = event.detail.target;
  if (target && ["board", "calculator"].includes(target.id) && document.activeElement === document.body) {
    target.focus({ preventScroll: true });
  }
});

// Times that say how long ago they were go on saying it.
function ago(seconds) {
  if (seconds < 5) return "just now";
  for (const [size, unit, most] of [[1, "s", 90], [60, "min", 90], [3600, "h", 36]]) {
    if (seconds < most * size) return `${Math.floor(seconds / size)} ${unit} ago`;
  }
  return "";
}

function tick() {
  for (const time of document.querySelectorAll("time[data-ago]")) {
    const words = ago((Date.now() - Date.parse(time.dateTime)) / 1000);
    if (words && words !== time.textContent) time.textContent = words;
  }
}

setInterval(() => document.hidden || tick(), 10_000);
document.addEventListener("visibilitychange", () => document.hidden || tick());
