// How it is read: on small screens, enlarged, without motion, without scripts, and whatever it is.

import { strict as assert } from "node:assert";
import { axe, check, context, home, page, setup, storageState, writer } from "./harness.mjs";
import { pages } from "./states.mjs";

for (const [name, options] of [
  ["320 pixels wide", { viewport: { width: 320, height: 640 } }],
  ["200 % zoom", { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
]) {
  await check(`nothing is cut off: ${name}`, async () => {
    const own = await context({ storageState, ...options });
    const tab = await own.newPage();
    for (const path of pages) {
      await tab.goto(home + path);
      await tab.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
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
  const process = await writer(setup.killed);
  const animations = async (reducedMotion) => {
    const own = await context({ storageState, reducedMotion });
    const tab = await own.newPage();
    await tab.goto(`${home}/sessions/file.7`);
    await tab.locator(".kind-step .badge.executing").first().waitFor();
    const found = await tab.evaluate(() => document.getAnimations().map((one) => one.animationName));
    await own.close();
    return [...new Set(found)];
  };
  assert.deepEqual(await animations("no-preference"), ["pulse"]);
  assert.deepEqual(await animations("reduce"), []);
  await process.end();
});

await check("without scripts the whole run is there", async () => {
  const own = await context({ storageState, javaScriptEnabled: false });
  const tab = await own.newPage();
  await tab.goto(`${home}/sessions`);
  await tab.getByRole("link", { name: /How many days are left/ }).click();
  await tab.locator("a.bar").first().click();
  assert.deepEqual(await tab.locator(".timeline .kind-step .badge").count(), 5);
  assert.ok(await tab.getByText("list_orders failed").isVisible());
  assert.ok(await tab.locator(".timeline").getByText("the database does not answer").isVisible());
  assert.ok(await tab.getByText("Together they amount to").isVisible());
  await tab.goto(`${home}/sessions/file.5`);
  await tab.locator(".kind-request > details > summary").first().click();
  assert.ok(await tab.locator(".layer pre").last().isVisible());
  await tab.goto(`${home}/sessions/file.3`);
  await tab.getByRole("link", { name: /^Earlier/ }).click();
  await tab.waitForURL(/before=/);
  await own.close();
});

await check("hostile content is inert", async () => {
  for (const path of ["/sessions", "/sessions/file.1", "/sessions/file.1?turn=3", "/tools/evil"]) {
    await page.goto(home + path);
    assert.equal(await page.locator("main script, main img, main a[href^='javascript']").count(), 0);
    assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
    assert.doesNotMatch(await page.content(), /[\u202e\u001b]/);
  }
  await page.goto(`${home}/tools/evil`);
  await page.getByRole("button", { name: "Call" }).click();
  await page.getByRole("button", { name: "As Markdown" }).click();
  assert.equal(await page.locator("#result a, #result img, #result script").count(), 0);
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
});

await check("ten megabytes of a result are a link away", async () => {
  await page.goto(`${home}/sessions/file.1`);
  assert.ok((await page.content()).length < 400_000);
  await page.locator(".timeline .kind-step > details").first().evaluate((one) => { one.open = true; });
  const link = page.getByRole("link", { name: "The whole line" });
  const whole = await page.request.get(new URL(await link.getAttribute("href"), home).href);
  assert.ok((await whole.body()).length > 10_000_000);
  assert.equal(whole.headers()["content-type"], "text/plain; charset=utf-8");
});

await check("a long session opens in under a second and scrolls to its beginning", async () => {
  const start = performance.now();
  await page.goto(`${home}/sessions/file.3`);
  await page.getByText("Answer 99998").waitFor();
  const took = performance.now() - start;
  assert.ok(took < 1000, `${took} ms`);
  await axe(page, "earlier lines", ".more");
  for (let part = 0; part < 3; part += 1) {
    const turns = await page.locator(".turn").count();
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForFunction((count) => document.querySelectorAll(".turn").length > count, turns);
  }
  assert.equal(await page.locator("#turn-98802").count(), 1);
  const keys = await page.locator(".turn").evaluateAll((all) => all.map((one) => one.dataset.key));
  assert.equal(new Set(keys).size, keys.length);
});
