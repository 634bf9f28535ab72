/**
 * What the console asks the service for when a screen is opened. A real browser opens each screen and what it sends is
 * noted down, so that the figures are of what people wait for, whatever the screens become.
 */
import type { BrowserContext, Page, Request } from 'playwright-core';
import { findBrowser, NO_BROWSER, openBrowser } from '../../packages/server/test/support/browser.ts';
import type { PreparedRequest } from './pool.ts';
import type { Read } from './reads.ts';
import type { SeededLatchkey } from './subject.ts';

/** So many licenses, products and codes have their screens opened. */
const THINGS_OPENED = 5;
/** Headers of the console's calls without which the service would not take the cookie for a credential. */
const SESSION_HEADERS = ['cookie', 'x-latchkey-console', 'sec-fetch-site'];
/** How long a screen may take to have read all it shows: far more than it does. */
const SETTLING_MS = 60_000;

/** Operators see orders when they have named something of them. */
const ORDERS_OF_COURSE = '/orders?course=course-0';

/** A screen's title and the addresses after the # at which it is opened. */
type Visits = readonly (readonly [title: string, addresses: readonly string[]])[];

/**
 * The calls of each screen, for one database: `license: /explainLicense`. Each database is visited alike, so both give the
 * same calls.
 *
 * @throws where there is no browser
 */
export async function screenReadsOn({ server, seeded, secrets }: SeededLatchkey): Promise<readonly Read[]> {
  const program = await findBrowser();
  if (program === null) throw new Error(NO_BROWSER);
  const origin = `https://localhost:${server.addresses[0]!.port}`;
  await using running = new AsyncDisposableStack();
  const browser = running.adopt(await openBrowser(program), (open) => open.close());
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1440, height: 900 } });
  const page = await signedIn(context, origin, secrets.admin);
  const reads: Read[] = [];
  const known = new Set<string>();
  const visits = visitsOf(seeded, await firstOrder(page, origin));
  for (const [title, addresses] of visits) {
    const calls = new Map<string, Request[]>();
    const listen = (request: Request) => {
      if (request.method() !== 'POST') return;
      const path = new URL(request.url()).pathname;
      calls.set(path, [...(calls.get(path) ?? []), request]);
    };
    page.on('request', listen);
    for (const address of addresses) await open(page, origin, address);
    page.off('request', listen);
    for (const [path, requests] of calls) {
      const bodies = [...new Set(requests.map((request) => request.postData() ?? '{}'))];
      // What several screens ask alike is measured once.
      const call = [path, ...bodies].join(' ');
      if (known.has(call)) continue;
      known.add(call);
      reads.push(await readOf(`${title}: ${path}`, path, bodies, requests[0]!));
    }
  }
  return reads;
}

/** Every screen that shows something of the database, with its tabs that read more; those of one thing for some of them. */
function visitsOf({ catalogue, shop }: SeededLatchkey['seeded'], order: string): Visits {
  const some = (size: number, address: (number: number) => string) =>
    Array.from({ length: THINGS_OPENED }, (_, index) => address(Math.floor(((index + 0.5) / THINGS_OPENED) * size)));
  return [
    ['overview', ['/']],
    ['licenses', ['/licenses']],
    ['license', some(catalogue.size, (number) => `/licenses/${catalogue.license(number).licenseKey}`)],
    ['timeline', some(catalogue.size, (number) => `/licenses/${catalogue.license(number).licenseKey}?tab=timeline`)],
    ['violations', ['/violations']],
    ['seats', ['/seats']],
    ['activity', ['/activity']],
    ['refusals', ['/activity?show=refusals']],
    ['products', ['/products']],
    ['product', some(shop.products, (number) => `/products/${shop.product(number).productId}`)],
    ['codes', ['/codes']],
    ['code', some(shop.codes, (number) => `/codes/${shop.code(number).code}`)],
    ['orders', [ORDERS_OF_COURSE]],
    ['order', [order]],
    ['keys', ['/keys']],
    ['operator keys', ['/keys?tab=people']],
    ['system', ['/system']],
  ];
}

async function signedIn(context: BrowserContext, origin: string, secret: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}/console/`);
  await page.getByLabel('Secret or key').fill(secret);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').first().waitFor();
  return page;
}

/** The identifier of an order is random, so the list of orders has to say one. */
async function firstOrder(page: Page, origin: string): Promise<string> {
  await open(page, origin, ORDERS_OF_COURSE);
  const href = await page.getByRole('main').locator('a[href^="#/orders/"]').first().getAttribute('href');
  if (href === null) throw new Error('the list of orders shows none');
  return href.slice(1);
}

/** Opens a screen as somebody does who follows a link from outside, and waits until it has read everything. */
async function open(page: Page, origin: string, address: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${origin}/console/#${address}`);
  await page.waitForLoadState('networkidle', { timeout: SETTLING_MS });
}

/** What was asked of one endpoint as requests to measure. `example` is one of them as the browser sent it. */
async function readOf(title: string, path: string, bodies: readonly string[], example: Request): Promise<Read> {
  const sent = await example.allHeaders();
  const headers = Object.fromEntries(SESSION_HEADERS.map((name) => [name, sent[name] ?? '']));
  return {
    title,
    source: {
      path,
      headers,
      usesMax: Number.POSITIVE_INFINITY,
      requests: bodies.map((body) => ({
        body: JSON.parse(body) as PreparedRequest['body'],
        fields: { success: true },
      })),
    },
  };
}
