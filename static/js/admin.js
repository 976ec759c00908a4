// Names for what the admin's own widgets leave nameless; everything works without it.
"use strict";

// Fields with suggestions: what stands for the select has its label's name, and says what is chosen.
function nameFields() {
  for (const select of document.querySelectorAll("select.admin-autocomplete")) {
    const label = document.querySelector(`label[for="${select.id}"]`);
    const shown = select.nextElementSibling?.querySelector(".select2-selection__rendered");
    if (!label || !shown) continue;
    const said = [label.textContent.replace(":", ""), shown.textContent].map((text) => text.trim()).filter(Boolean).join(": ");
    if (shown.getAttribute("aria-label") !== said) shown.setAttribute("aria-label", said);
  }
}

// Columns of tables in a form that have no title hold what leads elsewhere.
function nameColumns() {
  for (const title of document.querySelectorAll(".inline-group thead th")) {
    if (title.textContent.trim()) continue;
    const said = document.createElement("span");
    said.className = "visually-hidden";
    said.textContent = "More";
    title.append(said);
  }
}

// Tables wider than a phone scroll: by the keyboard, too.
function reachScrolling() {
  for (const box of document.querySelectorAll(".inline-group .tabular fieldset")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

nameColumns();
reachScrolling();
addEventListener("resize", reachScrolling);
new MutationObserver(nameFields).observe(document.body, { childList: true, subtree: true });
