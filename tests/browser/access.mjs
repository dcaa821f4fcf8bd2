// Who sees anything.

import { strict as assert } from "node:assert";
import { createServer } from "node:http";
import { check, context, cookies, first, home, origin, page, setup } from "./harness.mjs";

await check("the token becomes a cookie that scripts cannot read", async () => {
  assert.match(home, new RegExp(`^${origin}/[0-9a-f]{64}$`));
  const facts = cookies.map(({ httpOnly, sameSite, path }) => [httpOnly, sameSite, origin + path]);
  assert.deepEqual(facts, [[true, "Strict", home]]);
  assert.equal(await page.evaluate(() => document.cookie), "");
  const refused = await (await context()).newPage();
  await refused.goto(setup.url);
  assert.equal(await refused.locator("h1").textContent(), "No access");
});

await check("another server on this machine gets no cookie", async () => {
  const seen = [];
  const other = createServer((request, response) => {
    seen.push(request.headers.cookie);
    response.end();
  });
  await new Promise((done) => other.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${other.address().port}`;
  const tab = await (await context({ storageState: { cookies, origins: [] } })).newPage();
  tab.removeAllListeners("request");
  for (const path of ["/", "/sessions", "/tools/order"]) {
    await tab.goto(url + path);
  }
  other.close();
  assert.ok(seen.length >= 3);
  assert.deepEqual([...new Set(seen)], [undefined]);
  await tab.goto(`${home}/sessions`);
  assert.equal(await tab.locator("h1").textContent(), "Sessions");
  assert.equal((await first.cookies(origin)).length, 0);
});
