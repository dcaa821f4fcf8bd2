// Tools change while a page is open. A list is loaded again; a form is not, because of what the
// user has typed.

import { announce, element } from "./page.js";

const form = document.getElementById("form");
const events = new EventSource("/events/tools");
events.addEventListener("message", () => {
  const isTyping = document.activeElement?.matches("input, textarea, select");
  if (!form && !isTyping) {
    location.reload();
    return;
  }
  if (document.getElementById("changed")) {
    return;
  }
  const line = element("p", "The tools have changed. ", "changed");
  line.id = "changed";
  const again = element("button", "Load the page again");
  again.type = "button";
  again.addEventListener("click", () => location.reload());
  line.append(again);
  document.querySelector("main h1").after(line);
  announce("The tools have changed.");
});
