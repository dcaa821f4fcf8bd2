// What happens while a page is open: runs, questions, messages, another file.

import { strict as assert } from "node:assert";
import { appendFileSync, readFileSync, renameSync } from "node:fs";
import { axe, check, context, first, home, page, pause, setup, storageState, writer } from "./harness.mjs";

const isDisabled = (control) => control.evaluate((one) =>
  one.getAttribute("aria-disabled") === "true" && (one.readOnly ?? true));

await check("a session is followed, and focus and panels stay", async () => {
  const process = await writer(setup.live);
  await page.goto(`${home}/sessions/file.2`);
  const border = page.getByRole("separator");
  const calls = page.locator(".calls", { hasText: "clock" });
  await calls.locator(".mark.executing").waitFor();
  await calls.locator("summary").click();
  await border.focus();
  appendFileSync(setup.live, `${setup.lines[0]}\n`);
  await calls.locator(".mark.executed").waitFor();
  // What was opened stays open.
  assert.ok(await calls.getByText("23:00").isVisible());
  assert.deepEqual(await page.locator(".timeline .kind-step .badge").allTextContents(), ["Executed"]);
  assert.ok(await border.evaluate((one) => one === document.activeElement));
  await page.waitForFunction(() => document.getElementById("status").textContent.includes("clock Executed"));
  // A reader who is elsewhere is told what is below.
  const small = await (await context({ storageState, viewport: { width: 1280, height: 320 } })).newPage();
  await small.goto(`${home}/sessions/file.2`);
  await small.locator(".calls .mark.executed").waitFor();
  await small.evaluate(() => scrollTo(0, 0));
  // What is written while the connection is broken comes when it is back.
  await first.setOffline(true);
  appendFileSync(setup.live, `${setup.lines[1]}\n`);
  await pause(500);
  await first.setOffline(false);
  await page.getByText("It is late.").waitFor({ timeout: 20_000 });
  const below = small.getByRole("button", { name: "New messages below" });
  await below.click();
  await below.waitFor({ state: "hidden" });
  assert.ok(await small.evaluate(() => scrollY > 0));
  await small.context().close();
  // Nothing can be sent while a turn runs, whatever process runs it, and the focus stays.
  const next = page.getByLabel("Next message");
  await next.focus();
  assert.ok(await isDisabled(next));
  assert.ok(await isDisabled(page.getByLabel("Model", { exact: true })));
  await page.keyboard.type("Now?");
  await page.keyboard.press("Control+Enter");
  assert.equal(await next.inputValue(), "");
  assert.equal(await page.locator("#status").textContent(), "A turn runs.");
  await axe(page, "a turn that runs");
  appendFileSync(setup.live, `${setup.lines[2]}\n`);
  await page.locator("button.bar .badge", { hasText: "Executed" }).waitFor();
  await page.waitForFunction(() => document.activeElement.id === "next" && !document.activeElement.readOnly);
  assert.ok(!(await isDisabled(next)));
  await process.end();
});

await check("a run whose process is gone is interrupted, and the next message may be sent", async () => {
  const process = await writer(setup.killed);
  await page.goto(`${home}/sessions/file.7`);
  const next = page.getByLabel("Next message");
  await page.locator(".kind-step .badge", { hasText: "Executing" }).waitFor();
  await page.waitForFunction(() => document.getElementById("next").readOnly);
  await next.focus();
  await process.end();
  await page.locator(".kind-step .badge", { hasText: "Interrupted" }).waitFor();
  await page.waitForFunction(() => !document.getElementById("next").readOnly);
  assert.equal(await page.evaluate(() => document.activeElement.id), "next");
});

