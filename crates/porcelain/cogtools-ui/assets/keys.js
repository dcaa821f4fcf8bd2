// Keys of every page. They can be turned off, and are never taken from what is typed.

import { announce, button, element } from "./page.js";

const OFF = "cogtools-keys";
const KEYS = [
  ["/", "search"], ["j, k", "the next, the previous turn or session"], ["a", "go to what asks for a yes; Enter gives it"], ["?", "this help"],
];

function step(count) {
  const all = [...document.querySelectorAll(".turn, .cards > li")];
  const focused = all.findIndex((one) => one.contains(document.activeElement));
  const at = focused < 0 ? all.findLastIndex((one) => one.getBoundingClientRect().top <= 80) : focused;
  const next = all[Math.max(0, Math.min(all.length - 1, at + count))];
  if (next) {
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  }
}

// Shows the question, and leaves the yes to Enter.
function allow() {
  const yes = document.querySelector(".question .actions .main");
  if (!yes) {
    announce("Nothing asks for a yes.");
    return;
  }
  yes.scrollIntoView({ block: "center" });
  const wait = setInterval(() => {
    if (!yes.isConnected || !yes.disabled) {
      clearInterval(wait);
      yes.focus();
      announce(`Press Enter: ${yes.getAttribute("aria-label") ?? yes.textContent}`);
    }
  }, 100);
}

function search() {
  const field = document.querySelector("input[type=search]");
  if (field) {
    field.focus();
    field.select();
  } else {
    document.querySelector(".top nav a")?.click();
  }
}

function help() {
  const dialog = element("dialog", "", "help");
  dialog.setAttribute("aria-label", "Keys");
  const list = element("dl", "", "keys");
  for (const [key, meaning] of KEYS) {
    list.append(element("dt", key, "code"), element("dd", meaning));
  }
  const label = element("label", " These keys are on");
  const box = element("input");
  box.type = "checkbox";
  box.checked = !localStorage.getItem(OFF);
  box.addEventListener("change", () => (box.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, "off")));
  label.prepend(box);
  dialog.append(element("h2", "Keys"), list, label, button("Close", "main", () => dialog.close()));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

document.getElementById("keys").addEventListener("click", help);
document.getElementById("keys").hidden = false;
addEventListener("keydown", (event) => {
  const isTyped = event.target.closest?.("input, textarea, select, dialog, [contenteditable]");
  if (isTyped || event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem(OFF)) {
    return;
  }
  const act = { "/": search, j: () => step(1), k: () => step(-1), a: allow, "?": help }[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
