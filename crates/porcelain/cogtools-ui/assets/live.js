// Tools change while a page is open. A list is loaded again; a form is not, because of what the
// user has typed.

import { base, failureBox, post, reloadNotice } from "./page.js";

const form = document.getElementById("form");
const events = new EventSource(`${base()}/events/tools`);
events.addEventListener("message", () => {
  const isTyping = document.activeElement?.matches("input, textarea, select");
  if (!form && !isTyping) {
    location.reload();
    return;
  }
  reloadNotice("The tools have changed. ");
});

// A project without tools gets its first one.
const first = document.getElementById("new");
if (first) {
  first.hidden = false;
  first.addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = first.querySelector("input").value.trim();
    const answer = await post(`${base()}/tools`, { name });
    if (answer?.failures.length === 0) {
      location = `${base()}/tools/${encodeURIComponent(name)}`;
      return;
    }
    const failures = answer?.failures ?? [{ message: "The server does not answer." }];
    document.getElementById("failures").replaceChildren(...failures.map(failureBox));
  });
}