await check("a question is answered by keyboard, and the page goes on", async () => {
  await page.goto(`${home}/sessions/file.4`);
  const nodes = page.getByRole("region", { name: "Graph of publish" }).locator("g.node");
  assert.deepEqual(await nodes.allTextContents(), ["confirmWaiting", "lastPlanned"]);
  const input = page.getByLabel("Answer: Publish it?");
  await input.focus();
  await page.keyboard.type("yes");
  await page.keyboard.press("Enter");
  await page.locator(".message.answer, .message.model", { hasText: "it: yes" }).waitFor();
  await page.waitForFunction(() => document.activeElement.id === "next");
  await page.locator(".question").waitFor({ state: "detached" });
  await page.locator("g.node.executed").nth(1).waitFor();
  assert.deepEqual(await nodes.allTextContents(), ["confirmExecuted", "lastExecuted"]);
  await page.waitForFunction(() => !document.activeElement.readOnly);
  // What fails says why, and what was typed stays.
  await page.keyboard.type("Go on");
  await page.keyboard.press("Control+Enter");
  await page.locator("#failures .failure").first().waitFor();
  assert.equal(await page.getByLabel("Next message").inputValue(), "Go on");
  assert.equal(await page.evaluate(() => document.activeElement.id), "next");
  await axe(page, "a message that failed");
});

await check("a call is allowed by keyboard, and a message goes to a chosen model", async () => {
  await page.goto(`${home}/sessions/file.5`);
  const allow = page.getByRole("button", { name: /^Allow note/ });
  await page.getByRole("button", { name: /^Always allow note/ }).waitFor();
  await page.waitForFunction(() => !document.querySelector(".question .actions button").disabled);
  await allow.focus();
  await page.keyboard.press("Enter");
  await page.getByText("Noted.").waitFor();
  await page.locator(".question").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement.id === "next" && !document.activeElement.readOnly);
  // Its prompt has come, too.
  await page.locator(".timeline .kind-request").nth(1).waitFor({ state: "attached" });
  await page.keyboard.type("Again");
  await page.keyboard.press("Tab");
  await page.keyboard.type("gemini-2.5-pro");
  await page.keyboard.press("Enter");
  await page.getByText("Of another model.").waitFor();
  await page.getByText("To gemini-2.5-pro").first().waitFor({ state: "attached" });
  await page.waitForFunction(() => document.getElementById("next").value === "");
  assert.doesNotMatch(await page.content(), /a-key-for-tests/);
  assert.deepEqual(await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage)]), [[], ["cogtools-side"]]);
});

await check("a program is edited, asked about again, and run", async () => {
  await page.goto(`${home}/sessions/file.9`);
  const press = async (name) => {
    await page.waitForFunction(() => !document.querySelector(".question .actions button").disabled);
    await page.getByRole("button", { name, exact: true }).click();
  };
  await page.locator(".question .program", { hasText: "first" }).waitFor();
  await press("Edit");
  await axe(page, "a question about a program");
  await page.locator(".question textarea").fill("return tools.note({text: 'other'})");
  await press("Ask about this program");
  await page.locator(".question .program", { hasText: "other" }).waitFor();
  assert.equal(await page.locator(".question").count(), 1);
  await page.waitForFunction(() => document.getElementById("running").hidden);
  await press("Run");
  await page.getByText("It ran.").waitFor();
  await page.locator(".question").waitFor({ state: "detached" });
  assert.deepEqual(await page.locator(".timeline .inner strong").allTextContents(), ["note"]);
});

await check("another session in the same file is shown, and what was typed stays", async () => {
  await page.goto(`${home}/sessions/file.8`);
  await page.getByText("What is old?").first().waitFor();
  renameSync(setup.swap[0], setup.swap[2]);
  await page.getByText("What is new?").first().waitFor();
  await page.getByLabel("Next message").fill("Not lost");
  renameSync(setup.swap[1], setup.swap[2]);
  await page.getByRole("button", { name: "Load the page again" }).waitFor();
  assert.equal(await page.getByLabel("Next message").inputValue(), "Not lost");
  await axe(page, "another session");
  await page.getByRole("button", { name: "Load the page again" }).click();
  await page.getByText("What is next?").first().waitFor();
});

await check("the address names the turn, and going back leads to the one before", async () => {
  await page.goto(`${home}/sessions/file.0?turn=2`);
  await page.locator("button.bar").nth(1).click();
  await page.waitForURL(/turn=15/);
  await page.locator(".kind-step .badge").nth(1).waitFor({ state: "detached" });
  await page.goBack();
  await page.locator(".kind-step .badge").nth(4).waitFor();
  assert.match(page.url(), /turn=2$/);
});

