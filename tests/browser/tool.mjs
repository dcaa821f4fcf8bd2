// Tools: the list, forms, calls, examples.

import { strict as assert } from "node:assert";
import { writeFileSync } from "node:fs";
import { check, home, page, pause, setup } from "./harness.mjs";

await check("tools are searched by keyboard, and say what they cost", async () => {
  await page.goto(`${home}/tools`);
  const heads = await page.locator("thead th").allTextContents();
  assert.deepEqual(heads, ["Tool", "Source", "Tokens", "Approval", "Tests", "Findings"]);
  const cells = page.locator("tbody tr", { hasText: "Orders" }).locator("td");
  assert.match((await cells.allInnerTexts()).join(" | "),
    /^tools\/order\.yaml \| \d+ \| needs none \| Not run 1 example, 0 with a golden file \| [1-9]/);
  await page.getByRole("searchbox").focus();
  await page.keyboard.type("alternat");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=alternat/);
  assert.deepEqual(await page.locator("tbody th a").allTextContents(), []);
  await page.goto(`${home}/tools?q=SHAPES`);
  assert.deepEqual(await page.locator("tbody th a").allTextContents(), ["shapes"]);
});

await check("a tool is called by keyboard alone", async () => {
  await page.goto(`${home}/tools/order`);
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
  const count = page.locator(".field", { has: page.getByLabel(/^count/) }).last();
  assert.match(await count.innerText(), /1 to 9\s+must be at most 9, got 12/);
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
  await page.goto(`${home}/tools/shapes`);
  await page.getByRole("button", { name: "Example 1" }).click();
  await page.getByRole("button", { name: "Call" }).click();
  const result = page.getByRole("region", { name: "Result as text" });
  await result.waitFor();
  const expected = '{"at":{"city":"Oslo"},"limit":null,"deep":[{"on":true}]}';
  assert.equal(await result.textContent(), expected);
  // Another alternative, by hand.
  const at = page.locator("fieldset .field", { has: page.locator("select") }).first();
  await at.locator("select").first().selectOption({ label: "A point" });
  await page.getByLabel(/^x /).fill("1.5");
  await page.getByLabel(/^y /).fill("-2");
  await page.getByRole("button", { name: "Call" }).click();
  await result.getByText('{"at":{"x":1.5,"y":-2}').waitFor();
});

await check("examples run when they are asked to, and differences are shown", async () => {
  await page.goto(`${home}/tools/golden`);
  const state = page.locator("#test-state .badge");
  assert.ok(["Not run", "Failed"].includes(await state.textContent()));
  await page.getByRole("button", { name: "Run the examples" }).click();
  await page.getByText("golden: failed").waitFor();
  assert.equal(await state.textContent(), "Failed");
  assert.match(await page.locator(".report").innerText(), /1: failed .*-Hello Bob\n.*\+Hello Ada/s);
  await page.goto(`${home}/tools?q=golden`);
  assert.equal(await page.locator("tbody .badge").textContent(), "Failed");
  const hosts = ["gemini", "openai", "anthropic", "mcp"];
  await page.goto(`${home}/tools/golden`);
  for (const host of hosts) {
    await page.locator("summary", { hasText: new RegExp(`^${host}$`) }).click();
    assert.match(await page.getByLabel(`Declaration for ${host}`, { exact: true }).textContent(), /"Greets"/);
  }
});

await check("a list of tools is loaded again when files change, and a form says so", async () => {
  // The server knows what there is once it has answered, a moment later.
  const followed = async (path) => {
    const events = page.waitForResponse(/events\/tools$/);
    await page.goto(home + path);
    await events;
    await pause(500);
  };
  await followed("/tools");
  writeFileSync(setup.newTool, "name: fresh\ndescription: New\nimplementation: x\n");
  await page.getByRole("link", { name: "fresh" }).waitFor();
  await followed("/tools/order");
  await page.getByLabel(/^count/).fill("7");
  writeFileSync(setup.newTool, "name: fresh\ndescription: Newer\nimplementation: x\n");
  await page.getByRole("button", { name: "Load the page again" }).waitFor();
  assert.equal(await page.getByLabel(/^count/).inputValue(), "7");
});
