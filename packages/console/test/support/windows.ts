/**
 * Windows of one browser, each as a person has it who never was here: nothing kept, nothing open, nobody signed in. A window
 * that is given back is emptied and used again: a new one costs a process, and would load and translate the console anew.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { forgetTroubles, watch } from './inspect.ts';

/** How it looks to whoever sits before it. */
export interface Look {
  readonly device: 'desktop' | 'phone';
  readonly scheme: 'light' | 'dark';
}

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

/** What tests listen to. */
const HEARD = ['request', 'response', 'requestfailed', 'download', 'dialog', 'framenavigated'] as const;

/** The windows of one browser. */
export class Windows {
  readonly #browser: Browser;
  readonly #taken = new Map<Page, string>();
  readonly #empty = new Map<string, Page[]>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** The pages that are in use. */
  get pages(): readonly Page[] {
    return [...this.#taken.keys()];
  }

  /** Opens a window. @param isNew whether its browser has loaded nothing before, and is not used again */
  async open(look: Look, isNew: boolean): Promise<Page> {
    const kind = isNew ? 'new' : `${look.device} ${look.scheme}`;
    const page = this.#empty.get(kind)?.pop() ?? (await this.#make(look));
    this.#taken.set(page, kind);
    return page;
  }

  /** Takes all windows back that are in use. */
  async takeBack(): Promise<void> {
    const taken = [...this.#taken];
    this.#taken.clear();
    await Promise.all(taken.map(([page, kind]) => this.#takeBack(page, kind)));
  }

  async #makeContext({ device, scheme }: Look): Promise<BrowserContext> {
    return this.#browser.newContext({
      // The browser asks nobody about certificates; what a test sends in a page's place does.
      ignoreHTTPSErrors: true,
      viewport: SIZES[device],
      hasTouch: device === 'phone',
      colorScheme: scheme,
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
      acceptDownloads: true,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
  }

  async #make(look: Look): Promise<Page> {
    const page = await (await this.#makeContext(look)).newPage();
    page.setDefaultTimeout(10_000);
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
    // What is no page of the console has nothing to be emptied by itself.
    if (!isEmptied) return context.close();
    await Promise.all([
      // What is behind the page in its history is of another origin then, and no page of the console goes back there.
      page.goto('about:blank'),
      context.clearCookies(),
    ]);
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