await check("a session opens at its end", async () => {
  await page.goto(`${home}/sessions/file.3`);
  await page.waitForFunction(() => scrollY > 0);
  assert.ok(await page.locator(".turn").last().evaluate((one) => one.getBoundingClientRect().top < innerHeight));
});

await check("only fields that were touched turn red, and the call is shown as a command", async () => {
  await page.goto(`${home}/tools/order`);
  await page.getByLabel(/^count/).fill("12");
  await page.getByText("must be at most 9, got 12").waitFor();
  assert.equal(await page.locator("[aria-invalid=true]").count(), 1);
  await page.getByLabel("Send street as an empty text").check();
  const command = page.locator("#command pre", { hasText: `'to:={"street":""}'` });
  await command.waitFor();
  assert.match(await command.textContent(), /^cogtools run order count:=12 /);
});

await check("the list of sessions is live, searched over all texts, and says what waits", async () => {
  await page.goto(`${home}/sessions`);
  const states = page.locator(".card", { hasText: "What is next?" }).locator(".mark");
  assert.equal(await states.textContent(), "completed");
  const line = { id: 3, parent: 2, time: "2026-11-22T09:01:00.000Z", kind: "task", parts: [{ text: "More" }] };
  appendFileSync(setup.swap[2], `${JSON.stringify(line)}\n`);
  await page.waitForFunction(() => [...document.querySelectorAll(".card .mark")].some((one) => one.closest(".card").textContent.includes("What is next?") && one.textContent === "interrupted"));
  await page.getByLabel("Search all sessions").fill("amount to 74.50 tool:list_orders");
  await page.keyboard.press("Enter");
  await page.getByText("1 of ").waitFor();
  assert.deepEqual(await page.locator(".card h2").allTextContents(), ["How many days are left until the sale, and what is the total of the open orders?"]);
  await axe(page, "a search with a result");
});

await check("a session is begun, goes on from any message, and a call becomes an example", async () => {
  await page.goto(`${home}/sessions`);
  await page.getByLabel("Begin a session").fill("Begin here");
  await page.getByRole("button", { name: "Begin" }).click();
  await page.waitForURL(/sessions\/[0-9a-f]{10}$/);
  await page.getByText("Begun.").waitFor();
  await page.waitForFunction(() => document.getElementById("running").hidden);
  await page.getByLabel("Next message").fill("Then this");
  await page.keyboard.press("Control+Enter");
  await page.getByText("The first way.").waitFor();
  await page.waitForFunction(() => document.getElementById("running").hidden);
  assert.equal(await page.locator("#branches").count(), 0);
  await page.getByRole("button", { name: /^Edit and send again/ }).nth(1).click();
  assert.equal(await page.getByLabel("Next message").inputValue(), "Then this");
  await page.getByLabel("Next message").fill("Then that");
  await axe(page, "a branch");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("The second way.").waitFor();
  await page.locator("#branches").waitFor();
  assert.deepEqual(await page.locator(".tree li").allTextContents(), ["Begin here", "Then this left", "Then that"]);
  assert.ok(await page.locator(".turn.left", { hasText: "The first way." }).count());
  await page.goto(`${home}/sessions/file.5?turn=2`);
  await page.locator(".timeline .kind-step > details").first().evaluate((one) => { one.open = true; });
  await page.getByRole("button", { name: /^Make it an example/ }).first().click();
  await page.getByText("The file of note has it.").waitFor();
  assert.match(readFileSync(setup.note, "utf8"), /^examples: \[\{text: one\}\]$/m);
});

await check("the end of the server is said on an open page", async () => {
  const tab = await first.newPage();
  await tab.goto(setup.secondUrl);
  await tab.getByText("This project has no sessions.").waitFor();
  process.kill(setup.secondId);
  await tab.getByText("The server has ended").waitFor({ timeout: 2_500 });
  assert.match(await tab.locator("#gone").innerText(), /cogtools ui/);
  await axe(tab, "a server that has ended");
  await tab.close();
});
