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

// Times that say how long is left count down; who may queue again sees so on a fresh page.
function left(seconds) {
  if (seconds >= 3 * 86_400) return `${Math.floor(seconds / 86_400)} days`;
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

// Moments stand in the reader's own time, and go on saying how far away they are. Words as in display/numbers.py.
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function dayAndTime(moment) {
  const two = (number) => String(number).padStart(2, "0");
  const year = moment.getFullYear() === new Date().getFullYear() ? "" : ` ${moment.getFullYear()}`;
  return `${moment.getDate()} ${MONTHS[moment.getMonth()]}${year}, ${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

function until(seconds) {
  if (seconds <= 0) return "any moment";
  for (const [size, unit, least] of [[86_400, "day", 2], [3600, "hour", 2], [60, "minute", 1]]) {
    const number = Math.round(seconds / size);
    if (seconds >= least * size) return `in ${number} ${unit}${number === 1 ? "" : "s"}`;
  }
  return "in less than a minute";
}

function tellMoments() {
  for (const time of document.querySelectorAll("time[data-local]")) {
    const words = dayAndTime(new Date(time.dateTime));
    if (words !== time.textContent) time.textContent = words;
  }
  for (const time of document.querySelectorAll("time[data-local-day]")) {
    const moment = new Date(time.dateTime);
    time.textContent = `${moment.getDate()} ${MONTHS[moment.getMonth()]}`;
  }
  for (const time of document.querySelectorAll("time[data-until]")) {
    const words = until(Math.round((Date.parse(time.dateTime) - Date.now()) / 1000));
    if (words !== time.textContent) time.textContent = words;
  }
}

document.addEventListener("DOMContentLoaded", tellMoments);
document.addEventListener("htmx:afterSettle", tellMoments);
setInterval(() => document.hidden || tellMoments(), 10_000);
