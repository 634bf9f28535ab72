/** The console in a real browser. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findBrowser, NO_BROWSER, openBrowser } from '../../packages/server/test/support/browser.ts';

/** A window as wide as that of a computer, which accepts the certificate of a service under test. */
export const WINDOW = { ignoreHTTPSErrors: true, viewport: { width: 1440, height: 900 } };

/**
 * Starts a browser, which `running` closes.
 *
 * @throws if no browser is installed
 */
export async function startBrowser(running: AsyncDisposableStack): Promise<Browser> {
  const program = await findBrowser();
  if (program === null) throw new Error(NO_BROWSER);
  return running.adopt(await openBrowser(program), (open) => open.close());
}

/** Opens a window of a browser that `running` closes. */
export async function openWindow(running: AsyncDisposableStack): Promise<BrowserContext> {
  return (await startBrowser(running)).newContext(WINDOW);
}

/** Opens the console in a new tab and signs in. */
export async function signedIn(context: BrowserContext, origin: string, secret: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}/console/`);
  await page.getByLabel('Secret or key').fill(secret);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').first().waitFor();
  return page;
}
