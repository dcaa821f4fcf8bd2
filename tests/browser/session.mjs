// A session: its conversation, its panels, its prompts.

import { strict as assert } from "node:assert";
import { axe, check, context, first, home, page, storageState } from "./harness.mjs";

await check("a session is a conversation with its timeline beside it", async () => {
  await page.goto(`${home}/sessions/file.0?turn=2`);
  assert.equal(await page.locator("h1").textContent(), "How many days are left until the sale, and what is the total of the open orders?");
  assert.match(await page.title(), /^\(\d\) How many days are left/);
  const badges = await page.locator(".timeline .kind-step .badge").allTextContents();
  assert.deepEqual(badges, ["Executed", "Executed", "Failed", "Skipped", "No tool needed"]);
  // The calls are one line, which opens in place.
  const calls = page.locator(".turn .calls").first();
  const line = async () => (await calls.locator("summary").first().innerText()).replace(/\s+/g, " ");
  assert.equal(await line(), "get_current_date, run_js list_orders failed 431 ms");
  assert.ok(!(await calls.getByText("list_orders · step 3 of 5 · failed").isVisible()));
  await calls.locator("summary").first().click();
  assert.ok(await calls.getByText("list_orders · step 3 of 5 · failed").isVisible());
  const bar = page.locator("button.bar").first();
  const text = (await bar.innerText()).replace(/\s+/g, " ");
  assert.match(text, /Arithmetic.*Failed.*1.6 s.*1040 tokens, 90 % cached/);
  // In the zone of the reader, who has the exact time as a title. The date is there once.
  const berlin = await context({ storageState, timezoneId: "Europe/Berlin" });
  const tab = await berlin.newPage();
  await tab.goto(`${home}/sessions/file.0?turn=2`);
  assert.deepEqual(await tab.locator(".who time").allTextContents(), ["22 Nov 2026, 10:00:00", "10:02:10"]);
  await berlin.close();
  await page.getByText("Guard notes").waitFor({ state: "attached" });
  const strong = page.locator(".markdown strong");
  assert.deepEqual(await strong.allTextContents(), ["5 days", "74.50"]);
  // The answer is the largest text of its turn.
  const size = (place) => page.locator(place).last().evaluate((one) => parseFloat(getComputedStyle(one).fontSize));
  assert.ok((await size(".answer .text")) > (await size(".user .text")));
});

