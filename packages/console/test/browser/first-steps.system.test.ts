/**
 * The way of a newcomer: `npm start` in a terminal, in a fresh checkout without data, until the first check of an app.
 * The person stays in the console, except to paste ten lines into a file and run it. All clicks are counted.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { installClient } from '../../../client/test/support/installed-client.ts';
import { sendRequest } from '../../../server/test/support/app.ts';
import { inspect } from '../support/inspect.ts';
import { ABSENT, freshCheckout, newWindow, startAtTerminal } from '../support/npm-start.ts';
import { mustSucceed } from '../support/success.ts';

const run = promisify(execFile);

const MAX_CLICKS = 12;
const MAX_LINES = 10;
/**
 * Clicks outside the page: one on the link in the terminal, and "Advanced" and "Proceed", by which a person accepts the
 * self-signed certificate. The browser of tests accepts it by itself.
 */
const CLICKS_BEFORE = 3;

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
  const checkout = await freshCheckout(context);
  const app = await installClient();
  context.after(() => app.remove());
  const page = await newWindow(context);
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
