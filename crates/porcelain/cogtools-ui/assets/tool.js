// A tool: its form, its examples as buttons, checks while the user types, and calls.

import { announce, button, element, failureBox, fragment, post } from "./page.js";
import { field } from "./structure.js";

const form = document.getElementById("form");
const result = document.getElementById("result");
const path = location.pathname;
const command = document.getElementById("command");
const CHECK_DELAY = 150;

class Form {
  constructor(schema) {
    this.root = field("Arguments", { ...schema, description: "" }, schema, true);
    this.others = element("div", "", "others");
    this.call = element("button", "Call", "main");
    const actions = element("div", "", "actions");
    actions.append(this.call);
    form.append(this.root.element, this.others, actions);
    this.checks = 0;
    this.isSent = false;
  }

  // Shows each violation beside its field, and the rest below.
  show(failures) {
    const fields = new Map();
    this.root.point("", fields);
    const rest = [];
    const found = new Map([...fields.keys()].map((pointer) => [pointer, []]));
    for (const failure of failures) {
      let pointer = failure.pointer ?? "";
      while (pointer && !found.has(pointer)) {
        pointer = pointer.slice(0, pointer.lastIndexOf("/"));
      }
      (failure.code === "SCHEMA_VIOLATION" && pointer ? found.get(pointer) : rest).push(failure);
    }
    fields.forEach((show, pointer) => show(found.get(pointer), this.isSent));
    this.others.replaceChildren(...(this.isSent ? rest : []).map(failureBox));
  }

  async check() {
    this.checks += 1;
    const check = this.checks;
    const answer = await post(`${path}/check`, this.root.read());
    // A later check has begun.
    if (answer && check === this.checks) {
      this.show(answer.failures);
      command.hidden = false;
      command.querySelector("pre").textContent = answer.command;
    }
    return answer;
  }

  async run() {
    if (this.call.getAttribute("aria-disabled") === "true") {
      return;
    }
    this.isSent = true;
    this.call.setAttribute("aria-disabled", "true");
    announce("The call runs.");
    const answer = await post(`${path}/call`, this.root.read());
    this.call.removeAttribute("aria-disabled");
    if (!answer) {
      announce("The server does not answer.");
    } else if (answer.failures) {
      this.show(answer.failures);
      result.replaceChildren(element("h3", "Failed"), ...answer.failures.map(failureBox));
      announce("The call failed.");
    } else {
      showResult(answer);
      announce("The call has a result.");
    }
  }
}

function showResult(answer) {
  const plain = element("pre", answer.result);
  plain.tabIndex = 0;
  plain.setAttribute("role", "region");
  plain.setAttribute("aria-label", "Result as text");
  const rendered = element("div", "", "markdown");
  rendered.append(fragment(answer.html));
  rendered.hidden = true;
  const toggle = button("As Markdown", "", () => {
    rendered.hidden = !rendered.hidden;
    plain.hidden = !rendered.hidden;
    toggle.setAttribute("aria-pressed", String(!rendered.hidden));
  });
  toggle.setAttribute("aria-pressed", "false");
  result.replaceChildren(element("h3", "Result"), toggle, plain, rendered);
  if (answer.left_out) {
    result.append(element("p", `${answer.left_out} more bytes are left out.`));
  }
}

// What is known about the examples now.
function showState(tests) {
  if (tests) {
    const badge = element("span", tests.label, `badge test ${tests.state}`);
    const failed = tests.failures ? ` ${tests.failures} failed` : "";
    document.getElementById("test-state").replaceChildren(badge, failed);
  }
}

function showTests(place) {
  const report = element("div", "", "report");
  const run = button("Run the examples", "", async () => {
    if (run.getAttribute("aria-disabled") === "true") {
      return;
    }
    run.setAttribute("aria-disabled", "true");
    announce("The examples run.");
    const answer = await post(`${path}/test`, {});
    run.removeAttribute("aria-disabled");
    showState(answer?.tests);
    report.replaceChildren(...(answer?.failures ?? []).map(failureBox));
    for (const tool of answer?.report?.tools ?? []) {
      const cases = tool.examples.map((one) => {
        const item = element("li", `${one.name ?? one.number}: ${one.status}${one.golden ? ` (${one.golden})` : ""}`);
        for (const failure of one.failures) {
          item.append(element("p", failure.message, "error"));
          if (failure.detail) {
            item.append(element("pre", failure.detail));
          }
          item.append(...failure.faults.map((fault) => element("p", `${fault.code} ${fault.message ?? ""}`)));
        }
        return item;
      });
      const list = element("ol", "", "cases");
      list.append(...cases);
      report.append(element("p", `${tool.name}: ${tool.status}`), list);
    }
    announce("The examples have run.");
  });
  place.append(run, report);
}

async function start() {
  const { schema, examples } = await (await fetch(`${path}/form`)).json();
  const made = new Form(schema);
  let timer = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => made.check(), CHECK_DELAY);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    made.run();
  });
  examples.forEach((example, index) => {
    const fill = button(`Example ${index + 1}`, "", () => {
      made.root.write(example);
      made.isSent = true;
      made.check();
    });
    document.getElementById("examples").append(fill);
  });
  command.querySelector("button").addEventListener("click", async () => {
    await navigator.clipboard.writeText(command.querySelector("pre").textContent);
    announce("The command is copied.");
  });
  made.check();
  const tests = document.getElementById("tests");
  if (tests) {
    showTests(tests);
  }
}

start();
