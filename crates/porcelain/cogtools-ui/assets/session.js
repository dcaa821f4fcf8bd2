// A session: the timeline of a turn, earlier lines, and what happens while it runs.

import { announce, localTimes, mark, showReplaced } from "./page.js";
import { keepEnd, merge } from "./merge.js";

const work = document.getElementById("work");
const conversation = document.getElementById("conversation");
const side = document.getElementById("side");
// Lines are often written in groups.
const SETTLE_DELAY = 150;
const RETRY_DELAY = 1000;
let selected = new URLSearchParams(location.search).get("turn");

function finish(root) {
  localTimes(root);
  for (const bar of root.querySelectorAll("a.bar")) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = bar.className;
    Object.assign(made.dataset, bar.dataset);
    made.setAttribute("aria-controls", "timeline");
    made.append(...bar.childNodes);
    bar.replaceWith(made);
  }
  showExpanded();
}

function shownTurn() {
  const bars = conversation.querySelectorAll("button.bar");
  return selected ?? bars[bars.length - 1]?.dataset.turn;
}

const isOpen = () => document.getElementById("timeline")?.open ?? false;

function showExpanded() {
  for (const bar of conversation.querySelectorAll("button.bar")) {
    bar.setAttribute("aria-expanded", String(bar.dataset.turn === shownTurn() && isOpen()));
  }
}

function setOpen(open) {
  const panel = document.getElementById("timeline");
  if (panel) {
    panel.open = open;
  }
  showExpanded();
}

async function load(query) {
  const response = await fetch(`${location.pathname}?${new URLSearchParams(query)}`);
  if (!response.ok) {
    throw new Error(String(response.status));
  }
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  mark(fresh);
  return fresh;
}

// Shows the panels of `fresh`, open or closed as the old ones are.
function adopt(fresh) {
  const open = new Map([...side.querySelectorAll("details.panel")].map(({ id, open }) => [id, open]));
  for (const panel of fresh.querySelectorAll("details.panel")) {
    panel.open = open.get(panel.id) ?? panel.open;
  }
  side.replaceChildren(...fresh.childNodes);
  showExpanded();
}

// Shows the work of the turn that the address names. What cannot be shown is an error's page.
async function showAddress() {
  const query = Object.fromEntries(new URLSearchParams(location.search));
  selected = query.turn ?? null;
  try {
    const fresh = (await load(query)).getElementById("side");
    finish(fresh);
    adopt(fresh);
  } catch {
    location.reload();
  }
}

// The address of a turn can be copied, survives a reload, and is left by going back.
async function showTurn(turn) {
  const query = { ...Object.fromEntries(new URLSearchParams(location.search)), turn };
  history.pushState(null, "", `?${new URLSearchParams(query)}`);
  await showAddress();
}

addEventListener("popstate", showAddress);

conversation.addEventListener("click", async (event) => {
  const bar = event.target.closest("button.bar");
  if (!bar) {
    return;
  }
  if (bar.dataset.turn === shownTurn()) {
    setOpen(!isOpen());
    return;
  }
  await showTurn(bar.dataset.turn);
  setOpen(true);
});
side.addEventListener("toggle", showExpanded, true);

// Earlier lines, when the reader comes near them.
function followEarlier() {
  const link = document.getElementById("earlier");
  if (!link) {
    return;
  }
  const observer = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting) {
      return;
    }
    observer.disconnect();
    const fresh = await load(new URL(link.href).searchParams);
    const part = fresh.getElementById("conversation");
    finish(part);
    const from = document.documentElement.scrollHeight;
    link.parentElement.replaceWith(...part.childNodes);
    window.scrollBy(0, document.documentElement.scrollHeight - from);
    showExpanded();
    followEarlier();
  });
  observer.observe(link);
}

// What was written since: the events say only which lines there are.
let isWaiting = false;
function follow(delay) {
  if (isWaiting) {
    return;
  }
  isWaiting = true;
  setTimeout(async () => {
    isWaiting = false;
    try {
      await refresh();
    } catch {
      announce("The server does not answer.");
      follow(RETRY_DELAY);
    }
  }, delay);
}

async function refresh() {
  // A turn that was selected may be above the page.
  const fresh = await load({});
  const panels = selected ? await load({ turn: selected }) : fresh;
  const part = fresh.getElementById("conversation");
  finish(part);
  finish(panels.getElementById("side"));
  keepEnd(() => {
    conversation.querySelector(":scope > p:not(.more)")?.remove();
    merge(conversation, part, true);
    replaceSide(panels.getElementById("side"));
  });
  const rows = side.querySelectorAll(".timeline > li");
  const last = rows[rows.length - 1]?.querySelector(".row")?.children ?? [];
  announce([...last].map((one) => one.textContent.trim()).join(" "));
}

// Takes over what is new beside the conversation; all of it if there are other panels now.
function replaceSide(fresh) {
  const panels = (root) => [...root.querySelectorAll(":scope > .panel")].map((one) => one.id).join();
  const [old, next] = [side, fresh].map((one) => one.querySelector(".timeline"));
  if (!old || !next || panels(side) !== panels(fresh)) {
    adopt(fresh);
    return;
  }
  merge(old, next);
  for (const part of [".graph", ".tree"]) {
    side.querySelector(part)?.replaceChildren(...fresh.querySelector(part).childNodes);
  }
  showExpanded();
}

finish(document);
// A session opens at its end, or at the turn of the address.
if (!location.hash && conversation.querySelectorAll(".turn").length > 1) {
  document.getElementById(`turn-${shownTurn()}`)?.scrollIntoView();
}
followEarlier();
if ("live" in work.dataset) {
  const { last, content } = work.dataset;
  const events = new EventSource(`${location.pathname}/events?${new URLSearchParams({ after: last, content })}`);
  events.addEventListener("message", () => follow(SETTLE_DELAY));
  events.addEventListener("state", ({ data }) => {
    if (work.dataset.state !== data) {
      work.dataset.state = data;
      follow(SETTLE_DELAY);
    }
  });
  events.addEventListener("replaced", () => {
    events.close();
    showReplaced();
  });
}
