/**
 * The console's requests when a screen opens. A real browser opens each screen and the bench records its requests, so
 * the figures always match the current screens.
 */
import type { Page, Request } from 'playwright-core';
import { openWindow, signedIn } from './console-page.ts';
import type { PreparedRequest } from './pool.ts';
import type { Read } from './reads.ts';
import type { SeededLatchkey } from './subject.ts';

/** Number of licenses, products and codes whose screens are opened for a measurement. */
const THINGS_OPENED = 5;
/** Headers of the console's calls that the service requires to accept the cookie as a credential. */
const SESSION_HEADERS = ['cookie', 'x-latchkey-console', 'sec-fetch-site'];
/** Maximum time for a screen to load all its data: far more than it needs. */
const SETTLING_MS = 60_000;

/** The banner above every screen calls it at some time after the content, so it belongs to no screen. */
const CALL_OF_BANNER = '/listDestinations';

/** The navigation counts violations at some time after the content of any screen, so this call has its own title. */
const NAVIGATION = 'navigation';
const isOfNavigation = (path: string, request: Request) =>
  path === '/listViolations' && request.postDataJSON()?.withTotal === true;

/** A screen's title and the addresses after the # at which it is opened. */
type Visits = readonly (readonly [title: string, addresses: readonly string[]])[];

/**
 * The calls of each screen for one database, such as `license: /explainLicense`. Every database gets the same visits,
 * so both give the same calls.
 *
 * @param thingsOpened number of licenses, products and codes whose screens are opened
 * @throws if no browser is installed
 */
export async function screenReadsOn(
  { server, seeded, secrets }: SeededLatchkey,
  thingsOpened = THINGS_OPENED,
): Promise<readonly Read[]> {
  const origin = `https://localhost:${server.addresses[0]!.port}`;
  await using running = new AsyncDisposableStack();
  const page = await signedIn(await openWindow(running), origin, secrets.admin);
  const reads: Read[] = [];
  const known = new Set<string>();
  const ofNavigation = new Map<string, Request[]>();
  const readAll = async (title: string, calls: ReadonlyMap<string, readonly Request[]>) => {
    for (const [path, requests] of calls) {
      const bodies = [...new Set(requests.map((request) => request.postData() ?? '{}'))];
      // Calls that several screens share are measured once.
      const call = [path, ...bodies].join(' ');
      if (known.has(call)) continue;
      known.add(call);
      reads.push(await readOf(`${title}: ${path}`, path, bodies, requests[0]!));
    }
  };
  const visits = visitsOf(seeded, thingsOpened, await firstOrder(page, origin));
  for (const [title, addresses] of visits) {
    const calls = new Map<string, Request[]>();
    const listen = (request: Request) => {
      if (request.method() !== 'POST') return;
      const path = new URL(request.url()).pathname;
      if (path === CALL_OF_BANNER) return;
      const gathered = isOfNavigation(path, request) ? ofNavigation : calls;
      gathered.set(path, [...(gathered.get(path) ?? []), request]);
    };
    page.on('request', listen);
    for (const address of addresses) await open(page, origin, address);
    page.off('request', listen);
    await readAll(title, calls);
  }
  await readAll(NAVIGATION, ofNavigation);
  return reads;
}

/** Every screen that shows data, with its tabs that read more; screens of single items are opened for some of them. */
function visitsOf({ catalogue, shop }: SeededLatchkey['seeded'], thingsOpened: number, order: string): Visits {
  const some = (size: number, address: (number: number) => string) =>
    Array.from({ length: thingsOpened }, (_, index) => address(Math.floor(((index + 0.5) / thingsOpened) * size)));
  return [
    ['overview', ['/']],
    ['licenses', ['/licenses']],
    ['license', some(catalogue.size, (number) => `/licenses/${catalogue.license(number).licenseKey}`)],
    ['timeline', some(catalogue.size, (number) => `/licenses/${catalogue.license(number).licenseKey}?tab=timeline`)],
    ['customers', ['/customers']],
    ['violations', ['/violations']],
    ['seats', ['/seats']],
    ['activity', ['/activity']],
    ['refusals', ['/activity?show=refusals']],
    ['sales', ['/sales']],
    ['products', ['/products']],
    ['product', some(shop.products, (number) => `/products/${shop.product(number).productId}`)],
    ['codes', ['/codes']],
    ['code', some(shop.codes, (number) => `/codes/${shop.code(number).code}`)],
    ['orders', ['/orders']],
    ['order', [order]],
    ['keys', ['/keys']],
    ['operator keys', ['/keys?tab=people']],
    ['system', ['/system']],
  ];
}

/** The identifier of an order is random, so it comes from the list of orders. */
async function firstOrder(page: Page, origin: string): Promise<string> {
  await open(page, origin, '/orders');
  const href = await page.getByRole('main').locator('a[href^="#/orders/"]').first().getAttribute('href');
  if (href === null) throw new Error('the list of orders shows none');
  return href.slice(1);
}

/** Opens a screen as from an external link and waits until it has loaded all its data. */
async function open(page: Page, origin: string, address: string): Promise<void> {
  // Between two addresses of the console the page would stay loaded. about:blank would end the process of the window,
  // and the next page would compile the console again.
  await page.goto(`${origin}/healthz`);
  await page.goto(`${origin}/console/#${address}`);
  await page.waitForLoadState('networkidle', { timeout: SETTLING_MS });
}

/** The requests to one endpoint, for the measurement. `example` is one of them as the browser sent it. */
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
