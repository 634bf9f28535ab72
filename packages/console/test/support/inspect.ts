/** Inspects a page: accessibility, the service's security policy, errors, and every width. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { ENGINE } from './engine.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2, levels A and AA, and further good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/**
 * Rules about looks. They depend on an element's neighbours and background, so axe computes the position of every
 * element of the page. These rules inspect one element of each kind.
 */
const RULES_OF_LOOKS = ['color-contrast', 'link-in-text-block', 'target-size'];
/**
 * The kinds that passed {@link RULES_OF_LOOKS} in this process. Elements are of one kind if they and everything
 * around them have the same tags, classes and colours, in windows of the same width, before or behind a dialog.
 */
const passedKinds = new Set<string>();
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

/**
 * Fails if the page has a finding of axe, an error or a policy violation, or does not fit every width. Looks do not
 * depend on the engine, so on PostgreSQL it looks for errors alone.
 */
export async function inspect(page: Page): Promise<void> {
  if (ENGINE === 'postgres') return assertNoTroubles(page);
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
  assertNoTroubles(page);
}

/** Fails if the page has had an error or a policy violation. */
export function assertNoTroubles(page: Page): void {
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

/** A finding of axe, with its first place. */
interface Finding {
  readonly id: string;
  readonly html: string;
  readonly summary: string;
  readonly places: number;
}

/** axe in a page, as far as an inspection uses it. */
interface Axe {
  configure(options: { readonly noHtml: boolean }): void;
  run(
    where: Document | readonly Element[],
    options: object,
  ): Promise<Readonly<Record<'violations' | 'incomplete', readonly AxeResult[]>>>;
}

interface AxeResult {
  readonly id: string;
  readonly nodes: readonly { readonly element?: Element; readonly failureSummary?: string }[];
}

async function findingsOf(page: Page): Promise<readonly string[]> {
  // axe stays loaded in a document, so only the first inspection after a load adds it.
  await page.evaluate(() => {
    if (!('axe' in globalThis)) (globalThis as unknown as { loadAxe(): void }).loadAxe();
  });
  const { findings, passed } = await page.evaluate(inspectInPage, {
    rules: RULES,
    rulesOfLooks: RULES_OF_LOOKS,
    passedBefore: [...passedKinds],
  });
  for (const kind of passed) passedKinds.add(kind);
  return findings.map(({ id, html, summary, places }) => `${id}: ${html} ${summary} (${places})`);
}

interface InspectionInPage {
  readonly findings: readonly Finding[];
  /** The kinds of elements that passed for the first time. */
  readonly passed: readonly string[];
}

/** Runs in the page. */
async function inspectInPage(
  given: Readonly<Record<'rules' | 'rulesOfLooks' | 'passedBefore', readonly string[]>>,
): Promise<InspectionInPage> {
  const { axe } = globalThis as unknown as { axe: Axe };
  // axe would serialize each element that it looks at, and all within, for its results.
  axe.configure({ noHtml: true });
  // Skips passed rules and selectors, which no message uses.
  const brief = { selectors: false, elementRef: true };
  const { violations } = await axe.run(document, {
    ...brief,
    resultTypes: ['violations'],
    runOnly: given.rules,
    rules: Object.fromEntries(given.rulesOfLooks.map((rule) => [rule, { enabled: false }])),
  });

  const passedBefore = new Set(given.passedBefore);
  const unknown = new Map<string, Element>();
  const digests = new Map<Element, string>();
  for (const element of document.body.querySelectorAll('*')) {
    if (!element.matches('a, button, input, select, textarea, [role], [tabindex]') && !hasText(element)) continue;
    const { width, height } = element.getBoundingClientRect();
    const kind = kindOf(element, width, height);
    if (width > 0 && height > 0 && !passedBefore.has(kind)) unknown.set(kind, element);
  }
  if (unknown.size === 0) return { findings: violations.map(findingOf), passed: [] };
  const looks = await axe.run([...unknown.values()], {
    ...brief,
    resultTypes: ['violations', 'incomplete'],
    runOnly: given.rulesOfLooks,
  });
  // Elements that axe cannot decide on, for example because another covers them, are judged again in a later state.
  const open = [...looks.violations, ...looks.incomplete].flatMap(({ nodes }) => nodes);
  const doubtful = new Set(open.map(({ element }) => element));
  return {
    findings: [...violations, ...looks.violations].map(findingOf),
    passed: [...unknown].filter(([, element]) => !doubtful.has(element)).map(([kind]) => kind),
  };

  function hasText({ childNodes }: Element): boolean {
    return [...childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.nodeValue?.trim() !== '');
  }

  /**
   * Also tells links within a text, elements out of use or behind a dialog, and targets below 24 pixels, for which
   * rules differ or do not hold.
   */
  function kindOf(element: Element, width: number, height: number): string {
    const isWithinText = element.parentElement !== null && hasText(element.parentElement);
    const isOff = element.matches(':disabled, [aria-disabled="true"]');
    const isBehind = element.closest('[inert], [aria-hidden="true"]') !== null;
    const size = [Math.min(width, 24), Math.min(height, 24)];
    return digest([digestOf(element), isWithinText, isOff, isBehind, ...size].join(' '));
  }

  /** Stands for an element and everything around it, as far as the styles see it. */
  function digestOf(element: Element | null): string {
    if (element === null) return String(innerWidth);
    const found = digests.get(element);
    if (found !== undefined) return found;
    const { color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight } = getComputedStyle(element);
    const colours = [color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight];
    const name = `${element.localName}.${element.getAttribute('class')}`;
    const made = digest([digestOf(element.parentElement), name, ...colours].join(' '));
    digests.set(element, made);
    return made;
  }

  /** 64 bits of a text. */
  function digest(text: string): string {
    let [first, second] = [0xdeadbeef, 0x41c6ce57];
    for (let index = 0; index < text.length; index += 1) {
      first = Math.imul(first ^ text.charCodeAt(index), 0x9e3779b1);
      second = Math.imul(second ^ text.charCodeAt(index), 0x5f356495);
    }
    return `${(first >>> 0).toString(36)}.${(second >>> 0).toString(36)}`;
  }

  function findingOf({ id, nodes }: AxeResult): Finding {
    const [place] = nodes;
    const html = place?.element?.outerHTML.slice(0, 200) ?? '';
    return { id, html, summary: place?.failureSummary?.split('\n')[1]?.trim() ?? '', places: nodes.length };
  }
}
