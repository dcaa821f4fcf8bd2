// A real Chromium that opens the pages. Each check prints its name once it has passed.

import { appendFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { strict as assert } from "node:assert";

const setup = JSON.parse(process.argv[2]);
const require = createRequire(`${setup.modules}/check.js`);
const { chromium } = require("playwright-core");
const { AxeBuilder } = require("@axe-core/playwright");

const origin = new URL(setup.url).origin;
const browser = await chromium.launch({ executablePath: setup.chromium, args: ["--no-sandbox"] });
const problems = [];

// A context that notes whatever a page must not do.
async function context(options = {}) {
  const made = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB", ...options });
  made.setDefaultTimeout(8_000);
  made.on("page", (page) => {
    page.on("request", (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) {
        problems.push(`a request to ${request.url()}`);
      }
    });
    page.on("dialog", (dialog) => {
      problems.push(`a dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on("pageerror", (error) => problems.push(`an error: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error" && !/ERR_|status of 40[14]/.test(message.text())) {
        problems.push(`console: ${message.text()}`);
      }
    });
  });
  return made;
}

async function check(name, work) {
  try {
    await work();
    assert.deepEqual(problems, []);
  } catch (error) {
    console.log(`FAILED ${name}: ${error.message}`);
    problems.length = 0;
    return;
  }
  console.log(`ok ${name}`);
}

