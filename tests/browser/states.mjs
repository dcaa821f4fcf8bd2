// What axe says about every page, and about each state of it that has markup of its own.

import { strict as assert } from "node:assert";
import { axe, axeColours, check, context, home, origin, setup, storageState } from "./harness.mjs";

// Where each page is, and what leads it into a state.
const STATES = {
  "the list of sessions": ["/sessions"],
  "a search of sessions": ["/sessions?q=state%3Awaiting+cost%3Ax"],
  "a session with all of its panels open": ["/sessions/file.0?turn=2", openAll],
  "a session with its panels closed": ["/sessions/file.0?turn=2", async (tab) => {
    await tab.locator("button.bar[aria-expanded=true]").click();
  }, "#work"],
  "prompts and an approval": ["/sessions/file.5", async (tab) => {
    await tab.getByRole("button", { name: /^Allow/ }).waitFor();
    await openAll(tab);
  }, "#work"],
  "a node that asks": ["/sessions/file.4", async (tab) => tab.getByLabel("Answer: Publish it?").waitFor(), "#work"],
  "a session that was interrupted": ["/sessions/file.2", openAll, "#work"],
  "hostile texts": ["/sessions/file.1", openAll, "#work"],
  "a session that cannot be read": ["/sessions/file.6"],
  "the matrix of an eval": ["/evals"],
  "the trials of a case": ["/evals", async (tab) => {
    await tab.getByRole("link", { name: "bad", exact: true }).click();
    await tab.getByRole("heading", { name: "bad" }).waitFor();
  }],
  "the list of tools": ["/tools"],
  "a search without a result": ["/tools?q=nothing+has+this"],
  "a tool": ["/tools/order", openAll],
  "a form with violations": ["/tools/order", async (tab) => {
    await tab.getByRole("button", { name: "Example 1" }).click();
    await tab.getByRole("button", { name: "Add notes" }).click();
    await tab.getByLabel(/^count/).fill("99");
    await tab.getByText("must be at most 9").waitFor();
  }, "#form"],
  "a result as text": ["/tools/order", result, "#result"],
  "a result as Markdown": ["/tools/order", async (tab) => {
    await result(tab);
    await tab.getByRole("button", { name: "As Markdown" }).click();
  }, "#result"],
  "a call that failed": ["/tools/danger", async (tab) => {
    await tab.getByRole("button", { name: "Call" }).click();
    await tab.locator("#result .failure").waitFor();
  }],
  "examples that ran": ["/tools/golden", async (tab) => {
    await tab.getByRole("button", { name: "Run the examples" }).click();
    await tab.getByText("golden: failed").waitFor();
    await openAll(tab);
  }, "section[aria-labelledby=examples-title]"],
  "alternatives": ["/tools/shapes", async (tab) => {
    await tab.getByRole("button", { name: "Example 1" }).click();
    await tab.getByRole("button", { name: "Remove deep 1" }).waitFor();
  }, "#form"],
  "a flow": ["/tools/publish", undefined, "section[aria-labelledby=graph-title]"],
  "a broken tool": ["/tools/broken"],
  "a tool that is not there": ["/tools/none"],
  "a page that is not there": ["/nothing"],
};

async function openAll(tab) {
  await tab.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
}

async function result(tab) {
  await tab.getByRole("button", { name: "Example 1" }).click();
  await tab.getByRole("button", { name: "Call" }).click();
  await tab.getByRole("region", { name: "Result as text" }).waitFor();
}

export const pages = [...new Set(Object.values(STATES).map(([path]) => path))];

for (const width of [320, 1440]) {
  await check(`axe finds nothing, in light and dark, in any state of any page: ${width} pixels`, async () => {
    const own = await context({ storageState, viewport: { width, height: 800 } });
    const tab = await own.newPage();
    for (const [state, [path, lead, part]] of Object.entries(STATES)) {
      await tab.goto(home + path);
      await lead?.(tab);
      await axe(tab, state, part);
    }
    await own.close();
  });
}

await check("axe finds nothing where there is nothing, and for strangers", async () => {
  const own = await context();
  const tab = await own.newPage();
  await tab.goto(setup.emptyUrl);
  await tab.getByText("This project has no sessions.").waitFor();
  await axe(tab, "no sessions");
  await tab.getByRole("link", { name: "Tools", exact: true }).click();
  await tab.getByText("This project has no tools yet.").waitFor();
  await axe(tab, "no tools");
  await tab.getByRole("button", { name: "Create the tool" }).click();
  await tab.locator("#failures .failure").waitFor();
  await tab.getByRole("link", { name: "Evals", exact: true }).click();
  await tab.getByText("No eval has run in this project yet.").waitFor();
  await axe(tab, "no evals");
  await tab.goto(`${origin}/`);
  assert.equal(await tab.locator("h1").textContent(), "No access");
  await axe(tab, "no access");
  await tab.goto(`${home}/tools`);
  await tab.getByRole("link", { name: "Load this page again" }).waitFor();
  await axe(tab, "no cookie");
  await own.close();
});

await check("axe finds nothing in forced colours", async () => {
  const own = await context({ storageState, forcedColors: "active" });
  const tab = await own.newPage();
  for (const path of ["/sessions/file.0?turn=2", "/sessions/file.4", "/tools", "/tools/order"]) {
    await tab.goto(home + path);
    await axeColours(tab, path);
  }
  await own.close();
});
