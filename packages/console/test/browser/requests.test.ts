/** The number of requests that a browser with an empty cache makes before the content is in sight. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN_SECRET } from '../../../server/test/support/app.ts';
import { Machine } from '../../../server/test/support/machine.ts';
import { describeConsole } from '../support/open-console.ts';

/** Maximum number of requests of all kinds: the page, its files, its icon, calls. */
const MOST = 7;

/** The files of screens named `screen.tsx`, such as the list of licenses. */
const LIST = /\/assets\/screen-/;
const LICENSE = /\/assets\/license-screen-/;

describeConsole('the first load', (under) => {
  before(async () => {
    // In use: a new installation opens with the first steps.
    await new Machine(under.app, await under.app.license({ email: 'ada@example.com' })).activated();
    // Two products, so that the filter above the list has choices.
    for (const slug of ['sampler', 'looper'])
      await under.app.admin('/createProduct', { name: slug, slug, creatorId: 'studio' });
  });

  for (const [screen, at, seen] of [
    ['the list of licenses', '/licenses', 'ada@example.com'],
    ['the figures of the overview', '/', 'Expire within 30 days: 0'],
  ] as const) {
    it(`shows ${screen} after at most ${MOST} requests to whoever is signed in`, async () => {
      const page = await under.open({ isNew: true, at });
      await page.goto('about:blank');
      const asked = await requestsUntil(
        page,
        seen,
        async () => void (await page.goto(`${under.origin}/console/#${at}`)),
      );
      assert.ok(asked.length <= MOST, asked.join('\n'));
    });
  }

  it('loads the parts beside a list after it', async () => {
    const page = await under.open({ isNew: true, at: '/licenses' });
    await page.getByLabel('Product').waitFor();
    const asked = await requestsUntil(page, 'ada@example.com', async () => void (await page.reload()));
    assert.ok(!asked.some((each) => each.includes('/listProducts')), asked.join('\n'));
    await page.getByLabel('Product').waitFor();
  });

  /**
   * An empty page of somebody who is signed in, and whose clock stands still: the console reads again after 5 seconds,
   * which a busy machine may take. It is empty because the start screen sends the same requests, possibly late.
   */
  const openedAtOneMoment = async () => {
    const page = await under.open({ isNew: true, at: '/start' });
    await page.clock.setFixedTime(Date.now());
    await page.goto('about:blank');
    return page;
  };

  it('asks for the list while the file of its screen is loaded', async () => {
    const page = await openedAtOneMoment();
    const release = await holdFile(page, LIST);
    const asked = page.waitForRequest('**/listLicenses');
    await page.goto(`${under.origin}/console/#/licenses`);
    await asked;
    const again = countRequests(page, '/listLicenses');
    release();
    await page.getByText('ada@example.com').waitFor();
    assert.equal(again(), 0);
  });

  it('asks for a license while the file of its page is loaded, once', async () => {
    const page = await openedAtOneMoment();
    const release = await holdFile(page, LICENSE);
    await page.goto(`${under.origin}/console/#/licenses`);
    const asked = Promise.all(['/getLicense', '/explainLicense'].map((path) => page.waitForRequest(`**${path}`)));
    await page.getByRole('row', { name: 'ada@example.com' }).getByRole('link').click();
    await asked;
    const again = countRequests(page, '/getLicense');
    release();
    await page.getByRole('tab', { name: 'Machines' }).waitFor();
    assert.equal(again(), 0);
  });

  it('loads the page of a license before the parts beside the list', async () => {
    const page = await openedAtOneMoment();
    const release = await holdFile(page, LICENSE);
    const products = countRequests(page, '/listProducts');
    const held = page.waitForRequest(LICENSE);
    await page.goto(`${under.origin}/console/#/licenses`);
    await held;
    await page.getByText('ada@example.com').waitFor();
    assert.equal(products(), 0);
    release();
    await page.getByLabel('Product').waitFor();
  });

  it('asks for the list after the sign-in, not before', async () => {
    const page = await under.open({ isNew: true, secret: null, at: '/licenses' });
    const lists = countRequests(page, '/listLicenses');
    await page.reload();
    await page.getByLabel('Secret or key').fill(ADMIN_SECRET);
    assert.equal(lists(), 0);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('ada@example.com').waitFor();
  });

  it('asks for nothing twice when somebody signs in', async () => {
    const page = await under.open({ isNew: true, secret: null });
    const asked = await requestsUntil(page, 'Expire within 30 days: 0', async () => {
      await page.reload();
      await page.getByLabel('Secret or key').fill(ADMIN_SECRET);
      await page.getByRole('button', { name: 'Sign in' }).click();
    });
    const files = asked.filter((each) => each.includes('/console/assets/'));
    assert.deepEqual(files, [...new Set(files)]);
    // Four more than for a signed-in person: the form, the ways in, the sign-in, and the first read of the session.
    assert.ok(asked.length <= MOST + 4, asked.join('\n'));
  });
});

/** Keeps the answer for a file back until the returned function is called. */
async function holdFile(page: Page, file: RegExp): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route(file, async (route) => {
    await held.promise;
    await route.continue();
  });
  return held.resolve;
}

/** Counts requests for a path from now on. */
function countRequests(page: Page, path: string): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === path) count += 1;
  });
  return () => count;
}

/** The requests of a page from opening it until its content is in sight, with the cache disabled. */
async function requestsUntil(page: Page, seen: string, open: () => Promise<void>): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.addInitScript((text) => {
    const observer = new MutationObserver(() => {
      const isIn = document.body?.textContent?.includes(text) || document.querySelector(`[aria-label="${text}"]`);
      if (!isIn) return;
      observer.disconnect();
      // A request marks the moment, because the test controls the page's clock but not the timing of requests.
      void fetch('/console/favicon.svg?seen');
    });
    observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
  }, seen);
  const marked = page.waitForResponse((response) => response.url().endsWith('?seen'));
  await open();
  await marked;
  // Requests are listed only after they are answered.
  await page.waitForLoadState('networkidle');
  return page.evaluate(async () => {
    const asked = await new Promise<PerformanceEntryList>((resolve) =>
      new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type: 'resource', buffered: true }),
    );
    const { startTime } = asked.find(({ name }) => name.endsWith('?seen'))!;
    const names = asked.filter((each) => each.startTime < startTime).map(({ name }) => name);
    // Browsers may or may not load the icon. It always counts.
    const icons = [...document.querySelectorAll<HTMLLinkElement>('link[rel~="icon"]')].map(({ href }) => href);
    return [location.href, ...icons, ...names.filter((name) => !icons.includes(name))];
  });
}
