// Names, levels and roles that Swagger UI leaves out; the page works without it.
"use strict";

const docs = document.getElementById("swagger-ui");

function say(elements, attribute, value) {
  for (const element of docs.querySelectorAll(elements)) {
    const said = typeof value === "function" ? value(element) : value;
    if (said && element.getAttribute(attribute) !== said) element.setAttribute(attribute, said);
  }
}

function parameterOf(field) {
  return field.closest("tr[data-param-name]")?.dataset.paramName;
}

function mend() {
  // What stands outside the operations is in named regions; tables are tables.
  say(".information-container", "role", "region");
  say(".information-container", "aria-label", "About");
  say(".schemes", "aria-label", "Authorization");
  for (const table of docs.querySelectorAll("table[role=region]")) table.removeAttribute("role");

  // Headings follow each other: the title, subjects and the dialog, parts of an operation, parts of these.
  say(".opblock-tag, section.models > h4, .modal-ux-header h3", "aria-level", "2");
  say(".opblock h4, .modal-ux-content h4", "aria-level", "3");
  say(".opblock h5", "aria-level", "4");

  // An operation's button has no link within.
  for (const link of docs.querySelectorAll("button a[href]")) link.removeAttribute("href");

  say(".close-modal", "aria-label", "Close");
  say(".modal-ux", "role", "dialog");
  say(".modal-ux", "aria-label", "Available authorizations");
  say(".examples-select-element", "aria-label", "Example");
  say("tr[data-param-name] :is(input, select, textarea)", "aria-label", parameterOf);
  say(".body-param textarea", "aria-label", "Request body");
  say("pre.microlight", "tabindex", "0"); // they scroll
}

new MutationObserver(mend).observe(docs, { childList: true, subtree: true });