async function axe(page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`);
  assert.deepEqual(found, []);
}

const first = await context();
const page = await first.newPage();
await page.goto(setup.url);
const cookies = await first.cookies();
const state = { cookies, origins: [] };
const pages = ["/sessions", "/sessions/file.0", "/tools", "/tools/order", "/tools/publish", "/nothing"];

await check("the token becomes a cookie that scripts cannot read", async () => {
  assert.equal(page.url(), `${origin}/`);
  assert.deepEqual(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite]), [[true, "Strict"]]);
  assert.equal(await page.evaluate(() => document.cookie), "");
  const refused = await (await context()).newPage();
  await refused.goto(setup.url);
  assert.equal(await refused.locator("h1").textContent(), "No access");
});

for (const [name, options] of [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["forced colours", { forcedColors: "active" }],
]) {
  await check(`axe finds nothing: ${name}`, async () => {
    const own = await context({ storageState: state, ...options });
    for (const path of pages) {
      const tab = await own.newPage();
      await tab.goto(origin + path);
      if (path === "/tools/order") {
        await tab.getByRole("button", { name: "Example 1" }).click();
        await tab.getByLabel(/^count/).fill("99");
        await tab.getByText("must be at most 9").waitFor();
      }
      await axe(tab);
    }
    await own.close();
  });
}

await check("a session is a conversation with its work beside it", async () => {
  await page.goto(`${origin}/sessions/file.0?turn=2`);
  const badges = await page.locator("#board .badge").allTextContents();
  assert.deepEqual(badges, ["Executed", "Executed", "Failed", "Skipped", "No tool needed"]);
  const rows = await page.locator(".message .who").allTextContents();
  assert.ok(rows.includes("Step 1/5 · Result") && rows.includes("Step 3/5 · Error"), rows.join());
  const bar = page.locator("button.bar").first();
  const text = (await bar.innerText()).replace(/\s+/g, " ");
  assert.match(text, /Arithmetic.*Failed.*get_current_date ×1.*run_js ×1.*417 ms.*1040 tokens, 90 % cached/);
  await page.getByText("Guard notes").waitFor({ state: "attached" });
  const strong = page.locator(".markdown strong");
  assert.deepEqual(await strong.allTextContents(), ["5 days", "74.50"]);
});

await check("panels open and close together, by keyboard", async () => {
  const bars = page.locator("button.bar");
  const open = () => page.evaluate(() => ["log", "details"].map((id) => document.getElementById(id).open));
  await bars.first().focus();
  assert.deepEqual(await open(), [true, true]);
  assert.equal(await bars.first().getAttribute("aria-expanded"), "true");
  await page.keyboard.press("Enter");
  assert.deepEqual(await open(), [false, false]);
  assert.equal(await bars.first().getAttribute("aria-expanded"), "false");
  await bars.nth(1).focus();
  await page.keyboard.press("Space");
  await page.locator("#board .badge").nth(1).waitFor({ state: "detached" });
  assert.deepEqual(await open(), [true, true]);
  assert.deepEqual(await page.locator("#board .step strong").allTextContents(), ["15.1"]);
  assert.ok(await bars.nth(1).evaluate((bar) => bar === document.activeElement));
});

await check("the border moves by keyboard and by mouse, from 280 to 640 pixels", async () => {
  const border = page.getByRole("separator");
  const width = async () => [
    Number(await border.getAttribute("aria-valuenow")),
    await page.locator("#side").evaluate((side) => side.getBoundingClientRect().width),
  ];
  await border.focus();
  for (const [key, expected] of [
    ["Home", 280], ["ArrowRight", 280], ["ArrowLeft", 296], ["End", 640], ["ArrowLeft", 640],
    ["ArrowRight", 624], ["Enter", 416],
  ]) {
    await page.keyboard.press(key);
    assert.deepEqual(await width(), [expected, expected], key);
  }
  const box = await border.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x - 88, box.y + 100);
  const [dragged] = await width();
  assert.ok(Math.abs(dragged - 516) <= 2, String(dragged));
  await page.mouse.move(20, box.y + 100);
  await page.mouse.up();
  assert.deepEqual(await width(), [640, 640]);
  await page.keyboard.press("Enter");
});

await check("a tool is called by keyboard alone", async () => {
  await page.goto(`${origin}/tools/order`);
  await page.getByRole("button", { name: "Call" }).waitFor();
  const tabTo = async (name) => {
    for (let step = 0; step < 60; step += 1) {
      await page.keyboard.press("Tab");
      const label = await page.evaluate(() => {
        const active = document.activeElement;
        return active.labels?.[0]?.textContent ?? active.textContent;
      });
      if (label.startsWith(name)) return;
    }
    throw new Error(`${name} is not reached`);
  };
  await tabTo("kind");
  await page.keyboard.press("ArrowDown");
  await tabTo("count");
  await page.keyboard.type("12");
  await page.getByText("must be at most 9, got 12").waitFor();
  assert.equal(await page.getByLabel(/^count/).getAttribute("aria-invalid"), "true");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("3");
  await tabTo("street");
  await page.keyboard.type("Main");
  await tabTo("Add notes");
  await page.keyboard.press("Enter");
  await page.keyboard.type("soon");
  await tabTo("Call");
  await page.locator(".violations li").first().waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  const result = page.getByRole("region", { name: "Result as text" });
  await result.waitFor();
  assert.equal(await result.textContent(), "# 3 of book to Main\n \n- soon\n");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Call");
  await page.getByRole("button", { name: "As Markdown" }).click();
  assert.equal(await page.locator("#result .markdown li").textContent(), "soon");
});

await check("nullable, alternative and nested parameters have fields", async () => {
  await page.goto(`${origin}/tools/shapes`);
  await page.getByRole("button", { name: "Example 1" }).click();
  await page.getByRole("button", { name: "Call" }).click();
  const result = page.getByRole("region", { name: "Result as text" });
  await result.waitFor();
  const expected = '{"at":{"city":"Oslo"},"limit":null,"deep":[{"on":true}]}';
  assert.equal(await result.textContent(), expected);
});

await check("examples run from the page", async () => {
  await page.goto(`${origin}/tools/order`);
  await page.getByRole("button", { name: "Run the examples" }).click();
  await page.getByText("order: failed").waitFor();
  assert.match(await page.locator(".report").innerText(), /1: failed .*does not exist/s);
});

for (const [name, options] of [
  ["320 pixels wide", { viewport: { width: 320, height: 640 } }],
  ["200 % zoom", { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
]) {
  await check(`nothing is cut off: ${name}`, async () => {
    const own = await context({ storageState: state, ...options });
    for (const path of pages) {
      const tab = await own.newPage();
      await tab.goto(origin + path);
      const wide = await tab.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${path}: ${wide} pixels too wide`);
      const small = await tab.evaluate(() =>
        [...document.querySelectorAll("button, summary, .top a, input, select")]
          .filter((one) => one.offsetParent && one.getBoundingClientRect().height < 24)
          .map((one) => one.outerHTML));
      assert.deepEqual(small, [], path);
    }
    await own.close();
  });
}

await check("nothing moves for those who do not want it", async () => {
  const animation = async (reducedMotion) => {
    const own = await context({ storageState: state, reducedMotion });
    const tab = await own.newPage();
    await tab.goto(`${origin}/sessions/file.2`);
    const badge = tab.locator("#board .badge.executing").first();
    return badge.evaluate((one) => getComputedStyle(one, "::before").animationName);
  };
  assert.equal(await animation("no-preference"), "pulse");
  assert.equal(await animation("reduce"), "none");
});

await check("without scripts the whole run is there", async () => {
  const own = await context({ storageState: state, javaScriptEnabled: false });
  const tab = await own.newPage();
  await tab.goto(`${origin}/sessions/file.0`);
  await tab.locator("a.bar").first().click();
  assert.deepEqual(await tab.locator("#board .badge").count(), 5);
  assert.ok(await tab.getByText("the database does not answer").first().isVisible());
  assert.ok(await tab.getByText("Together they amount to").isVisible());
});

