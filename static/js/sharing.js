// Copies a picture to the clipboard, or its address where the browser can't copy pictures; without either it stays a link.
"use strict";

async function copyPicture(address) {
  if (window.ClipboardItem) {
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": fetch(address).then((response) => response.blob()) })]);
      return "copied";
    } catch {
      // goes on with the address
    }
  }
  await navigator.clipboard.writeText(new URL(address, location.href).href);
  return "linked";
}

function equipSharing() {
  if (!navigator.clipboard) return;
  for (const link of document.querySelectorAll("a.share-picture")) {
    link.setAttribute("role", "button");
    link.textContent = link.dataset.copy;
    const press = async (event) => {
      event.preventDefault();
      try {
        link.textContent = link.dataset[await copyPicture(link.href)];
        document.getElementById("status").textContent = link.textContent;
      } catch {
        location.assign(link.href);
      }
    };
    link.addEventListener("click", press);
    link.addEventListener("keydown", (event) => event.key === " " && press(event));
  }
}

document.addEventListener("DOMContentLoaded", equipSharing);
