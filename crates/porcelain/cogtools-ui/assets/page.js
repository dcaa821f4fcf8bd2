// What every page does: times in the zone of the reader, and a line for announcements.

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

// Remembers what was served, before it is shown in the reader's own way: a number for each element
// with a key.
export function mark(root) {
  for (const one of root.querySelectorAll("[data-key]")) {
    let hash = 0;
    for (const char of one.outerHTML) {
      hash = (hash * 31 + char.codePointAt(0)) | 0;
    }
    one.dataset.source = String(hash);
  }
}

// Shows the times below `root` in the zone of the reader. The exact one stays in `datetime`. A turn
// on the day of the one before it has no date.
export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([title])")) {
    const date = new Date(time.dateTime);
    if (!Number.isNaN(date.getTime())) {
      const before = new Date(time.closest(".turn")?.previousElementSibling?.dataset.time);
      time.title = time.textContent;
      time.textContent = (before.toDateString() === date.toDateString() ? clock : whole).format(date);
    }
  }
}

// Says `text` to those who cannot see what has changed.
export function announce(text) {
  const status = document.getElementById("status");
  if (status) {
    status.textContent = text;
  }
}

// A line below the heading that says why the page should be loaded again, and does.
export function reloadNotice(text) {
  if (document.getElementById("changed")) {
    return;
  }
  const line = element("p", text, "changed");
  line.id = "changed";
  const again = element("button", "Load the page again");
  again.type = "button";
  again.addEventListener("click", () => location.reload());
  line.append(again);
  document.querySelector("main h1").after(line);
  announce(text.trim());
}

// Another file is where the session was. What was typed stays until the reader lets it go.
export function showReplaced() {
  const isTyping = [...document.querySelectorAll("#message textarea, .question :is(input, textarea:not([hidden]))")].some((one) => one.value);
  if (!isTyping) {
    location.reload();
    return;
  }
  reloadNotice("Another session is in this file now. ");
}

// A failure in words, then its code and what to do.
export function failureBox(failure) {
  const box = element("div", "", "failure");
  const line = element("p", [failure.pointer, failure.message].filter(Boolean).join(" "));
  line.append(" ", element("span", failure.code ?? "", "code about"));
  box.append(line);
  if (failure.details) {
    box.append(element("pre", failure.details));
  }
  const hints = element("ul", "", "hints");
  hints.append(...(failure.hints ?? []).map((hint) => element("li", hint)));
  box.append(hints);
  return box;
}

// The secret path below which all pages are.
export function base() {
  return document.querySelector('meta[name="cogtools-base"]').content;
}

// The header without which the server starts nothing.
export function pageToken() {
  return document.querySelector('meta[name="cogtools-token"]').content;
}

// Sends JSON to the server, and returns what it answers, or null if it does not.
export async function post(path, body) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-cogtools-token": pageToken() },
      body: JSON.stringify(body),
    });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

// A button that does something.
export function button(label, className, act) {
  const made = element("button", label, className);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

// An element with a class and a text, neither of which is markup.
export function element(name, text = "", className = "") {
  const made = document.createElement(name);
  if (className) {
    made.className = className;
  }
  made.textContent = text;
  return made;
}

// Elements of the HTML that the server has made of a text.
export function fragment(html) {
  const made = document.createDocumentFragment();
  made.append(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  return made;
}

// How many sessions wait for the user: below the heading, in the title, and as the icon of the tab.
function showWaiting(count) {
  const strip = document.getElementById("strip");
  const text = `${count} session${count === 1 ? " waits" : "s wait"} for you`;
  strip.hidden = count === 0;
  if (strip.firstElementChild.textContent !== text) {
    strip.firstElementChild.textContent = text;
  }
  const title = document.title.replace(/^\(\d+\) /, "");
  document.title = count ? `(${count}) ${title}` : title;
  const icon = document.querySelector("link[rel=icon]");
  if ((icon.dataset.waiting ?? "0") !== String(count)) {
    icon.dataset.waiting = String(count);
    icon.href = count ? dot() : "data:,";
  }
}

function dot() {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 32;
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#d97706";
  pen.arc(16, 16, 14, 0, 2 * Math.PI);
  pen.fill();
  return canvas.toDataURL();
}

// Asks again and again what waits, and says on every page when the server has ended.
async function watch() {
  const place = document.getElementById("gone");
  let response = null;
  try {
    response = await fetch(`${base()}/overview`, { signal: AbortSignal.timeout(1500) });
    if (response.ok) {
      const overview = await response.json();
      showWaiting(overview.waiting);
      dispatchEvent(new CustomEvent("overview", { detail: overview }));
    }
  } catch {
    response = null;
  }
  // The server runs even if it cannot list the sessions; another one at its port knows no cookie.
  if (response?.ok || response?.status > 404) {
    place.replaceChildren();
  } else if (!place.firstChild) {
    const line = element("p", "The server has ended: nothing on this page is new. Start it again with ");
    line.append(element("code", "cogtools ui"), ", and open the address that it prints.");
    place.append(line);
  }
  setTimeout(watch, 1000);
}

// Gives each file a button that shows it in the editor.
function editorButtons() {
  for (const place of document.querySelectorAll(".editor")) {
    place.append(button("Open in the editor", "quiet", async () => {
      const answer = await post(`${place.dataset.path}/open`, { line: Number(place.dataset.line) });
      const failures = answer?.failures ?? [{ message: "The server does not answer." }];
      place.querySelectorAll(".failure").forEach((one) => one.remove());
      place.append(...failures.map(failureBox));
      announce(answer?.editor ? `${answer.editor} shows the file.` : "No editor shows the file.");
    }));
  }
}

if (document.querySelector('meta[name="cogtools-base"]')) {
  editorButtons();
  watch();
}
mark(document);
localTimes(document);
