/** Loads the files of other screens while the page is idle, so that they open at once and without the service. */
import { afterFirstOfAll, goSecond } from '../api/order.ts';
import type { ScreenEntry } from '../screens.ts';

/** Leaves the line to the reads that follow the first content. */
const PAUSE_MS = 4_000;

/**
 * Loads the page of an item as soon as its list, at `path`, is in sight: most people open one next, some at once. Then
 * loads the others in turn, in idle moments. The first failure ends it: the service is away.
 */
export async function loadAhead(screens: readonly ScreenEntry[], path: string): Promise<void> {
  const page = screens.find((screen) => screen.path.startsWith(`${path}/$`));
  if (page !== undefined && !savesData()) goSecond(() => page.load().then(idle));
  await afterFirstOfAll();
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  if (savesData()) return;
  for (const { load } of screens) {
    await idle();
    try {
      await load();
    } catch {
      return;
    }
  }
}

/** Whether the person asked the browser to load little. */
function savesData(): boolean {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } };
  return connection?.saveData === true;
}

/** The next idle moment; the next turn in browsers without such moments. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve());
    else setTimeout(resolve);
  });
}
