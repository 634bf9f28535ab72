/** Requests that wait until a test lets them through. */
import type { Page } from 'playwright-core';

/** A gate before the requests of a page to a URL pattern: they wait until `open`. */
export async function gateBefore(page: Page, url: string) {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    reached.resolve();
    await opened.promise;
    await route.continue();
  });
  return {
    /** Resolves when a request waits. */
    reached: reached.promise,
    open: opened.resolve,
  };
}
