/** Requirements of every page that people see: it is accessible, fits every width, and reports no errors. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** The rules of WCAG 2.2, levels A and AA, and good practice. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** An open page, with the complaints of its browser since: errors, and violations of the page's policy. */
export interface OpenPage {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** Opens an address in a new window, which is closed with the browser. */
export async function openPage(browser: Browser, url: string, window: BrowserContextOptions): Promise<OpenPage> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...window });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) complaints.push(line.text());
  });
  await page.goto(url);
  return { page, complaints };
}

/** The rules about colours: they take most of the time, and depend on the colour scheme. The others do not. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** The rule about sizes compares each target with its neighbours: half of the remaining time on a long page. */
const SIZE_RULE = 'target-size';

/** Skips passed rules and the selectors of elements, which no message uses: most of the time on a long page. */
const FINDINGS_ALONE = { resultTypes: ['violations'], selectors: false, elementRef: true };

/** Rules that an inspection may leave out. */
export interface Inspection {
  /** The parts to inspect; the whole page by default. */
  readonly selectors?: readonly string[];
  /** The rules about colours alone, all others, or these without the one about sizes; all by default. */
  readonly rules?: 'colours' | 'others' | 'structure';
}

/** Findings of axe: the name of each rule, and the first place. */
export async function findingsOf(page: Page, { selectors, rules }: Inspection = {}): Promise<readonly string[]> {
  // axe stays loaded in a document.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(`${axeSource};null`);
  const where = selectors === undefined ? 'document' : JSON.stringify(selectors);
  const options =
    rules === 'colours'
      ? { runOnly: { type: 'rule', values: COLOUR_RULES } }
      : {
          runOnly: TAGS,
          rules: {
            ...Object.fromEntries(COLOUR_RULES.map((name) => [name, { enabled: rules === undefined }])),
            [SIZE_RULE]: { enabled: rules !== 'structure' },
          },
        };
  // axe would serialize each element that it looks at, and all within: on a long page, megabytes per rule.
  return page.evaluate<readonly string[]>(
    `axe.configure({ noHtml: true });
    axe.run(${where}, ${JSON.stringify({ ...options, ...FINDINGS_ALONE })}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ' (' + nodes.length + '): ' + nodes[0].element.outerHTML.slice(0, 160)))`,
  );
}

/** Number of pixels by which the page is wider than its window, at least 0. */
export function excessWidthOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Fails unless a page meets all requirements. */
export async function assertFaultless({ page, complaints }: OpenPage, inspection?: Inspection): Promise<void> {
  assert.deepEqual(await findingsOf(page, inspection), []);
  assert.equal(await excessWidthOf(page), 0, 'the page has to be scrolled sideways');
  assert.notEqual(await page.title(), '');
  assert.deepEqual(complaints, []);
}
