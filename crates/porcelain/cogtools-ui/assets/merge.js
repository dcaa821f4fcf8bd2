// Takes what is new in a page over into the one that is open, so that focus, what is open and
// what was typed stay.

import { button } from "./page.js";

// How near its end a page is where a reader follows it, in pixels.
const NEAR = 160;
const below = button("New messages below", "below", () => scrollTo(0, document.documentElement.scrollHeight));
below.hidden = true;
document.body.append(below);
const isAtEnd = () => innerHeight + scrollY >= document.documentElement.scrollHeight - NEAR;
addEventListener("scroll", () => { below.hidden ||= isAtEnd(); }, { passive: true });

// Makes a change. What it adds scrolls into view for a reader at the end of the page; another one
// is told that it is below.
export function keepEnd(change) {
  const [follows, height] = [isAtEnd(), document.documentElement.scrollHeight];
  change();
  if (document.documentElement.scrollHeight <= height) {
    return;
  }
  if (follows) {
    scrollTo(0, document.documentElement.scrollHeight);
  } else {
    below.hidden = false;
  }
}

// Takes over the children of `fresh` that have keys, in their order. Without `keeps`, those that
// are not there any more go.
export function merge(old, fresh, keeps = false) {
  const known = new Map([...old.querySelectorAll(":scope > [data-key]")].map((one) => [one.dataset.key, one]));
  let last = null;
  for (const child of fresh.querySelectorAll(":scope > [data-key]")) {
    const same = known.get(child.dataset.key);
    known.delete(child.dataset.key);
    if (!same) {
      last ? last.after(child) : keeps ? old.append(child) : old.prepend(child);
      last = child;
      continue;
    }
    if (same.dataset.source !== child.dataset.source) {
      update(same, child);
    }
    last = same;
  }
  if (!keeps) {
    known.forEach((left) => left.remove());
  }
}

function update(same, child) {
  for (const { name, value } of child.attributes) {
    if (name !== "open") {
      same.setAttribute(name, value);
    }
  }
  if (child.querySelector(":scope > [data-key]")) {
    merge(same, child);
  } else {
    same.replaceChildren(...child.childNodes);
  }
}
