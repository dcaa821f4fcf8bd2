// What a session can become: another branch from any message, and examples of its calls; and for how
// long its turn has run.

import { announce, button, element, failureBox, post } from "./page.js";

const conversation = document.getElementById("conversation");
const side = document.getElementById("side");
const form = document.getElementById("message");
const branch = document.getElementById("branch");

// The next message follows the entry `from`; 0 is none, the beginning of another session.
function goOn(from, text, words) {
  const field = form.querySelector("textarea");
  form.dataset.from = from;
  field.value = text || field.value;
  branch.replaceChildren(words, " ", button("Cancel", "", () => form.dispatchEvent(new Event("reset"))));
  branch.hidden = false;
  field.focus();
}

function leave() {
  delete form.dataset.from;
  branch.hidden = true;
}

function actionsOf(turn) {
  const number = turn.dataset.key.slice("turn-".length);
  const actions = element("div", "", "turn-actions");
  const asked = turn.querySelector(":scope > .message.user");
  if (asked && !asked.querySelector(".code, a")) {
    const text = asked.querySelector(".text")?.textContent ?? "";
    const edit = button("Edit and send again", "", () => {
      const before = turn.dataset.before || 0;
      goOn(before, text, `This message begins another ${before ? "branch here" : "session"}; only its text is sent again.`);
    });
    edit.setAttribute("aria-label", `Edit and send again: turn ${number}`);
    actions.append(edit);
  }
  const last = button("Go on from here", "", () => goOn(turn.dataset.last, "", "This message begins another branch here."));
  last.setAttribute("aria-label", `Go on from here: turn ${number}`);
  actions.append(last);
  return actions;
}

function enhance() {
  for (const turn of form ? conversation.querySelectorAll(".turn") : []) {
    if (!turn.querySelector(":scope > .turn-actions")) {
      turn.append(actionsOf(turn));
    }
  }
  for (const place of side.querySelectorAll(".example:empty")) {
    const { call, tool } = place.dataset;
    const make = (label, golden) => {
      const made = button(label, "", async () => {
        const answer = await post(`${location.pathname}/example`, { call, golden });
        const failures = answer?.failures ?? [{ message: "The server does not answer." }];
        place.querySelectorAll(".failure, .about").forEach((one) => one.remove());
        place.append(...failures.map(failureBox));
        if (!failures.length) {
          place.append(element("p", `The file of ${tool} has it. If the tool runs programs, approve the change: cogtools trust.`, "about"));
          announce("The example is written.");
        }
      });
      made.setAttribute("aria-label", `${label}: ${tool} ${call}`);
      return made;
    };
    place.append(make("Make it an example", false), make("With its result as golden file", true));
  }
}

// The time since the last turn began, while it runs.
function showElapsed() {
  const turns = conversation.querySelectorAll(".turn");
  const began = Date.parse(turns[turns.length - 1]?.dataset.time);
  const seconds = Math.max(0, Math.round((Date.now() - began) / 1000)) || 0;
  const minutes = Math.floor(seconds / 60);
  const text = minutes ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
  const place = document.getElementById("elapsed");
  if (place.textContent !== text) {
    place.textContent = text;
  }
}

showElapsed();
setInterval(showElapsed, 1000);
form?.addEventListener("reset", leave);
enhance();
for (const part of [conversation, side]) {
  new MutationObserver(enhance).observe(part, { childList: true, subtree: true });
}
