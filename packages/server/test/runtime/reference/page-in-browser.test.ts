/** The page at /docs for people: in a browser, on a phone, in the dark, by keyboard. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { endpointsByPath, sections } from '../../../src/app.ts';
import { pythonSample } from '../../../src/runtime/reference/page/samples.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { findBrowser, NO_BROWSER, openBrowser } from '../../support/browser.ts';
import { assertFaultless, excessWidthOf, findingsOf, openPage } from '../../support/inspect-page.ts';

const program = await findBrowser();
const WIDTHS = [1440, 390, 320];
const PHONE = { viewport: { width: 390, height: 844 } };
const DESK = { viewport: { width: 1440, height: 900 } };
/** The endpoints that are inspected with everything open. All are built alike, and all of them would take minutes. */
const ENDPOINTS = ['/getLicense', '/getStatistics'];
/** One part of each kind. */
const KINDS_OF_PARTS = [
  '.bar',
  '.contents',
  '#requests',
  '#credentials',
  '#refusals',
  ...ENDPOINTS.map((path) => `[id="${path}"]`),
];
/**
 * Largest size of the page as sent, and compressed: it grows with the endpoints, because all of them are on it. The
 * samples in TypeScript and Python are 90 KB of it, and compress well.
 */
const MAX_BYTES = 1_010_000;
const MAX_COMPRESSED_BYTES = 113_000;

