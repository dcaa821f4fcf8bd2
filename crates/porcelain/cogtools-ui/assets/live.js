// Tools change while a page is open. A list is loaded again; a form is not, because of what the
// user has typed.

import { base, reloadNotice } from "./page.js";

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
