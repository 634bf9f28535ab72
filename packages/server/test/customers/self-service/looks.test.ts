/** Every state of the pages for customers, in a browser: on a narrow phone, light and dark. Makes their pictures. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { framed } from '../../../src/customers/self-service/pages/frame.ts';
import { stylesWith } from '../../../src/customers/self-service/pages/styles.ts';
import { findBrowser, NO_BROWSER, openBrowser } from '../../support/browser.ts';
import { excessWidthOf, findingsOf } from '../../support/inspect-page.ts';
import { smallPicture } from '../../support/small-picture.ts';
import { HOSTILE, PAGE_PICTURES, type SamplePage, samplePages } from './sample-pages.ts';

const program = await findBrowser();
const PHONE = { width: 320, height: 640 };
/** The states that differ in their elements. The others leave some of them out, and an inspection costs 0.2 s. */
const DISTINCT = [
  ...['ask-refused', 'ask-signed-out', 'ask-without-mail', 'code-refused', 'code-not-asked', 'link', 'link-ended'],
  ...['licenses-sent', 'licenses-none', 'license-full', 'license-file-refused', 'license-revoked', 'license-spent'],
  ...['license-new-key', 'new-key', 'release-running', 'notice-busy', 'file-question', 'file-made'],
];

function distinct(samples: readonly SamplePage[]): readonly SamplePage[] {
  const found = samples.filter(({ name }) => DISTINCT.includes(name));
  assert.equal(found.length % DISTINCT.length, 0);
  return found;
}

describe('the pages for customers in a browser', { skip: program === null && NO_BROWSER }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser(program!);
  });
  after(() => browser.close());

  for (const { file, page: name, language, width, colorScheme } of PAGE_PICTURES)
    it(`look as in docs/images/${file}`, async () => {
      const page = await browser.newPage({ viewport: { width, height: 480 }, colorScheme });
      await showSample(page, samplePages(language).find((each) => each.name === name)!);
      assert.equal(await excessWidthOf(page), 0);
      const path = fileURLToPath(new URL(`../../../../../docs/images/${file}`, import.meta.url));
      if (process.env.LATCHKEY_PICTURES === 'write')
        await writeFile(path, smallPicture(await page.screenshot({ fullPage: true })));
      await page.close();
    });

  it('have no finding of axe in any state, light or dark, on 320 pixels', async () => {
    const page = await browser.newPage({ viewport: PHONE });
    for (const sample of distinct(samplePages('en'))) {
      const { name } = sample;
      await showSample(page, sample);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const rules = colorScheme === 'dark' ? ({ rules: 'colours' } as const) : {};
        assert.deepEqual(await findingsOf(page, rules), [], `${name}, ${colorScheme}`);
      }
      assert.equal(await excessWidthOf(page), 0, name);
    }
    await page.close();
  });

  it('fit 320 pixels in every language, also with names of 100 characters', async () => {
    const page = await browser.newPage({ viewport: PHONE, javaScriptEnabled: false });
    const samples = [...samplePages('de'), ...samplePages('fr'), ...samplePages('es', HOSTILE)];
    for (const sample of distinct(samples)) {
      await showSample(page, sample);
      assert.equal(await excessWidthOf(page), 0, `${sample.name} in ${sample.view.language}`);
    }
    await page.close();
  });
});

/** Shows a page that no service made, with its styles. */
async function showSample(page: Page, { view, content }: SamplePage): Promise<void> {
  const styles = `<style>${stylesWith((view.shop.accent ?? '').slice(1))}</style>`;
  await page.setContent(framed(view, content).replace(/<link rel="stylesheet"[^>]*>/, styles));
}
