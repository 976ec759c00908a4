// Reads charts out: the point under the pointer or finger, or chosen by arrow keys. The table behind a chart has its points.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

// Moments of tables stand in the reader's own time.
function tellTime(time) {
  const moment = new Date(time.dateTime);
  if (!time.dateTime.includes("T") || Number.isNaN(moment.getTime())) return;
  time.textContent = dateText(moment, "weekday_moment"); // pages.js
}

function path(kind) {
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("class", kind);
  return made;
}

// The points of a line: numbers of its path, two by two.
function pointsOf(line) {
  const numbers = (line.getAttribute("d").match(/-?[\d.]+/g) || []).map(Number);
  return numbers.filter((_, index) => index % 2 === 0).map((x, index) => ({ x, y: numbers[2 * index + 1] }));
}

// One for each point: what the rows of the table say there, and where the curves are.
function readingsOf(chart, rows) {
  const first = Number(chart.dataset.column);
  const heads = [...chart.ownerDocument.querySelectorAll(`#${chart.dataset.table} thead th`)].map((cell) => cell.textContent);
  const lines = [...chart.querySelectorAll("path.chart-line")].map(pointsOf);
  const readings = [];
  for (const row of rows) {
    const cells = [...row.cells].map((cell) => cell.textContent.trim());
    const spots = lines.map((points, index) => (cells[first + index] ? points.shift() : null));
    if (!spots.some(Boolean)) continue;
    const values = spots.map((spot, index) => (spot ? `${heads[first + index]} ${cells[first + index]}` : "")).filter(Boolean);
    const between = cells.slice(1, first);
    readings.push({ x: spots.find(Boolean).x, spots: spots.filter(Boolean), words: [cells[0], ...values, ...between].filter(Boolean).join(" · ") });
  }
  return readings;
}

function equip(chart) {
  const table = document.getElementById(chart.dataset.table);
  const drawing = chart.querySelector(".chart-drawing");
  if (!table || chart.dataset.equipped) return;
  chart.dataset.equipped = "yes";
  const readings = readingsOf(chart, table.tBodies[0].rows);
  if (!readings.length) return;
  const cursor = path("chart-cursor");
  const marks = path("chart-point chart-chosen");
  const readout = document.createElement("p");
  readout.className = "chart-readout";
  readout.setAttribute("aria-hidden", "true");
  chart.append(readout);
  let chosen = readings.length - 1;

  function choose(index) {
    chosen = Math.min(Math.max(index, 0), readings.length - 1);
    const { x, spots, words } = readings[chosen];
    cursor.setAttribute("d", `M${x} 0V300`);
    marks.setAttribute("d", spots.map((spot) => `M${spot.x} ${spot.y}h0`).join(""));
    if (!cursor.isConnected) drawing.append(cursor, marks);
    readout.textContent = words;
    drawing.setAttribute("aria-valuenow", String(chosen + 1));
    drawing.setAttribute("aria-valuetext", words);
  }

  function nearest(event) {
    const box = drawing.getBoundingClientRect();
    const x = (1000 * (event.clientX - box.left)) / box.width;
    return readings.reduce((best, reading, index) => (Math.abs(reading.x - x) < Math.abs(readings[best].x - x) ? index : best), 0);
  }

  drawing.setAttribute("role", "slider");
  drawing.setAttribute("tabindex", "0");
  drawing.setAttribute("aria-label", chart.dataset.label);
  drawing.setAttribute("aria-valuemin", "1");
  drawing.setAttribute("aria-valuemax", String(readings.length));
  choose(chosen);
  for (const kind of ["pointermove", "pointerdown"]) drawing.addEventListener(kind, (event) => choose(nearest(event)));
  drawing.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    choose(chosen + steps[event.key]);
  });
}

function equipAll() {
  for (const table of document.querySelectorAll(".chart-rows table:not([data-told])")) {
    table.dataset.told = "yes";
    table.querySelectorAll("tbody time").forEach(tellTime);
  }
  document.querySelectorAll(".chart[data-table]").forEach(equip);
}

document.addEventListener("DOMContentLoaded", equipAll);
document.addEventListener("htmx:afterSettle", equipAll);
