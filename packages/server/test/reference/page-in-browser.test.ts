/** The page at /docs for people: in a browser, on a phone, in the dark, by keyboard. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { sections } from '../../src/app.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { findBrowser, NO_BROWSER, openBrowser } from '../support/browser.ts';
import { assertFaultless, excessWidthOf, findingsOf, openPage } from '../support/inspect-page.ts';

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
/** Largest size of the page as sent, and compressed: it grows with the endpoints, because all of them are on it. */
const MOST_BYTES = 540_000;
const MOST_COMPRESSED_BYTES = 64_000;

describe('the reference page in a browser', { skip: program === null && NO_BROWSER }, () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    app = await startApp('sqlite');
    browser = await openBrowser(program!);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });
  const open = (window: Parameters<typeof openPage>[2]) =>
    openPage(browser, `https://127.0.0.1:${app.port}/docs`, window);
  const openDetails = (page: Page) =>
    page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
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
    await assertFaultless(await open(DESK));
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
        assert.deepEqual(await findingsOf(page, { selectors: KINDS_OF_PARTS, rules: 'colours' }), []);
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
      assert.ok(await contents.getByRole('link', { name: title, exact: true }).isVisible());
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

  it('weighs a bounded number of bytes', async () => {
    const { body } = await app.send('/docs', undefined, { method: 'GET' });
    assert.ok(body.length < MOST_BYTES, `${body.length} bytes`);
    const compressed = gzipSync(body).length;
    assert.ok(compressed < MOST_COMPRESSED_BYTES, `${compressed} bytes compressed`);
  });
});
