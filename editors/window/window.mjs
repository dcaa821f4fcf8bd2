// Drives a window of VS Code as its user does. The argument is JSON with the paths; every wait has
// an end. It prints nothing unless a step fails.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { pathToFileURL } from 'node:url';

const { tools, node, vsix, project, home, programs, screenshots } = JSON.parse(process.argv[2]);
const { chromium } = await import(pathToFileURL(`${tools}/node_modules/playwright-core/index.mjs`));
const entry = `${tools}/node_modules/code-server/out/node/entry.js`;
const folders = ['--user-data-dir', `${home}/data`, '--extensions-dir', `${home}/extensions`];

const sleep = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

async function until(what, found) {
  for (let round = 0; round < 300; round += 1) {
    if (await found()) return;
    await sleep(200);
  }
  throw new Error(`${what} does not appear`);
}

function port() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const found = server.address().port;
      server.close(() => resolve(found));
    });
  });
}

execFileSync(node, [entry, ...folders, '--install-extension', vsix], { stdio: 'pipe' });
const address = `127.0.0.1:${await port()}`;
const options = ['--auth', 'none', '--bind-addr', address, '--disable-telemetry',
  '--disable-update-check', '--disable-workspace-trust'];
const server = spawn(node, [entry, ...options, ...folders, project], { stdio: 'ignore' });
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage({ viewport: { width: 960, height: 600 } });
  const url = `http://${address}/?folder=${encodeURIComponent(project)}`;
  await until('the server', () => page.goto(url).then(() => true, () => false));
  await page.waitForSelector('.monaco-workbench', { timeout: 60_000 });
  await page.getByRole('treeitem', { name: 'src' }).click({ timeout: 60_000 });
  await page.getByRole('treeitem', { name: 'main.rs' }).dblclick({ timeout: 60_000 });
  const lines = page.locator('.editor-instance .view-lines').first();
  await lines.waitFor({ timeout: 30_000 });
  // The extension is activated when the window is at rest.
  await until('the discovery file', () => existsSync(`${home}/run/cogtools/editor`));
  await lines.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('mod åäö; ');
  await page.keyboard.press('Control+Home');
  for (let i = 0; i < 4; i += 1) await page.keyboard.press('ArrowRight');
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Control+Backquote');
  await page.locator('.terminal .xterm-screen').first().waitFor({ timeout: 30_000 });
  await sleep(1500);
  const run = async (line, done) => {
    await page.keyboard.type(`${line}; touch ${home}/${done}\n`);
    return until(done, () => existsSync(`${home}/${done}`));
  };
  await run(`clear; export PATH=${programs}:$PATH PS1='$ ' PROMPT_COMMAND='touch ${home}/prompt'`, 'ready');
  await run(`cogtools ask -q --editor 'Explain this' | tee ${home}/answer`, 'asked');
  // Once more, as a user sees it.
  await run('clear', 'cleared');
  await sleep(500);
  rmSync(`${home}/prompt`, { force: true });
  await page.keyboard.type("cogtools ask -q --editor 'Explain what I have selected'\n");
  await until('the prompt', () => existsSync(`${home}/prompt`));
  await sleep(500);
  await page.screenshot({ path: `${screenshots}/ask.png` });
  // As in a terminal that is older than the extension.
  const early = 'env -u COGTOOLS_EDITOR cogtools-call get_current_file < /dev/null';
  await run(`clear; ${early} > ${home}/early`, 'called');
  const proposal = JSON.stringify({ path: 'src/main.rs', content: 'fn main() { run() }\n' });
  await page.keyboard.type(`clear; echo '${proposal}' | cogtools-call propose_edit > ${home}/edit\n`);
  const accept = page.locator('.editor-actions [aria-label*="Accept the proposed change"]').first();
  await accept.waitFor({ timeout: 30_000 });
  // Nothing is accepted sooner.
  await sleep(1500);
  await page.screenshot({ path: `${screenshots}/propose.png` });
  await accept.click();
  await until('the outcome', () => readFileSync(`${home}/edit`).length > 0);
  await page.locator('.terminal .xterm-screen').first().click();
  await run(`cogtools-call get_current_file < /dev/null > ${home}/after`, 'finished');
} catch (error) {
  console.error(String(error));
  const pages = browser.contexts().flatMap((context) => context.pages());
  for (const page of pages) await page.screenshot({ path: `${screenshots}/failure.png` });
  process.exitCode = 1;
} finally {
  await browser.close();
  server.kill();
}
