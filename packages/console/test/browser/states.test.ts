/** The console's messages about problems: a busy service, a failure, no connection, an unknown address. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { hasCount } from '../support/count.ts';
import { busyFor, failing } from '../support/failing.ts';
import { forgetTroubles, inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';

describeConsole('the console, when something is in the way,', (under) => {
  it('reads again by itself when the service is busy, and shows the result', async () => {
    await under.app.license({ email: 'ada@example.com', productId: 'tapehead' });
    const page = await under.open({ at: '/nowhere' });
    let refused = 0;
    await failing(page, '/listLicenses', { as: busyFor(1), when: () => refused++ === 0 });
    await page.goto(`${under.origin}/console/#/licenses`);
    await page.getByRole('cell', { name: 'ada@example.com', exact: true }).waitFor();
    assert.ok(refused > 1);
  });

  it('counts down until a write may be tried again, and sends it with the same Idempotency-Key', async () => {
    const key = await under.app.license({ email: 'bo@example.com', productId: 'tapehead' });
    const page = await under.open({ at: `/licenses/${key}?tab=timeline` });
    const keys: (string | undefined)[] = [];
    await failing(page, '/addNote', {
      as: busyFor(60),
      when: (request) => keys.push(request.headers()['idempotency-key']) === 1,
    });
    await page.getByLabel('Note').fill('Called back.');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page
      .getByRole('alert')
      .getByText(/Nothing was changed\. Try again in \d+ seconds\./)
      .waitFor();
    await inspect(page);
    assert.equal(await page.getByLabel('Note').inputValue(), 'Called back.');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByRole('paragraph').filter({ hasText: 'Called back.' }).waitFor();
    assert.equal(keys.length, 2);
    assert.ok(keys[0] !== undefined && keys[0] === keys[1], 'the second try was another write');
  });

  it('says that a change may have happened when no answer came, and changes nothing twice', async () => {
    const key = await under.app.license({ email: 'cy@example.com', productId: 'tapehead' });
    const page = await under.open({ at: `/licenses/${key}?tab=timeline` });
    let isCut = true;
    await page.route('**/addNote', async (route) => {
      if (!isCut) return route.continue();
      isCut = false;
      await route.fetch();
      await route.abort();
    });
    await page.getByLabel('Note').fill('Once only.');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByText('The service did not answer.').waitFor();
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByRole('paragraph').filter({ hasText: 'Once only.' }).first().waitFor();
    const { body } = await under.app.admin('/getLicense', { licenseKey: key, history: true });
    assert.equal(body.history.filter(({ kind }: { readonly kind: string }) => kind === 'note').length, 1);
  });

  it('gives the number of a request that failed, to copy', async () => {
    const page = await under.open({ at: '/nowhere' });
    await failing(page, '/listLicenses', { requestId: 'req-4711' });
    await page.goto(`${under.origin}/console/#/licenses`);
    await page.getByText('The service failed.').waitFor();
    await inspect(page);
    await page.getByText('req-4711').waitFor();
    const copy = page.getByRole('button', { name: 'Copy the number of the request' });
    await copy.click();
    await copy.getByText('Copied').waitFor({ state: 'attached' });
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'req-4711');
  });

  it('keeps showing earlier data without a connection, and says so', async () => {
    const page = await under.open({ at: '/licenses' });
    await page.getByRole('cell', { name: 'bo@example.com', exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText(/^No connection\./).waitFor();
    await page.getByRole('cell', { name: 'bo@example.com', exact: true }).waitFor();
    await inspect(page);
    await page.context().setOffline(false);
    await page.getByText(/^No connection\./).waitFor({ state: 'detached' });
  });

  it('keeps the page when a screen cannot be loaded, and opens the screen when the service is back', async () => {
    const page = await under.open({ at: '/nowhere' });
    // The file is not loaded ahead, either.
    const file = `**/assets/${fileOf('Reads work, writes fail')}`;
    await page.route(file, (route) => route.abort());
    await page.goto(`${under.origin}/console/#/licenses`);
    await page.getByRole('cell', { name: 'bo@example.com', exact: true }).waitFor();
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    await page.route('**/*', (route) => route.abort());
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByText('This screen could not be loaded.').waitFor();
    await page.getByText(/^The service does not answer\./).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This screen could not be loaded.').waitFor();
    await inspectWithoutService(page);
    assert.equal(await page.evaluate(() => 'isSamePage' in globalThis), true, 'the page was loaded anew');
    await returnOnPress(page);
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByRole('heading', { name: 'Certificate' }).waitFor();
    await page.getByText(/^The service does not answer\./).waitFor({ state: 'detached' });
  });

  it('says once that the service is away and how old the figures are, and reads again when it is back', async () => {
    const page = await under.open({ at: '/licenses', name: 'Ada' });
    await page.getByRole('cell', { name: 'bo@example.com', exact: true }).waitFor();
    await page.getByText('Read just now').waitFor();
    // The place of the banner: without the service its file could not be loaded.
    await page.getByRole('status').waitFor({ state: 'attached' });
    await page.route('**/*', (route) => route.abort());
    await under.move(3.5 * 60_000);
    await page.getByRole('button', { name: 'Refresh the list' }).click();
    await page.getByText(/^The service does not answer\. What you see was read 3 minutes ago\./).waitFor();
    await page.getByText('Read 3 minutes ago', { exact: true }).waitFor();
    await page.getByRole('cell', { name: 'bo@example.com', exact: true }).waitFor();
    await hasCount(page.getByRole('alert'), 0, 'the banner is not the only notice');
    await inspectWithoutService(page);
    // Signing out needs the service: without it, the session would go on unseen.
    await page.getByRole('button', { name: 'Ada' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('You are still signed in: the service did not answer.').waitFor();
    await under.app.license({ email: 'meanwhile@example.com', productId: 'tapehead' });
    await returnOnPress(page);
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByRole('cell', { name: 'meanwhile@example.com', exact: true }).waitFor();
    await page.getByText(/^The service does not answer\./).waitFor({ state: 'detached' });
  });

  it('reads a list again when somebody looks at it again', async () => {
    const page = await under.open({ at: '/licenses' });
    await page.getByRole('cell', { name: 'bo@example.com', exact: true }).waitFor();
    await under.app.license({ email: 'again@example.com', productId: 'tapehead' });
    await under.move(60_000);
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await page.getByRole('cell', { name: 'again@example.com', exact: true }).waitFor();
  });

  it('loads its other screens while nothing happens, and opens them without the service', async () => {
    const page = await under.open({ at: '/licenses' });
    await page.getByRole('cell', { name: 'bo@example.com', exact: true }).waitFor();
    const file = fileOf('Reads work, writes fail');
    const loaded = page.waitForResponse((response) => response.url().endsWith(file));
    await under.pass(10_000);
    await loaded;
    await page.route('**/*', (route) => route.abort());
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByRole('heading', { name: 'System', exact: true }).waitFor();
    await page.getByText('The service did not answer.').first().waitFor();
    await hasCount(page.getByText('This screen could not be loaded.'), 0);
  });

  it('says of an address that no screen has it', async () => {
    const page = await under.open({ at: '/nothing/here' });
    await page.getByText('There is no such screen.').waitFor();
    await inspect(page);
    await page.getByRole('link', { name: 'Go to the start' }).click();
    await page.waitForURL((url) => url.hash === '#/');
  });

  it('lists its shortcuts, switches single keys off and keeps that', async () => {
    const page = await under.open({ at: '/licenses' });
    await page.getByRole('cell', { name: 'bo@example.com', exact: true }).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('Go to Licenses').waitFor();
    await inspect(page);
    await dialog.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('cell', { name: 'bo@example.com', exact: true }).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    await hasCount(page.getByRole('dialog', { name: 'Issue licenses' }), 0);
  });

  it('skips the navigation to the content of a screen, by the keyboard', async () => {
    const page = await under.open({ at: '/licenses' });
    await page.getByRole('cell', { name: 'bo@example.com', exact: true }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.waitForURL((url) => url.hash === '#/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');
  });
});

/** Inspects a page whose files cannot be loaded, which the browser logs as an error. */
async function inspectWithoutService(page: Page): Promise<void> {
  forgetTroubles(page);
  await inspect(page);
}

/** The script of the built console that contains some words. */
function fileOf(words: string): string {
  const folder = join(process.env.LATCHKEY_TEST_CONSOLE_FOLDER!, 'assets');
  const found = readdirSync(folder).find(
    (name) => name.endsWith('.js') && readFileSync(join(folder, name)).includes(words),
  );
  assert.ok(found, `no script says "${words}"`);
  return found;
}

/**
 * Ends the interception of all requests at the next press. The console asks every 5 seconds by itself, and would often
 * be first.
 */
async function returnOnPress(page: Page): Promise<void> {
  await page.evaluate(() => addEventListener('click', () => Object.assign(globalThis, { isPressed: true }), true));
  let isBack = false;
  await page.route('**/*', async (route) => {
    if (!isBack && route.request().url().endsWith('/getConsoleSession'))
      isBack = await page.evaluate(() => 'isPressed' in globalThis);
    return isBack ? route.continue() : route.abort();
  });
}
