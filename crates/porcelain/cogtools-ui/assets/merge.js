// Takes what is new in a page over into the one that is open, so that focus, what is open and
// what was typed stay.

// Remembers what was served, before it is shown in the reader's own way.
export function mark(root) {
  for (const one of root.querySelectorAll("[data-key]")) {
    one.dataset.source = `${one.textContent.length}:${one.textContent.slice(-2000)}`;
  }
}

// Takes over what is new in `fresh`, child by child. Nothing else goes: a page that was loaded
// again begins later.
export function merge(old, fresh) {
  const known = new Map();
  for (const child of old.querySelectorAll(":scope > [data-key]")) {
    known.set(child.dataset.key, child);
  }
  for (const child of fresh.querySelectorAll(":scope > [data-key]")) {
    const same = known.get(child.dataset.key);
    known.delete(child.dataset.key);
    if (!same) {
      old.append(child);
    } else if (same.dataset.source !== child.dataset.source) {
      replace(same, child);
    }
  }
  // A question that is answered.
  for (const left of known.values()) {
    if (left.matches(".question")) {
      left.remove();
    }
  }
}

function replace(same, child) {
  if (same instanceof HTMLDetailsElement) {
    child.open = same.open || child.open;
  }
  if (!same.contains(document.activeElement)) {
    same.replaceWith(child);
    return;
  }
  const [bar, next] = [same, child].map((one) => one.querySelector(":scope > button.bar"));
  if (bar && next) {
    bar.replaceChildren(...next.childNodes);
  }
  same.dataset.source = child.dataset.source;
  merge(same, child);
}