await check("hostile content is inert", async () => {
  for (const path of ["/sessions", "/sessions/file.1", "/sessions/file.1?turn=3", "/tools/evil"]) {
    await page.goto(origin + path);
    assert.equal(await page.locator("main script, main img, main a[href^='javascript']").count(), 0);
    assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
    assert.doesNotMatch(await page.content(), /[\u202e\u001b]/);
  }
  await page.goto(`${origin}/tools/evil`);
  await page.getByRole("button", { name: "Call" }).click();
  await page.getByRole("button", { name: "As Markdown" }).click();
  assert.equal(await page.locator("#result a, #result img, #result script").count(), 0);
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
});

await check("ten megabytes of a result are a link away", async () => {
  await page.goto(`${origin}/sessions/file.1`);
  assert.ok((await page.content()).length < 400_000);
  const link = page.getByRole("link", { name: "The whole line" });
  const whole = await page.request.get(origin + (await link.getAttribute("href")));
  assert.ok((await whole.body()).length > 10_000_000);
  assert.equal(whole.headers()["content-type"], "text/plain; charset=utf-8");
});

await check("a long session opens in under a second and scrolls to its beginning", async () => {
  const start = performance.now();
  await page.goto(`${origin}/sessions/file.3`);
  await page.getByText("Answer 99998").waitFor();
  const took = performance.now() - start;
  assert.ok(took < 1000, `${took} ms`);
  for (let part = 0; part < 3; part += 1) {
    const turns = await page.locator(".turn").count();
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForFunction((count) => document.querySelectorAll(".turn").length > count, turns);
  }
  assert.equal(await page.locator("#turn-98802").count(), 1);
  const keys = await page.locator(".turn").evaluateAll((all) => all.map((one) => one.dataset.key));
  assert.equal(new Set(keys).size, keys.length);
});

await check("a session is followed, and focus and panels stay", async () => {
  await page.goto(`${origin}/sessions/file.2`);
  const border = page.getByRole("separator");
  await border.focus();
  await page.locator("#prompt summary").first().waitFor();
  appendFileSync(setup.live, `${setup.lines[0]}\n`);
  await page.getByText("Step 1/1 · Result").waitFor();
  assert.deepEqual(await page.locator("#board .badge").allTextContents(), ["Executed"]);
  assert.ok(await border.evaluate((one) => one === document.activeElement));
  await page.waitForFunction(() => document.getElementById("status").textContent.includes("done"));
  // What is written while the connection is broken comes when it is back.
  await first.setOffline(true);
  appendFileSync(setup.live, `${setup.lines[1]}\n`);
  await new Promise((done) => setTimeout(done, 500));
  await first.setOffline(false);
  await page.getByText("It is late.").waitFor({ timeout: 20_000 });
  appendFileSync(setup.live, `${setup.lines[2]}\n`);
  await page.locator("button.bar .badge", { hasText: "Executed" }).waitFor();
});

await check("a question is answered by keyboard, and the page goes on", async () => {
  await page.goto(`${origin}/sessions/file.4`);
  await axe(page);
  const nodes = page.getByRole("region", { name: "Graph of publish" }).locator("g.node");
  assert.deepEqual(await nodes.allTextContents(), ["confirmWaiting", "lasttext"]);
  const input = page.getByLabel("Answer: Publish it?");
  await input.focus();
  await page.keyboard.type("yes");
  await page.keyboard.press("Enter");
  await page.locator(".message.step", { hasText: "it: yes" }).waitFor();
  await page.waitForFunction(() => document.activeElement.id === "next");
  await page.locator(".question").waitFor({ state: "detached" });
  await page.locator("g.node.executed").nth(1).waitFor();
  assert.deepEqual(await nodes.allTextContents(), ["confirmExecuted", "lastExecuted"]);
  // What fails says why, and what was typed stays.
  await page.keyboard.type("Go on");
  await page.keyboard.press("Control+Enter");
  await page.locator("#failures .failure").first().waitFor();
  assert.equal(await page.getByLabel("Next message").inputValue(), "Go on");
  assert.equal(await page.evaluate(() => document.activeElement.id), "next");
  await axe(page);
});

await check("a list of tools is loaded again when files change", async () => {
  await page.goto(`${origin}/tools`);
  await page.getByRole("link", { name: "order" }).waitFor();
  await new Promise((done) => setTimeout(done, 1500));
  writeFileSync(setup.newTool, "name: fresh\ndescription: New\nimplementation: x\n");
  await page.getByRole("link", { name: "fresh" }).waitFor();
});

for (const colorScheme of ["light", "dark"]) {
  const own = await context({ storageState: state, colorScheme, timezoneId: "Europe/Berlin" });
  const tab = await own.newPage();
  await tab.goto(`${origin}/sessions/file.0?turn=2`);
  await tab.getByText("Guard notes").waitFor({ state: "attached" });
  await tab.screenshot({ path: `${setup.pictures}/ui-${colorScheme}.png` });
}
await browser.close();
