/**
 * The console, the pages of customers and the reference below a path of a host, in a real browser: behind a proxy that
 * takes the path off.
 */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { testCertificate } from '../../../server/test/runtime/http/listening.ts';
import { ADMIN_SECRET, startApp, type TestApp } from '../../../server/test/support/app.ts';
import { findBrowser, NO_BROWSER, openBrowser } from '../../../server/test/support/browser.ts';
import { fixedPort } from '../../../server/test/support/fixed-port.ts';
import { ENGINE } from '../support/engine.ts';
import { inspect, watch } from '../support/inspect.ts';
import { mustSucceed } from '../support/success.ts';
import { PATIENCE_MS } from '../support/windows.ts';

const PREFIX = '/licenses';
const program = await findBrowser();

describe('below a path of a host', { skip: program === null && NO_BROWSER }, () => {
  let app: TestApp;
  let proxy: Server;
  let browser: Browser;
  let origin: string;
  /** Paths outside of the prefix that a page asked for. */
  const strayed: string[] = [];
  before(async () => {
    const port = await fixedPort();
    origin = `https://localhost:${port}`;
    const settings = {
      LATCHKEY_TRUST_PROXY: '127.0.0.1',
      LATCHKEY_PUBLIC_URL: `${origin}${PREFIX}`,
      LATCHKEY_SELF_SERVICE: 'on',
      LATCHKEY_SECRETS_KEY: 'a-secrets-key-of-the-tests',
    };
    const consoleFolder = process.env.LATCHKEY_TEST_CONSOLE_FOLDER;
    assert.ok(consoleFolder, 'the console was not built: run the tests with test/support/global-setup.ts');
    app = await startApp(ENGINE, settings, undefined, { consoleFolder });
    proxy = await startProxy(port, app.port, strayed);
    browser = await openBrowser(program!);
  });
  after(async () => {
    await browser?.close();
    proxy?.closeAllConnections();
    proxy?.close();
    await app?.stop();
  });

  const open = async (path: string): Promise<Page> => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB' });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await watch(page);
    await page.goto(`${origin}${path}`);
    return page;
  };
  /** Calls the service as its own tests do, by the proxy. */
  const call = async (path: string, fields: object) =>
    mustSucceed(fetchJson(`http://127.0.0.1:${app.port}${path}`, { adminSecret: ADMIN_SECRET, ...fields }));

  it('people sign in to the console, open a license by its link, and stay signed in', async () => {
    const { licenseKey } = await call('/createLicense', { email: 'ada@example.com', productId: 'app' });
    const page = await open(`${PREFIX}/console`);
    await page.getByLabel('Secret or key').fill(ADMIN_SECRET);
    await page.keyboard.press('Enter');
    await page.getByRole('main').waitFor();
    await page.getByRole('link', { name: 'Licenses' }).first().click();
    await page.getByRole('row').filter({ hasText: 'ada@example.com' }).getByRole('link').first().click();
    await page.getByRole('heading', { level: 1 }).filter({ hasText: licenseKey }).waitFor();
    await inspect(page);
    assert.ok(page.url().startsWith(`${origin}${PREFIX}/console/#/licenses/`), page.url());
    await page.reload();
    await page.getByRole('heading', { level: 1 }).filter({ hasText: licenseKey }).waitFor();
    assert.deepEqual(strayed, []);
  });

  it('customers come to their licenses by a link, and sign out', async () => {
    await call('/createLicense', { email: 'bo@example.com', productId: 'app' });
    const { url } = await call('/createCustomerLink', { email: 'bo@example.com' });
    assert.ok(url.startsWith(`${origin}${PREFIX}/my/`), url);
    const page = await open(url.slice(origin.length));
    await page.getByRole('button').first().click();
    await page.waitForURL(`${origin}${PREFIX}/my/licenses`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(new RegExp(`^${origin}${PREFIX}/my`));
    assert.deepEqual(strayed, []);
  });

  it('the reference has its styles, and its guides link to each other', async () => {
    const page = await open(`${PREFIX}/docs`);
    const styled = await page.evaluate('getComputedStyle(document.querySelector("main")).display');
    assert.notEqual(styled, 'inline');
    const guide = page.locator(`a[href^="${PREFIX}/docs/"]`).first();
    const address = await guide.getAttribute('href');
    await page.goto(`${origin}${address}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.deepEqual(strayed, []);
  });
});

/** A proxy that ends TLS and takes the prefix off; it serves nothing else of its host. */
async function startProxy(port: number, target: number, strayed: string[]): Promise<Server> {
  const { certificate, key } = await testCertificate();
  const server = createServer({ cert: certificate, key }, (incoming, outgoing) => {
    const path = incoming.url ?? '/';
    if (path !== PREFIX && !path.startsWith(`${PREFIX}/`)) {
      // Browsers ask for it by themselves.
      if (path !== '/favicon.ico') strayed.push(path);
      outgoing.writeHead(404).end();
      return;
    }
    const headers = { ...incoming.headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };
    const options = { host: '127.0.0.1', port: target, method: incoming.method, headers };
    const passed = request({ ...options, path: path.slice(PREFIX.length) || '/' }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

async function fetchJson(url: string, body: object) {
  const headers = { 'content-type': 'application/json', 'x-forwarded-proto': 'https' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, headers: {}, body: await answer.json() };
}