describe('the reference page in a browser', { skip: program === null && NO_BROWSER }, () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    app = await startApp('sqlite');
    browser = await openBrowser(program!);
  });
  // A test leaves windows of long pages, which would go on costing the browser time.
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
  after(async () => {
    await browser.close();
    await app.stop();
  });
  const open = (window: Parameters<typeof openPage>[2]) =>
    openPage(browser, `https://127.0.0.1:${app.port}/docs`, window);
  const openDetails = (page: Page) =>
    page.evaluate('document.querySelectorAll("main .text details").forEach((each) => { each.open = true; })');
  /** Removes the other endpoints, because the time of an inspection depends on the whole page. */
  const removeOtherEndpoints = (page: Page) =>
    page.locator('section.endpoint').evaluateAll((all, kept) => {
      for (const each of all) if (!kept.includes(each.id)) each.remove();
    }, ENDPOINTS);
  const isInWindow = async (page: Page, selector: string) => {
    const box = await page.locator(selector).boundingBox();
    return box !== null && box.y + box.height > 0 && box.y < (page.viewportSize()?.height ?? 0);
  };
  const hasFocus = async (page: Page, selector: string) => (await page.locator(`${selector}:focus`).count()) === 1;

  it('has no fault for anybody', async () => {
    const opened = await open(DESK);
    // All endpoints have the same colours and sizes, which are inspected below where something is opened.
    await assertFaultless(opened, { rules: 'structure' });
  });

  it('has no fault where something is opened, on any width', async () => {
    const { page } = await open(DESK);
    await openDetails(page);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      assert.equal(await excessWidthOf(page), 0, `${width} pixels`);
    }
    await removeOtherEndpoints(page);
    for (const { viewport } of [DESK, PHONE]) {
      await page.setViewportSize(viewport);
      const findings = await findingsOf(page, { selectors: KINDS_OF_PARTS, rules: 'others' });
      assert.deepEqual(findings, [], `${viewport.width} pixels`);
    }
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has no fault in ${colorScheme} colours where something is opened`, async () => {
      const { page } = await open({ ...DESK, colorScheme });
      await removeOtherEndpoints(page);
      await openDetails(page);
      for (const { viewport } of [DESK, PHONE]) {
        await page.setViewportSize(viewport);
        assert.deepEqual(await findingsOf(page, { rules: 'colours' }), []);
      }
    });

  it('keeps its contents in sight beside the text on wide screens, and marks where one is', async () => {
    const { page } = await open(DESK);
    const contents = page.getByRole('navigation', { name: 'Contents' });
    await contents.getByRole('link', { name: '/getLicense', exact: true }).click();
    assert.ok(await isInWindow(page, '[id="/getLicense-title"]'));
    assert.ok(await isInWindow(page, '#contents'));
    const { x, width } = (await contents.boundingBox())!;
    const text = (await page.locator('main').boundingBox())!;
    assert.ok(x + width <= text.x, 'beside the text');
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    assert.ok(await isInWindow(page, '#contents'));
  });

  it('has contents on a phone that open on request and close after a choice', async () => {
    const { page } = await open(PHONE);
    const contents = page.getByRole('navigation', { name: 'Contents' });
    assert.equal(await contents.isVisible(), false, 'the text comes first');
    await page.getByRole('link', { name: 'Contents' }).click();
    for (const { title } of sections)
      assert.ok(await contents.getByRole('link', { name: title, exact: true }).first().isVisible());
    await contents.getByRole('link', { name: '/redeemSeatCode', exact: true }).click();
    assert.ok(await isInWindow(page, '[id="/redeemSeatCode-title"]'));
    assert.equal(await contents.isVisible(), false);
  });

  it('breaks no name of a field on a phone', async () => {
    const { page } = await open({ viewport: { width: 320, height: 640 } });
    await openDetails(page);
    const broken = await page
      .locator('th code')
      .evaluateAll((names) => names.filter((name) => name.getClientRects().length > 1).map((name) => name.textContent));
    assert.deepEqual(broken, []);
  });

  it('is walked by keyboard from a link to the text on, and shows where one is', async () => {
    const { page } = await open(DESK);
    await page.keyboard.press('Tab');
    assert.ok(await hasFocus(page, 'a[href="#main"].skip'));
    assert.ok(await isInWindow(page, '.skip'));
    await page.keyboard.press('Enter');
    assert.ok(await hasFocus(page, 'main'));
    await page.keyboard.press('Tab');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    assert.notEqual(outline, 'none');
  });

  it('has tables that are tables for those who hear them, on a phone as well', async () => {
    for (const window of [DESK, PHONE]) {
      const { page } = await open(window);
      const table = page.locator('[id="/activate"]').getByRole('table', { name: 'Request' });
      assert.deepEqual(await table.getByRole('columnheader').allTextContents(), ['Request', 'Meaning']);
      assert.equal(await table.getByRole('rowheader', { name: 'machineFingerprint' }).count(), 1);
    }
  });

  it('leads nowhere that is not there, and to the console', async () => {
    const { page } = await open(DESK);
    const links = await page
      .locator('a, link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    const ids = new Set(await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id)));
    const get = async (path: string) => (await app.send(path, undefined, { method: 'GET' })).status;
    for (const link of new Set(links))
      if (link.startsWith('#')) assert.ok(ids.has(link.slice(1)), link);
      // Where the console is not built, its page explains how to build it.
      else if (link !== '/console/') assert.equal(await get(link), 200, link);
    assert.ok(links.includes('/console/'));
  });

  it('finds endpoints by their words, by keyboard, and says what it cannot find', async () => {
    const opened = await open(PHONE);
    const { page } = opened;
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog', { name: 'Search' });
    const field = dialog.getByRole('searchbox');
    await field.fill('machineFingerprint validate');
    await dialog.getByRole('link', { name: /^\/validate/ }).waitFor();
    await field.fill('<img src=x> xyzzy');
    await dialog.getByText('Nothing found.').waitFor();
    await field.fill('createlicense');
    await dialog.getByRole('link').filter({ hasText: '/createLicense' }).first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await page.waitForURL('**/docs#/createLicense');
    await page.locator('#find').click();
    await field.fill('machineFingerprint validate');
    await dialog.getByRole('link', { name: /^\/validate/ }).waitFor();
    await removeOtherEndpoints(page);
    await assertFaultless(opened);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  it('shows all samples in the language that was chosen once, and copies what it shows', async () => {
    const { page, complaints } = await open({ ...DESK, permissions: ['clipboard-read', 'clipboard-write'] });
    const part = page.locator('[id="/activate"]');
    assert.ok(await part.getByLabel('Request in curl', { exact: true }).isVisible());
    await part.locator('summary', { hasText: 'Python' }).click();
    for (const path of ['/activate', '/getLicense']) {
      const samples = page.locator(`[id="${path}"]`);
      assert.ok(await samples.getByLabel('Request in Python', { exact: true }).isVisible(), path);
      assert.equal(await samples.getByLabel('Request in curl', { exact: true }).isVisible(), false, path);
    }
    await part.getByRole('button', { name: 'Copy: Request in Python' }).click();
    await page.getByRole('status').getByText('Copied', { exact: true }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.equal(copied, pythonSample(endpointsByPath.get('/activate')!));
    await page.reload();
    assert.ok(await part.getByLabel('Request in Python', { exact: true }).isVisible(), 'after a reload');
    assert.deepEqual(complaints, []);
  });

  it('needs its script for search and copying alone', async () => {
    const { page } = await open({ ...DESK, javaScriptEnabled: false });
    assert.equal(await page.getByRole('button').count(), 0);
    const part = page.locator('[id="/activate"]');
    await part.locator('summary', { hasText: 'TypeScript' }).click();
    assert.ok(await part.getByLabel('Request in TypeScript', { exact: true }).isVisible());
    assert.equal(await part.getByLabel('Request in curl', { exact: true }).isVisible(), false);
  });

  it('prints its text without bars, buttons and cut samples', async () => {
    const { page } = await open(DESK);
    await page.emulateMedia({ media: 'print' });
    for (const hidden of ['.bar', '.contents', '.copy >> nth=0'])
      assert.equal(await page.locator(hidden).isVisible(), false, hidden);
    const cut = await page
      .locator('pre:visible, .samples')
      .evaluateAll((all) => all.filter((each) => each.scrollHeight > each.clientHeight + 1).length);
    assert.equal(cut, 0);
  });

  it('weighs a bounded number of bytes', async () => {
    const { body } = await app.send('/docs', undefined, { method: 'GET' });
    assert.ok(body.length < MAX_BYTES, `${body.length} bytes`);
    const compressed = gzipSync(body).length;
    assert.ok(compressed < MAX_COMPRESSED_BYTES, `${compressed} bytes compressed`);
  });
});
