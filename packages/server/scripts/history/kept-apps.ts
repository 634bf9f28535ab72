/** The apps that keep calling after the history, stored beside its database. */
import type { UsedLicense } from './app.ts';
import type { SoldLicense } from './past.ts';
import type { Machine } from './people.ts';

/** Maximum number of these apps, the latest of the history. */
const MAX_KEPT = 200;

/** An app that keeps calling. */
export interface KeptApp {
  readonly license: UsedLicense;
  readonly machine: Machine;
  readonly country: string;
  /** Whether it takes a seat while it is used. */
  readonly isFloating: boolean;
  /** Whether its session was live at the end of the history. */
  readonly isLive: boolean;
}

/** The apps of the sold licenses. */
export function appsOf(sold: readonly SoldLicense[]): KeptApp[] {
  const all = sold.flatMap(({ licenseKey, productId, isFloating, apps }) =>
    apps.map(({ machine, country, isLive }) => ({
      license: { licenseKey, productId },
      machine,
      country,
      isFloating,
      isLive,
    })),
  );
  const floating = all.filter((app) => app.isFloating);
  return [...floating, ...all.filter((app) => !app.isFloating).slice(floating.length - MAX_KEPT)];
}
