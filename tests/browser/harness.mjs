// A real Chromium, and what every check needs.

import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
import { strict as assert } from "node:assert";

export const setup = JSON.parse(process.argv[2]);
const require = createRequire(`${setup.modules}/check.js`);
const { chromium } = require("playwright-core");
const { AxeBuilder } = require("@axe-core/playwright");

export const origin = new URL(setup.url).origin;
export const browser = await chromium.launch({ executablePath: setup.chromium, args: ["--no-sandbox"] });
const problems = [];

// A context that notes whatever a page must not do.
export async function context(options = {}) {
  const made = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB", ...options });
  made.setDefaultTimeout(20_000);
  made.on("page", (page) => {
    page.on("request", (request) => {
      if (![origin, new URL(setup.emptyUrl).origin, new URL(setup.secondUrl).origin].some((one) => request.url().startsWith(one)) && !request.url().startsWith("data:")) {
        problems.push(`a request to ${request.url()}`);
      }
    });
    page.on("dialog", (dialog) => {
      problems.push(`a dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on("pageerror", (error) => problems.push(`an error: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error" && !/ERR_|status of 4(01|04|22)/.test(message.text())) {
        problems.push(`console: ${message.text()}`);
      }
    });
  });
  return made;
}

// Prints the name of a check once it has passed.
export async function check(name, work) {
  const start = performance.now();
  try {
    await work();
    assert.deepEqual(problems, []);
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`FAILED ${name}: ${error.message}`);
    problems.length = 0;
  }
  appendFileSync(`${setup.pictures}/times.txt`, `${Math.round(performance.now() - start)} ms ${name}\n`);
}

// Nothing is in a frame, so that the page itself is all there is.
function builder(page, part) {
  const made = new AxeBuilder({ page }).setLegacyMode(true);
  return part ? made.include(part) : made;
}

async function violations(rules) {
  const { violations } = await rules.analyze();
  return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`);
}

// The rules that colours can break.
const colours = (page, part) =>
  violations(builder(page, part).withRules(["color-contrast", "link-in-text-block"]));

// All rules in light, and those about colours in dark, for the page or a part of it.
export async function axe(page, state, part) {
  await page.emulateMedia({ colorScheme: "light" });
  const light = await violations(builder(page, part));
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await colours(page, part);
  await page.emulateMedia({ colorScheme: "light" });
  assert.deepEqual({ light, dark }, { light: [], dark: [] }, state);
}

export async function axeColours(page, state) {
  assert.deepEqual(await colours(page), [], state);
}

export const first = await context();
export const page = await first.newPage();
await page.goto(setup.url);
// The secret path of the pages.
export const home = page.url().replace(/\/$/, "");
export const cookies = await first.cookies(home);
export const storageState = { cookies, origins: [] };

export function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

// A process that writes to the session, as one in a terminal does. It ends when it is killed.
export async function writer(file) {
  const made = spawn("flock", ["--no-fork", "-x", file, "sleep", "100"], { stdio: "ignore" });
  const ended = new Promise((done) => made.on("exit", done));
  await pause(200);
  return { end: () => made.kill() && ended };
}
