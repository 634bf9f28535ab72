/** Judges what is in sight: for everybody to use, within the policy of the service, without errors, on every width. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2, levels A and AA, and what is good practice besides. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The widths on which nothing may have to be scrolled sideways. */
const WIDTHS = [320, 390, 1440];

/** What went wrong on a page since it was opened. */
const troubles = new WeakMap<Page, string[]>();

/** Watches a page for errors and for what the policy of the service blocked. Called once, before it loads anything. */
export async function watch(page: Page): Promise<void> {
  const seen: string[] = [];
  troubles.set(page, seen);
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    // The browser itself writes a line for each answer that is a refusal; refusals are part of journeys.
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (isAnswer && !new URL(message.location().url).pathname.startsWith('/console/')) return;
    seen.push(`${message.type()}: ${message.text()}`);
  });
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
}

/** Forgets what went wrong on a page that somebody else will look at. */
export function forgetTroubles(page: Page): void {
  troubles.get(page)?.splice(0);
}

/** Fails unless what is in sight has no finding of axe, no error, no violation of the policy, and fits every width. */
export async function inspect(page: Page): Promise<void> {
  assert.deepEqual(await findingsOf(page), [], `findings of axe on ${page.url().split('#')[1]}`);
  const size = page.viewportSize()!;
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: size.height });
    const over = await page.evaluate(pixelsTooWide);
    assert.ok(over <= 0, `${page.url().split('#')[1]} is ${over} pixels too wide for ${width}`);
  }
  // The last of the widths is that of a desk, where most journeys are.
  if (size.width !== page.viewportSize()!.width) await page.setViewportSize(size);
  assert.notEqual(await page.title(), '', 'the page has no title');
  assert.deepEqual(troubles.get(page) ?? [], [], 'errors of the page');
}

/** How much wider the page is than its window, once what floats and what is drawn has followed a change of the window. */
async function pixelsTooWide(): Promise<number> {
  let over = 0;
  for (let frame = 0; frame < 60; frame += 1) {
    await new Promise(requestAnimationFrame);
    over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    if (over <= 0) break;
  }
  return over;
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

async function findingsOf(page: Page): Promise<readonly string[]> {
  // A document keeps it: only the first inspection after a load brings it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(`${AXE};0`);
  const result = await page.evaluate(
    (options) => (globalThis as unknown as { axe: { run(o: object): Promise<unknown> } }).axe.run(options),
    // What passed, and where in the page a finding is beyond its own words, is read by nobody.
    { runOnly: RULES, resultTypes: ['violations'], selectors: false },
  );
  return (result as AxeResult).violations.map(({ id, nodes }) => {
    const [first] = nodes;
    return `${id}: ${first?.html.slice(0, 200)} ${first?.failureSummary?.split('\n')[1]?.trim() ?? ''} (${nodes.length})`;
  });
}