await check("the timeline has times, tokens and all that is known about each step", async () => {
  const row = (text) => page.locator(".timeline > li", { hasText: text }).first();
  const request = (await row("Request 1").locator("summary").first().innerText()).replace(/\s+/g, " ");
  assert.match(request, /Request 1 1040 tokens, 90 % cached 1\.1 s \+10 ms/);
  const place = (text) => row(text).locator("rect").first().evaluate((one) => [one.x.baseVal.value, one.width.baseVal.value]);
  const [first, second] = [await place("Request 1"), await place("list_orders")];
  assert.ok(first[0] < 200 && first[1] > 6000 && second[0] > 7000, JSON.stringify([first, second]));
  const step = page.locator(".timeline > li", { hasText: "Step 2" });
  await step.locator("details").first().evaluate((one) => { one.open = true; });
  const titles = await step.locator("h3").allTextContents();
  assert.deepEqual(titles, ["Code", "Arguments as sent", "Result", "Logs", "Guard notes"]);
  assert.match(await step.innerText(), /12 ms[\s\S]*Date\.parse[\s\S]*from 2026-11-22[\s\S]*\[guard\] the timeout/);
  await page.goto(`${home}/sessions/file.0`);
  const last = page.locator(".timeline .kind-step").last();
  await last.locator("details").first().evaluate((one) => { one.open = true; });
  const own = await last.locator("h3").allTextContents();
  assert.deepEqual(own, ["Arguments as sent", "Arguments as the tool got them", "Result"]);
  assert.match(await last.innerText(), /approval: granted: the user's answer/);
});

await check("a prompt is there as it was sent, layer by layer, with what has changed", async () => {
  await page.goto(`${home}/sessions/file.5`);
  const layers = page.locator(".kind-request").first().locator(".layer");
  await page.locator(".kind-request > details").first().evaluate((one) => { one.open = true; });
  const names = await layers.locator("h3").allTextContents();
  assert.deepEqual(names, ["static", "dynamic", "buffered", "trigger"]);
  assert.equal(await layers.nth(3).locator("pre").textContent(), "[user]\nNote <b>one</b>\n");
  assert.match(await layers.nth(2).innerText(), /0 tokens/);
  assert.match(await layers.nth(0).locator("pre").textContent(), /"name": "note"/);
  const link = layers.nth(3).getByRole("link", { name: "The whole layer" });
  const whole = await page.request.get(new URL(await link.getAttribute("href"), home).href);
  assert.equal(await whole.text(), "[user]\nNote <b>one</b>\n");
});

await check("the timeline opens and closes with the line of its turn, by keyboard", async () => {
  await page.goto(`${home}/sessions/file.0?turn=2`);
  const bars = page.locator("button.bar");
  const open = () => page.evaluate(() => document.getElementById("timeline").open);
  await bars.first().focus();
  assert.ok(await open());
  assert.equal(await bars.first().getAttribute("aria-expanded"), "true");
  await page.keyboard.press("Enter");
  assert.ok(!(await open()));
  assert.equal(await bars.first().getAttribute("aria-expanded"), "false");
  await bars.nth(1).focus();
  await page.keyboard.press("Space");
  await page.locator(".selected", { hasText: "line 15" }).waitFor();
  assert.ok(await open());
  assert.deepEqual(await page.locator(".timeline .kind-step strong").allTextContents(), ["list_orders"]);
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

await check("keys lead through a page, and can be turned off", async () => {
  await page.goto(`${home}/sessions/file.0?turn=2`);
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
  await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
  await page.keyboard.press("j");
  assert.equal(await focused(), "turn-2");
  await page.keyboard.press("j");
  assert.equal(await focused(), "turn-15");
  await page.keyboard.press("k");
  assert.equal(await focused(), "turn-2");
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await help.waitFor();
  await axe(page, "the keys", "dialog");
  await help.getByLabel("These keys are on").uncheck();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("?");
  assert.equal(await help.count(), 0);
  await page.getByRole("button", { name: "Keys" }).click();
  await help.getByLabel("These keys are on").check();
  await help.getByRole("button", { name: "Close" }).click();
  await page.goto(`${home}/sessions`);
  await page.keyboard.press("/");
  assert.equal(await focused(), "q");
  // What is typed is typed.
  await page.keyboard.type("a?j/");
  assert.equal(await page.locator("#q").inputValue(), "a?j/");
  // The key only leads to the question; a yes is another key.
  await page.goto(`${home}/sessions/file.5`);
  await page.locator(".question .actions").waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("a");
  await page.waitForFunction(() => document.activeElement.matches(".question .main"));
  assert.match(await page.locator("#status").textContent(), /^Press Enter: Allow note/);
  assert.equal(await page.locator(".question").count(), 1);
});

await check("every block is copied", async () => {
  await first.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${home}/sessions/file.0`);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const step = page.locator(".timeline .kind-step > details").last();
  await step.evaluate((one) => { one.open = true; });
  await step.locator(".json + .copy").nth(1).click();
  assert.deepEqual(JSON.parse(await clipboard()), { state: "open", limit: 20 });
  await page.locator(".answer .copy").last().click();
  assert.match(await clipboard(), /^The sale is in 5 days\. Three orders/);
  const blocks = await page.locator("pre, .json, .message .text").evaluateAll((all) =>
    all.filter((one) => !one.parentElement.closest("pre, .json, .message .text")).length);
  assert.equal(await page.locator(".copy").count(), blocks);
});
