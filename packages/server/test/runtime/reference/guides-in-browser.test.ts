/** The guides at /docs/NAME for people: in a browser, on a phone, in the dark, by keyboard, on paper. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { GUIDES } from '../../../src/runtime/reference/guides/guide-list.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { findBrowser, NO_BROWSER, openBrowser } from '../../support/browser.ts';
import { assertFaultless, excessWidthOf, findingsOf, openPage } from '../../support/inspect-page.ts';

const program = await findBrowser();
const PHONE = { viewport: { width: 390, height: 844 } };
const DESK = { viewport: { width: 1280, height: 900 } };
/** Pages with every kind of part: samples, tables of each kind, lists, pictures. All are built alike. */
const INSPECTED = ['guides', 'api-keys', 'self-service', 'operations', 'scale', 'nowhere'];

describe('the guides in a browser', { skip: program === null && NO_BROWSER }, () => {
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
  const addressOf = (name: string) => `https://127.0.0.1:${app.port}/docs/${name}`;
  const open = (name: string, window: Parameters<typeof openPage>[2]) => openPage(browser, addressOf(name), window);

  it('fit every width, load their pictures, and ask for nothing that their policy forbids', async () => {
    const { page, complaints } = await open('guides', PHONE);
    for (const { name } of GUIDES) {
      await page.goto(addressOf(name));
      for (const width of [390, 320, 1280]) {
        await page.setViewportSize({ width, height: 844 });
        assert.equal(await excessWidthOf(page), 0, `${name}, ${width} pixels`);
      }
      for (const picture of await page.locator('main img').all()) {
        await picture.scrollIntoViewIfNeeded();
        await picture.evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
      }
    }
    assert.deepEqual(complaints, []);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`have no fault in ${colorScheme} colours, on a desk and on a phone`, async () => {
      const { page } = await open('guides', { ...DESK, colorScheme });
      for (const name of INSPECTED) {
        await page.goto(addressOf(name));
        for (const { viewport } of [DESK, PHONE]) {
          await page.setViewportSize(viewport);
          const rules = colorScheme === 'dark' ? { rules: 'colours' as const } : {};
          assert.deepEqual(await findingsOf(page, rules), [], `${name}, ${viewport.width} pixels`);
        }
      }
    });

  it('let wide tables and samples scroll by themselves on a phone, also by keyboard', async () => {
    const { page } = await open('configuration', PHONE);
    const table = page.locator('.scroll').first();
    assert.ok(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth));
    await table.focus();
    const scrolled = table.evaluate(
      (element) => new Promise((resolve) => element.addEventListener('scroll', resolve, { once: true })),
    );
    await page.keyboard.press('ArrowRight');
    await scrolled;
    assert.ok((await table.evaluate(({ scrollLeft }) => scrollLeft)) > 0);
  });

  it('have contents with their own headings first, which open on request on a phone', async () => {
    const { page } = await open('events', PHONE);
    const contents = page.getByRole('navigation', { name: 'Contents' });
    assert.equal(await contents.isVisible(), false, 'the text comes first');
    await page.getByRole('link', { name: 'Contents' }).click();
    assert.equal(await contents.getByRole('link').first().textContent(), 'A verified event in five minutes');
    assert.equal(await contents.locator('[aria-current="page"]').textContent(), 'Events');
    await contents.getByRole('link', { name: 'Verify', exact: true }).click();
    assert.equal(await contents.isVisible(), false);
    await page.waitForURL('**/docs/events#verify');
    await page.getByRole('link', { name: 'Contents' }).click();
    await contents.getByRole('link', { name: 'The console', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'The console' }).waitFor();
  });

  it('are found from the reference and from each other, by headings and by text', async () => {
    const { page } = await openPage(browser, `https://127.0.0.1:${app.port}/docs`, DESK);
    await page.getByRole('link', { name: 'Guides', exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Guides' }).waitFor();
    const dialog = page.getByRole('dialog', { name: 'Search' });
    await page.keyboard.press('/');
    await dialog.getByRole('searchbox').fill('when a receiver is down');
    await dialog.getByRole('link', { name: 'When a receiver is down' }).click();
    await page.waitForURL('**/docs/events#when-a-receiver-is-down');
    await page.keyboard.press('/');
    await dialog.getByRole('searchbox').fill('LATCHKEY_SMTP_CA_FILE');
    await dialog.getByRole('link', { name: 'Configuration' }).click();
    await page.waitForURL('**/docs/configuration');
    await page.keyboard.press('/');
    await dialog.getByRole('searchbox').fill('/createLicense');
    await dialog.getByRole('link', { name: '/createLicense', exact: false }).first().click();
    await page.waitForURL('**/docs#/createLicense');
  });

  it('copy a sample as their file has it', async () => {
    const { page, complaints } = await open('abuse', { ...DESK, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy: Commands: Abuse' }).click();
    await page.getByRole('status').getByText('Copied', { exact: true }).waitFor();
    const markdown = readFileSync(new URL('../../../../../docs/shops/abuse.md', import.meta.url), 'utf8');
    const [, sample] = /```sh\n([\s\S]*?)\n```/.exec(markdown) ?? [];
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), sample);
    assert.deepEqual(complaints, []);
  });

  it('need their script for search and copying alone', async () => {
    const { page } = await open('license-files', { ...DESK, javaScriptEnabled: false });
    assert.equal(await page.getByRole('button').count(), 0);
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Keys', exact: true }).click();
    await page.waitForURL('**/docs/license-files#keys');
    assert.ok(await page.getByRole('heading', { name: 'Keys', exact: true }).isVisible());
  });

  it('print their text without bars, buttons, cut tables and cut samples', async () => {
    const { page } = await open('license-files', DESK);
    await page.emulateMedia({ media: 'print' });
    for (const hidden of ['.bar', '.contents', '.neighbours', '.copy >> nth=0'])
      assert.equal(await page.locator(hidden).isVisible(), false, hidden);
    const cut = await page
      .locator('pre, .scroll')
      .evaluateAll((all) => all.filter((each) => each.scrollHeight > each.clientHeight + 1).length);
    assert.equal(cut, 0);
  });

  it('lead on from an address without a page', async () => {
    const { page } = await open('nowhere', PHONE);
    await page.getByRole('heading', { level: 1, name: 'There is no page at this address' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Integrating an app' }).click();
    const opened = { page, complaints: [] };
    await page.getByRole('heading', { level: 1, name: 'Integrating an app' }).waitFor();
    await assertFaultless(opened);
  });
});
