// The list of sessions while the page is open, and the form that begins one.

import { base, failureBox, localTimes, mark, post } from "./page.js";
import { merge } from "./merge.js";

const place = document.getElementById("sessions");
const form = document.getElementById("begin");
let stamp = place.dataset.stamp;
let isLoading = false;

addEventListener("overview", async ({ detail }) => {
  if (detail.stamp === stamp || isLoading) {
    return;
  }
  isLoading = true;
  try {
    const response = await fetch(location.href);
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = fresh.getElementById("sessions");
    mark(fresh);
    localTimes(next);
    const [old, list] = [place, next].map((one) => one.querySelector(".cards"));
    if (old && list) {
      const keys = keysOf(list);
      merge(old, list);
      place.querySelector(".count").replaceChildren(...next.querySelector(".count").childNodes);
      place.querySelector(".pages")?.replaceChildren(...(next.querySelector(".pages")?.childNodes ?? []));
      order(old, keys);
    } else {
      place.replaceChildren(...next.childNodes);
    }
    stamp = next.dataset.stamp;
  } finally {
    isLoading = false;
  }
});

const keysOf = (list) => [...list.children].map((one) => one.dataset.key);

// Puts the sessions in their new order, unless one of them has the focus.
function order(list, keys) {
  if (keys.join("\n") !== keysOf(list).join("\n") && !list.contains(document.activeElement)) {
    const all = new Map([...list.children].map((one) => [one.dataset.key, one]));
    list.append(...keys.map((key) => all.get(key)));
  }
}

form.hidden = false;
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const [text, model] = [form.querySelector("textarea"), form.querySelector("input")];
  const send = form.querySelector("button");
  if (!text.value.trim() || send.getAttribute("aria-disabled") === "true") {
    return;
  }
  send.setAttribute("aria-disabled", "true");
  const answer = await post(`${base()}/sessions`, { text: text.value, model: model.value });
  send.removeAttribute("aria-disabled");
  if (answer?.session) {
    location = `${base()}/sessions/${answer.session}`;
    return;
  }
  const failures = answer?.failures ?? [{ message: "The server does not answer." }];
  document.getElementById("failures").replaceChildren(...failures.map(failureBox));
});
