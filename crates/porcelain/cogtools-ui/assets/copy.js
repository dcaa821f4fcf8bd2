// A button on every block, also on those that come later, that copies it.

import { announce, button } from "./page.js";

// Gives every block below `root` a button that copies it.
function copyButtons(root) {
  for (const block of root.querySelectorAll("pre, .json, .message .text")) {
    if (block.nextElementSibling?.matches(".copy") || block.parentElement.closest("pre, .json, .message .text")) {
      continue;
    }
    const copy = button("⧉", "copy", async () => {
      await navigator.clipboard.writeText(block.matches(".json") ? jsonOf(block.firstElementChild) : block.textContent);
      announce("Copied.");
    });
    copy.setAttribute("aria-label", `Copy ${block.getAttribute("aria-label") ?? "the text"}`);
    copy.title = "Copy";
    block.after(copy);
  }
}

// The JSON that a folded tree shows.
function jsonOf(node) {
  if (!node?.matches("details")) {
    return node?.textContent ?? "";
  }
  const isObject = node.querySelector("summary").textContent.startsWith("{");
  const items = [...node.querySelectorAll(":scope > ul > li")].map((item) => {
    const key = item.querySelector(":scope > .key");
    const value = item.querySelector(":scope > :not(.key)");
    const text = value ? jsonOf(value) : item.textContent.slice(-2);
    return key && isObject ? `${JSON.stringify(key.textContent)}: ${text}` : text;
  });
  return isObject ? `{${items.join(", ")}}` : `[${items.join(", ")}]`;
}

copyButtons(document);
new MutationObserver(() => copyButtons(document)).observe(document.getElementById("main"), { childList: true, subtree: true });
