// What a user says: answers to questions, and the next message. Each starts a program, which
// writes into the session; the page shows what it writes.

import { announce, base, button, element, failureBox, post } from "./page.js";

const work = document.getElementById("work");
const conversation = document.getElementById("conversation");
const form = document.getElementById("message");
const path = location.pathname;
let isSending = false;

function showFailures(failures) {
  document.getElementById("failures").replaceChildren(...failures.map(failureBox));
}

// Whether a turn runs: one that this page has started, or any other process.
const isRunning = () => isSending || work.dataset.state === "running";

// Marks everything that starts something: it stays where it is, and keeps the focus.
function showRunning() {
  const running = isRunning();
  document.getElementById("running").hidden = !running;
  for (const control of document.querySelectorAll("#message :is(textarea, input, button), .question :is(textarea, input, button)")) {
    control.setAttribute("aria-disabled", String(running));
    if (control.matches("textarea, input")) {
      control.readOnly = running;
    }
  }
}

async function stop() {
  const answer = await post(`${path}/stop`, {});
  showFailures(answer?.failures ?? [{ message: "The server does not answer." }]);
}

async function send(action, body) {
  if (isRunning()) {
    announce("A turn runs.");
    return false;
  }
  isSending = true;
  showRunning();
  showFailures([]);
  announce("The turn runs.");
  const answer = await post(action === "begin" ? `${base()}/sessions` : `${path}/${action}`, body);
  isSending = false;
  showRunning();
  const failures = answer?.failures ?? (answer ? [] : [{ message: "The server does not answer." }]);
  showFailures(failures);
  announce(failures.length ? "The turn has failed." : "The turn is done.");
  if (answer?.session) {
    location = `${base()}/sessions/${answer.session}`;
  }
  return failures.length === 0;
}

// The question goes, and the focus with it.
async function reply(action, body) {
  if (await send(action, body)) {
    form?.querySelector("textarea").focus();
  }
}

function approval(key, line, tool) {
  const why = reason(`${tool} ${key}`);
  const decide = (label, className, decision) => {
    const made = button(label, className, () => reply("approve", { call: key, line, ...decision() }));
    made.setAttribute("aria-label", `${label} ${tool} ${key}`);
    return made;
  };
  return [
    decide("Allow", "main", () => ({ allow: true })), decide("Always allow", "", () => ({ allow: true, always: tool })),
    decide("Deny", "", () => ({ allow: false })), why, decide("No, because", "", () => ({ allow: false, reason: why.value })),
  ];
}

// A field for the reason why something may not run.
function reason(name) {
  const made = element("input");
  made.setAttribute("aria-label", `Why ${name} may not run; the model reads it`);
  made.placeholder = "Why not?";
  return made;
}

// The answers to a question about a program: run it, in two ways, another one, or none. Calls that are
// not shown cannot be agreed to at once.
function program(key, line, code, showsCalls) {
  const decide = (label, className, decision) => button(label, className, () => reply("approve", { call: key, line, ...decision() }));
  const text = element("textarea", "", "code");
  text.setAttribute("aria-label", `Program of ${key}`);
  text.rows = 12;
  text.spellcheck = false;
  text.value = code;
  const edited = decide("Ask about this program", "", () => ({ allow: false, code: text.value }));
  [text, edited].forEach((one) => { one.hidden = true; });
  const edit = button("Edit", "", () => {
    [text, edited].forEach((one) => { one.hidden = false; });
    text.focus();
  });
  const why = reason(key);
  const run = showsCalls ? [decide("Run", "main", () => ({ allow: true }))] : [];
  return [
    ...run,
    decide("Run, and ask at each call", "", () => ({ allow: true, each: true })),
    edit,
    why,
    decide("No", "", () => ({ allow: false, reason: why.value })),
    text,
    edited,
  ];
}

function controlsOf(question) {
  const { kind, question: key, tool } = question.dataset;
  const line = Number(question.dataset.line);
  switch (kind) {
    case "approval": return approval(key, line, tool);
    case "program": {
      const showsCalls = question.querySelector(".calls") !== null;
      return program(key, line, question.querySelector(".program").textContent, showsCalls);
    }
    default: return answer(key, question.querySelector(".text").textContent);
  }
}

// Lets the buttons of a question be pressed once its end has been seen.
function enableWhenSeen(controls) {
  const buttons = controls.querySelectorAll("button");
  buttons.forEach((one) => { one.disabled = true; });
  const observer = new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting) {
      observer.disconnect();
      setTimeout(() => buttons.forEach((one) => { one.disabled = false; }), 300);
    }
  });
  observer.observe(controls);
}

function answer(key, question) {
  const input = element("input");
  input.setAttribute("aria-label", `Answer: ${question}`);
  const give = () => input.value && reply("answer", { node: key, answer: input.value });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      give();
    }
  });
  return [input, button("Answer", "main", give)];
}

// Gives each question its controls.
function enhance() {
  for (const question of conversation.querySelectorAll(".question:not([data-ready])")) {
    question.dataset.ready = "";
    const controls = element("div", "", "actions");
    controls.append(...controlsOf(question));
    question.append(controls);
    enableWhenSeen(controls);
  }
  showRunning();
}

enhance();
document.getElementById("stop").addEventListener("click", stop);
new MutationObserver(enhance).observe(conversation, { childList: true, subtree: true });
new MutationObserver(showRunning).observe(work, { attributes: true, attributeFilter: ["data-state"] });
if (form) {
  const text = form.querySelector("textarea");
  const model = form.querySelector("input");
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const message = text.value;
    const wanted = message.trim() || isRunning();
    // Another first message begins another session.
    const from = form.dataset.from === undefined ? undefined : Number(form.dataset.from);
    const action = from === 0 ? "begin" : "message";
    if (wanted && (await send(action, { text: message, model: model.value, from: from || undefined })) && text.value === message) {
      text.value = "";
      form.dispatchEvent(new Event("reset"));
    }
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      form.requestSubmit();
    }
  });
}
