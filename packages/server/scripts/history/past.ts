/** State shared by the parts of the history. */
import type { Agenda } from './agenda.ts';
import type { App } from './app.ts';
import type { Calls } from './calls.ts';
import type { Outside } from './outside.ts';
import type { Person } from './people.ts';
import type { Random } from './random.ts';
import type { Kind } from './rhythm.ts';

/** The history during its creation. */
export interface Past {
  readonly calls: Calls;
  readonly agenda: Agenda;
  readonly random: Random;
  /** Start of the history, in milliseconds. */
  readonly begin: number;
  readonly outside: Outside;
  /** Licenses sold so far, in order of sale. */
  readonly sold: SoldLicense[];
}

/** A license with its apps. */
export interface SoldLicense {
  readonly licenseKey: string;
  readonly productId: string;
  readonly creatorId: string;
  readonly kind: Kind;
  readonly owner: Person;
  /** Lane of the schedule: events of this license run one after another. */
  readonly lane: string;
  /** Time of the sale, in milliseconds. */
  readonly soldAt: number;
  /** Maximum number of machines or sessions; -1 for unlimited. */
  readonly slots: number;
  readonly isFloating: boolean;
  /** The meter that its apps count, with the units of a month; null without one. */
  readonly meter: { readonly name: string; readonly limit: number } | null;
  /** Apps that have been activated at some time. */
  readonly apps: App[];
}

/** The time after a share of the history. */
export function momentAt({ begin, agenda }: Past, share: number): number {
  return begin + share * (agenda.end - begin);
}
