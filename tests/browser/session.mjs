// A session: its conversation, its panels, its prompts.

import { strict as assert } from "node:assert";
import { check, context, home, page, storageState } from "./harness.mjs";

await check("a session is a conversation with its work beside it", async () => {
  await page.goto(`${home}/sessions/file.0?turn=2`);
  const badges = await page.locator("#board .badge").allTextContents();
  assert.deepEqual(badges, ["Executed", "Executed", "Failed", "Skipped", "No tool needed"]);
  const rows = await page.locator(".message .who").allTextContents();
  assert.ok(rows.includes("get_current_date · step 1 of 5") && rows.includes("list_orders · step 3 of 5 · failed"), rows.join());
  const bar = page.locator("button.bar").first();
  const text = (await bar.innerText()).replace(/\s+/g, " ");
  assert.match(text, /Arithmetic.*Failed.*get_current_date ×1.*run_js ×1.*417 ms.*1040 tokens, 90 % cached/);
  // In the zone of the reader, who has the exact time as a title.
  const berlin = await context({ storageState, timezoneId: "Europe/Berlin" });
  const tab = await berlin.newPage();
  await tab.goto(`${home}/sessions/file.0?turn=2`);
  assert.match(await tab.locator("button.bar time").first().textContent(), /22 Nov 2026, 10:00:00/);
  await berlin.close();
  await page.getByText("Guard notes").waitFor({ state: "attached" });
  const strong = page.locator(".markdown strong");
  assert.deepEqual(await strong.allTextContents(), ["5 days", "74.50"]);
});

await check("the details of a step have all that is known about it", async () => {
  const detail = page.locator("#details .detail", { hasText: "days" }).first();
  await detail.evaluate((one) => { one.open = true; });
  const titles = await detail.locator("h4").allTextContents();
  assert.deepEqual(titles, ["Code", "Arguments as sent", "Result", "Logs", "Guard notes"]);
  assert.match(await detail.innerText(), /12 ms[\s\S]*Date\.parse[\s\S]*from 2026-11-22[\s\S]*\[guard\] the timeout/);
  await page.goto(`${home}/sessions/file.0`);
  const last = page.locator("#details .detail").last();
  const own = await last.locator("h4").allTextContents();
  assert.deepEqual(own, ["Arguments as sent", "Arguments as the tool got them", "Result"]);
  assert.match(await last.innerText(), /Approval: granted: the user's answer/);
});

await check("a prompt is there as it was sent, layer by layer", async () => {
  await page.goto(`${home}/sessions/file.5`);
  await page.locator("#prompt > summary").click();
  const layers = page.locator("#prompt .layer");
  const names = await layers.locator("h4").allTextContents();
  assert.deepEqual(names, ["static", "dynamic", "buffered", "trigger"]);
  assert.equal(await layers.nth(3).locator("pre").textContent(), "[user]\nNote <b>one</b>\n");
  assert.match(await layers.nth(2).innerText(), /0 tokens/);
  assert.match(await layers.nth(0).locator("pre").textContent(), /"name": "note"/);
  const link = layers.nth(3).getByRole("link", { name: "The whole layer" });
  const whole = await page.request.get(new URL(await link.getAttribute("href"), home).href);
  assert.equal(await whole.text(), "[user]\nNote <b>one</b>\n");
});

await check("panels open and close together, by keyboard", async () => {
  await page.goto(`${home}/sessions/file.0?turn=2`);
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
  assert.deepEqual(await page.locator("#board .step strong").allTextContents(), ["list_orders"]);
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
