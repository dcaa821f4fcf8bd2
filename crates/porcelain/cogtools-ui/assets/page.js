// What every page does: times in the zone of the reader, and a line for announcements.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

// Shows the times below `root` in the zone of the reader. The exact one stays in `datetime`.
export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([title])")) {
    const date = new Date(time.dateTime);
    if (!Number.isNaN(date.getTime())) {
      time.title = time.textContent;
      time.textContent = format.format(date);
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

// An element with a class and a text, neither of which is markup.
export function element(name, text = "", className = "") {
  const made = document.createElement(name);
  if (className) {
    made.className = className;
  }
  made.textContent = text;
  return made;
}

localTimes(document);
