// A real Chromium that opens the pages. Each check prints its name once it has passed.

import { browser, context, home, setup, storageState } from "./harness.mjs";

await import("./access.mjs");
await import("./states.mjs");
await import("./session.mjs");
await import("./tool.mjs");
await import("./reading.mjs");
await picture("list", "/sessions");
await picture("question", "/sessions/file.5", ".question .actions");
await import("./live.mjs");
await picture("branches", "/sessions?q=second+way", "", ".card a");

// Takes a picture of a page for the documentation.
async function picture(name, path, shown, followed) {
  const own = await context({ storageState });
  const tab = await own.newPage();
  await tab.goto(home + path);
  if (followed) {
    await tab.locator(followed).first().click();
    await tab.locator("#branches").waitFor();
  }
  if (shown) {
    await tab.locator(shown).waitFor();
  }
  await tab.screenshot({ path: `${setup.pictures}/ui-${name}.png` });
  await own.close();
}

// The pictures of the documentation.
for (const colorScheme of ["light", "dark"]) {
  const own = await context({ storageState, colorScheme, timezoneId: "Europe/Berlin" });
  const tab = await own.newPage();
  await tab.goto(`${home}/sessions/file.0?turn=2`);
  await tab.getByText("Guard notes").waitFor({ state: "attached" });
  await tab.screenshot({ path: `${setup.pictures}/ui-${colorScheme}.png` });
}
await browser.close();
