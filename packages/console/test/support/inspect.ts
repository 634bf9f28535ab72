/** Inspects a page: accessibility, the service's security policy, errors, and every width. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2, levels A and AA, and further good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The widths in pixels at which the page must not scroll sideways. */
const WIDTHS = [320, 390, 1440];

/** Errors of each page since it was opened. */
const troubles = new WeakMap<Page, string[]>();

/** Records errors and policy violations of a page. Call it once, before the page loads anything. */
export async function watch(page: Page): Promise<void> {
  const seen: string[] = [];
  troubles.set(page, seen);
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    // The browser itself logs every refusal that it receives; refusals are part of journeys.
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (isAnswer && !new URL(message.location().url).pathname.startsWith('/console/')) return;
    seen.push(`${message.type()}: ${message.text()}`);
  });
  // Sent once per window instead of once per inspection: it has half a megabyte. Each document runs it when inspected.
  await page.addInitScript(`globalThis.loadAxe = () => { ${AXE}\n};`);
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
}

/** Clears the errors of a page before its next use. */
export function forgetTroubles(page: Page): void {
  troubles.get(page)?.splice(0);
}

/** Fails if the page has a finding of axe, an error or a policy violation, or does not fit every width. */
export async function inspect(page: Page): Promise<void> {
  assert.deepEqual(await findingsOf(page), [], `findings of axe on ${page.url().split('#')[1]}`);
  const size = page.viewportSize()!;
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: size.height });
    const over = await page.evaluate(pixelsTooWide);
    assert.ok(over <= 0, `${page.url().split('#')[1]} is ${over} pixels too wide for ${width}`);
  }
  // The last width is the desktop's, which most journeys use.
  if (size.width !== page.viewportSize()!.width) await page.setViewportSize(size);
  assert.notEqual(await page.title(), '', 'the page has no title');
  assert.deepEqual(troubles.get(page) ?? [], [], 'errors of the page');
}

/** Pixels by which the page is wider than its window. Waits up to 60 frames for the layout to settle after a resize. */
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
  // axe stays loaded in a document, so only the first inspection after a load adds it.
  await page.evaluate(() => {
    if (!('axe' in globalThis)) (globalThis as unknown as { loadAxe(): void }).loadAxe();
  });
  const result = await page.evaluate(
    (options) => (globalThis as unknown as { axe: { run(o: object): Promise<unknown> } }).axe.run(options),
    // Skips passed rules and selectors, which no message uses.
    { runOnly: RULES, resultTypes: ['violations'], selectors: false },
  );
  return (result as AxeResult).violations.map(({ id, nodes }) => {
    const [first] = nodes;
    return `${id}: ${first?.html.slice(0, 200)} ${first?.failureSummary?.split('\n')[1]?.trim() ?? ''} (${nodes.length})`;
  });
}
