/** Loads the files of other screens while the page is idle, so that they open at once and without the service. */
import { afterFirstOfAll } from '../api/order.ts';

/** Leaves the line to the reads that follow the first content. */
const PAUSE_MS = 4_000;

/** Runs the loads in turn, in idle moments. The first failure ends it: the service is away. */
export async function loadAhead(loads: readonly (() => Promise<unknown>)[]): Promise<void> {
  await afterFirstOfAll();
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  if (savesData()) return;
  for (const load of loads) {
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
