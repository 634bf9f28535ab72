/** The console in a real browser. */
import type { BrowserContext, Page } from 'playwright-core';
import { findBrowser, NO_BROWSER, openBrowser } from '../../packages/server/test/support/browser.ts';

/**
 * Opens a browser, which `running` closes, with a window as wide as that of a computer.
 *
 * @throws if no browser is installed
 */
export async function openWindow(running: AsyncDisposableStack): Promise<BrowserContext> {
  const program = await findBrowser();
  if (program === null) throw new Error(NO_BROWSER);
  const browser = running.adopt(await openBrowser(program), (open) => open.close());
  return browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1440, height: 900 } });
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
