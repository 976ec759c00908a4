// Of the rating systems' parameters, shows those of the one that is chosen. Without this all are shown.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const choice = document.getElementById("id_system");
  const sections = [...document.querySelectorAll("fieldset[class*='system-']")];
  if (!choice || sections.length < 2) return;
  const show = () => {
    for (const section of sections) section.hidden = !section.classList.contains(`system-${choice.value}`);
  };
  choice.addEventListener("change", show);
  show();
});
