/**
 * The way of a newcomer: `npm start` in a terminal, in a fresh checkout without data, until the first check of an app.
 * The person stays in the console, except to paste ten lines into a file and run it. All clicks are counted.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { installClient } from '../../../client/test/support/installed-client.ts';
import { makeCheckout } from '../../../server/test/pages/fresh-checkout.ts';
import { sendRequest } from '../../../server/test/support/app.ts';
import { findBrowser, NO_BROWSER, openBrowser } from '../../../server/test/support/browser.ts';
import { processEnvironment } from '../../../server/test/support/process-environment.ts';
import { inspect } from '../support/inspect.ts';
import { mustSucceed } from '../support/success.ts';
import { Windows } from '../support/windows.ts';

const run = promisify(execFile);
const program = await findBrowser();

const MAX_CLICKS = 12;
const MAX_LINES = 10;
/**
 * Clicks outside the page: one on the link in the terminal, and "Advanced" and "Proceed", by which a person accepts the
 * self-signed certificate. The browser of tests accepts it by itself.
 */
const CLICKS_BEFORE = 3;

/** The service prints its sign-in link at a terminal only, which `script` of util-linux is. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;
const ABSENT =
  program === null ? NO_BROWSER : hasTerminal ? false : 'no terminal: install `script` of util-linux to run it';

/** A service that a person started at a terminal. */
interface Started {
  readonly link: string;
  readonly pid: number;
}

/** Waits for the lines that a terminal shows after the start. */
function startIn(terminal: ChildProcess): Promise<Started> {
  return new Promise((resolve, reject) => {
    let shown = '';
    terminal.stdout!.setEncoding('utf8').on('data', (more: string) => {
      shown += more;
      const [, pid] = /"pid":(\d+),"event":"service\.started"/.exec(shown) ?? [];
      const [, link] = /^\s+(https:\S+sign-in\?code=[\w-]+)\s/m.exec(shown) ?? [];
      if (pid !== undefined && link !== undefined) resolve({ link, pid: Number(pid) });
    });
    terminal.once('exit', () => reject(new Error(`npm start has ended: ${shown}`)));
  });
}

/** Runs `npm start` at a terminal in a fresh checkout, whose console is that of this run. It ends after the test. */
async function startAtTerminal(context: TestContext, checkout: string): Promise<Started> {
  const terminal = spawn('script', ['--quiet', '--return', '--flush', '--command', 'npm start', '/dev/null'], {
    cwd: checkout,
    env: { ...processEnvironment, HOME: checkout, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(terminal, 'exit');
  let pid = terminal.pid!;
  context.after(async () => {
    if (terminal.exitCode === null && terminal.signalCode === null) process.kill(pid, 'SIGTERM');
    await ended;
  });
  const started = await startIn(terminal);
  pid = started.pid;
  return started;
}

/** Counts the clicks of a person in a page: a script's own clicks do not count. */
async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction('countClick', () => {
    clicks += 1;
  });
  await page.addInitScript(() => {
    const page = globalThis as unknown as { countClick(): void };
    addEventListener('click', ({ isTrusted }) => isTrusted && page.countClick(), { capture: true });
  });
  return () => clicks;
}

test('a newcomer gets from npm start to the first check of an app within 12 clicks', {
  skip: ABSENT,
}, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-first-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const checkout = join(folder, 'latchkey');
  makeCheckout(checkout);
  await mkdir(join(checkout, 'packages/console'), { recursive: true });
  await cp(process.env.LATCHKEY_TEST_CONSOLE_FOLDER!, join(checkout, 'packages/console/dist'), { recursive: true });
  const app = await installClient();
  context.after(() => app.remove());
  const browser = await openBrowser(program!);
  context.after(() => browser.close());
  const page = await new Windows(browser).open({ device: 'desktop', scheme: 'light' }, true);
  const clicksInPage = await countClicks(page);

  const begun = performance.now();
  let inspectingMs = 0;
  /** Inspects the present state in both schemes, while the time of the journey stands still. */
  const look = async () => {
    const from = performance.now();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      // Colours that fade into each other have too little contrast on their way.
      await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
      await inspect(page);
    }
    inspectingMs += performance.now() - from;
  };
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const dialog = page.getByRole('dialog');

  const { link } = await startAtTerminal(context, checkout);
  await page.goto(link);
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await look();
  await click('Add a product');
  await dialog.getByLabel('Name').fill('My app');
  await look();
  await click('Create product');
  await click('Add a variant');
  await dialog.getByLabel('Name').fill('full');
  await look();
  await click('Create variant');
  await click('Issue a license');
  await dialog.getByLabel('Your e-mail address').fill('ada@example.com');
  await look();
  await click('Issue license');
  await page.getByText('Waiting for the first check…').waitFor();
  await look();
  await click('Copy: the lines of JavaScript');
  // The click ends before the clipboard has the text.
  const lines = await (await page.waitForFunction(() => navigator.clipboard.readText())).jsonValue();
  assert.ok(lines.split('\n').length <= MAX_LINES, lines);
  await writeFile(join(app.project, 'first.mjs'), lines);
  const { stdout } = await run(process.execPath, ['first.mjs'], {
    cwd: app.project,
    env: { PATH: process.env.PATH, HOME: app.folder },
  });
  assert.equal(stdout, 'licensed true\n');
  await page.getByText(new RegExp(`^First check \\d+ s ago, from ${RegExp.escape(hostname())}$`)).waitFor();
  const seconds = (performance.now() - begun - inspectingMs) / 1000;
  await look();

  const clicks = CLICKS_BEFORE + clicksInPage();
  context.diagnostic(`from npm start to the first check: ${clicks} clicks, ${seconds.toFixed(1)} s`);
  assert.ok(clicksInPage() > 0, 'no click was counted');
  assert.ok(clicks <= MAX_CLICKS, `${clicks} clicks`);

  const agent = new Agent({ rejectUnauthorized: false });
  context.after(() => agent.destroy());
  const adminSecret = (await readFile(join(checkout, 'data/admin-secret'), 'utf8')).trim();
  const ask = (path: string, fields: object = {}) =>
    mustSucceed(sendRequest(agent, Number(new URL(link).port), path, { adminSecret, ...fields }, {}));
  const { products } = await ask('/listProducts');
  assert.deepEqual(
    products.map(({ productId, name }: { productId: string; name: string }) => [productId, name]),
    [['my-app', 'My app']],
  );
  const { licenses } = await ask('/listLicenses');
  assert.equal(licenses.length, 1);
  const { license, activations, activationCount } = await ask('/getLicense', { licenseKey: licenses[0].key });
  assert.deepEqual(
    [license.email, license.productId, license.variant, activationCount],
    ['ada@example.com', 'my-app', 'full', 1],
  );
  assert.deepEqual(
    activations.map((each: { hostname: string }) => each.hostname),
    [hostname()],
  );
});
