// Markdown as elements. Nothing of the text becomes markup: elements are made here, texts are
// text, and the target of a link is shown, not followed.

import { element } from "./page.js";

const INLINE = /(`+)(.+?)\1|\*\*(.+?)\*\*|\*([^*\s](?:[^*]*[^*\s])?)\*|!?\[([^\]]*)\]\(([^)\s]*)[^)]*\)/g;
const MAX_TEXT = 64 * 1024;

// Appends `text` to `parent`, with code, strong and emphasis.
function inline(parent, text) {
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    parent.append(text.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[2] !== undefined) {
      parent.append(element("code", match[2]));
    } else if (match[3] !== undefined) {
      parent.append(element("strong", match[3]));
    } else if (match[4] !== undefined) {
      parent.append(element("em", match[4]));
    } else {
      parent.append(match[5], " (", element("code", match[6]), ")");
    }
  }
  parent.append(text.slice(end));
}

function withText(name, text) {
  const made = element(name);
  inline(made, text);
  return made;
}

// The lines of a list from `index` on, and the line behind it.
function list(lines, index, marker) {
  const made = element(marker === "ol" ? "ol" : "ul");
  const item = marker === "ol" ? /^\s*\d+[.)]\s+(.*)$/ : /^\s*[-*+]\s+(.*)$/;
  let next = index;
  while (next < lines.length) {
    const match = item.exec(lines[next]);
    if (!match) {
      break;
    }
    made.append(withText("li", match[1]));
    next += 1;
  }
  return [made, next];
}

function fence(lines, index) {
  const mark = /^\s*(`{3,}|~{3,})/.exec(lines[index])[1];
  let end = index + 1;
  while (end < lines.length && !lines[end].trim().startsWith(mark)) {
    end += 1;
  }
  const made = element("pre", lines.slice(index + 1, end).join("\n"));
  made.tabIndex = 0;
  made.setAttribute("role", "region");
  made.setAttribute("aria-label", "Code");
  return [made, end + 1];
}

function paragraph(lines, index) {
  let end = index + 1;
  while (end < lines.length && lines[end].trim() && !kind(lines[end])) {
    end += 1;
  }
  return [withText("p", lines.slice(index, end).join("\n")), end];
}

function kind(line) {
  if (/^\s*(`{3,}|~{3,})/.test(line)) return "fence";
  if (/^#{1,6}\s/.test(line)) return "heading";
  if (/^\s*[-*+]\s+\S/.test(line)) return "ul";
  if (/^\s*\d+[.)]\s+\S/.test(line)) return "ol";
  if (/^>\s?/.test(line)) return "quote";
  return "";
}

function block(lines, index) {
  const line = lines[index];
  switch (kind(line)) {
    case "fence":
      return fence(lines, index);
    case "heading":
      // The headings of a text are not those of the page.
      return [withText("p", line.replace(/^#+\s*/, "")), index + 1, "heading"];
    case "ul":
      return list(lines, index, "ul");
    case "ol":
      return list(lines, index, "ol");
    case "quote":
      return [withText("blockquote", line.replace(/^>\s?/, "")), index + 1];
    default:
      return paragraph(lines, index);
  }
}

// The Markdown `text` as a fragment.
export function markdown(text) {
  const fragment = document.createDocumentFragment();
  if (text.length > MAX_TEXT) {
    fragment.append(element("p", text));
    return fragment;
  }
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  let index = 0;
  while (index < lines.length) {
    if (!lines[index].trim()) {
      index += 1;
      continue;
    }
    const [made, next, className] = block(lines, index);
    if (className) {
      made.className = className;
    }
    fragment.append(made);
    index = next;
  }
  return fragment;
}

// Shows the texts below `root` that are Markdown as such.
export function renderMarkdown(root) {
  for (const text of root.querySelectorAll("[data-markdown]")) {
    const source = text.textContent;
    text.removeAttribute("data-markdown");
    text.classList.add("markdown");
    text.replaceChildren(markdown(source));
  }
}
