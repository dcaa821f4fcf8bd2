// A real Chromium that opens the pages. Each check prints its name once it has passed.

import { browser, context, home, setup, storageState } from "./harness.mjs";

await import("./access.mjs");
await import("./states.mjs");
await import("./session.mjs");
await import("./tool.mjs");
await import("./reading.mjs");
await import("./live.mjs");

// The pictures of the documentation.
for (const colorScheme of ["light", "dark"]) {
  const own = await context({ storageState, colorScheme, timezoneId: "Europe/Berlin" });
  const tab = await own.newPage();
  await tab.goto(`${home}/sessions/file.0?turn=2`);
  await tab.getByText("Guard notes").waitFor({ state: "attached" });
  await tab.screenshot({ path: `${setup.pictures}/ui-${colorScheme}.png` });
}
await browser.close();
