/**
 * Windows of one browser, each without earlier state: nothing stored, nothing open, nobody signed in. A returned window
 * is cleared and reused, because a new one costs a process and would load and compile the console again.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { forgetTroubles, watch } from './inspect.ts';

/** The device and colour scheme of a window. */
export interface Look {
  readonly device: 'desktop' | 'phone';
  readonly scheme: 'light' | 'dark';
  /** British by default, which only a new window changes. */
  readonly locale?: string;
  /** Berlin by default, which only a new window changes. */
  readonly timeZone?: string;
}

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

/** Many times the longest wait on two busy cores. Only a failing test waits this long. */
export const PATIENCE_MS = 60_000;

/** The events that tests listen to. */
const HEARD = ['request', 'response', 'requestfailed', 'download', 'dialog', 'framenavigated'] as const;

/** The windows of one browser. */
export class Windows {
  readonly #browser: Browser;
  readonly #taken = new Map<Page, string>();
  readonly #empty = new Map<string, Page[]>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** The pages in use. */
  get pages(): readonly Page[] {
    return [...this.#taken.keys()];
  }

  /** Opens a window. @param isNew whether its cache is empty; such a window is not reused */
  async open(look: Look, isNew: boolean): Promise<Page> {
    const kind = isNew ? 'new' : `${look.device} ${look.scheme}`;
    const page = this.#empty.get(kind)?.pop() ?? (await this.#make(look));
    this.#taken.set(page, kind);
    return page;
  }

  /** Takes back all windows in use. */
  async takeBack(): Promise<void> {
    const taken = [...this.#taken];
    this.#taken.clear();
    await Promise.all(taken.map(([page, kind]) => this.#takeBack(page, kind)));
  }

  async #makeContext({ device, scheme, locale = 'en-GB', timeZone = 'Europe/Berlin' }: Look): Promise<BrowserContext> {
    return this.#browser.newContext({
      // Only requests that a test sends in a page's place need this; the browser accepts the certificate anyway.
      ignoreHTTPSErrors: true,
      viewport: SIZES[device],
      hasTouch: device === 'phone',
      colorScheme: scheme,
      locale,
      timezoneId: timeZone,
      reducedMotion: 'reduce',
      acceptDownloads: true,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
  }

  async #make(look: Look): Promise<Page> {
    const page = await (await this.#makeContext(look)).newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await watch(page);
    return page;
  }

  async #takeBack(page: Page, kind: string): Promise<void> {
    if (page.isClosed()) return;
    const context = page.context();
    if (kind === 'new' || context.pages().length > 1) return context.close();
    for (const event of HEARD) page.removeAllListeners(event);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.setOffline(false);
    const isEmptied = await page.evaluate(emptyStorage).catch(() => false);
    // A page outside the console cannot clear the console's storage, so its window is closed.
    if (!isEmptied) return context.close();
    // Leaves the console, so that its page ends. After about:blank, the browser would start a new process for the
    // window and compile the console again: 0.55 CPU-seconds instead of 0.23.
    const hasLeft = await page.goto(new URL('/healthz', page.url()).href).catch(() => null);
    // A service that was stopped does not answer.
    if (hasLeft === null) return context.close();
    await context.clearCookies();
    await page.emulateMedia({
      media: null,
      colorScheme: kind.endsWith('dark') ? 'dark' : 'light',
      reducedMotion: 'reduce',
    });
    await page.setViewportSize(SIZES[kind.startsWith('phone') ? 'phone' : 'desktop']);
    forgetTroubles(page);
    this.#empty.set(kind, [...(this.#empty.get(kind) ?? []), page]);
  }
}

/** Runs in the page. */
function emptyStorage(): boolean {
  localStorage.clear();
  sessionStorage.clear();
  return true;
}
