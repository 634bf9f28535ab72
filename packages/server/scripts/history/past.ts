/** What the parts of the history share. */
import type { Agenda } from './agenda.ts';
import type { App } from './app.ts';
import type { Calls } from './calls.ts';
import type { Chance } from './chance.ts';
import type { Person } from './people.ts';
import type { Kind } from './rhythm.ts';

/** The history while it is made. */
export interface Past {
  readonly calls: Calls;
  readonly agenda: Agenda;
  readonly chance: Chance;
  /** When it begins, in milliseconds. */
  readonly begin: number;
  /** What was sold so far, in the order of the sales. */
  readonly sold: SoldLicense[];
}

/** A license, with those who use it. */
export interface SoldLicense {
  readonly licenseKey: string;
  readonly productId: string;
  readonly creatorId: string;
  readonly kind: Kind;
  readonly owner: Person;
  /** What happens to it happens one after the other. */
  readonly lane: string;
  /** How many machines or sessions it may have; -1 is unlimited. */
  readonly slots: number;
  readonly isFloating: boolean;
  /** Those that have been activated at some time. */
  readonly apps: App[];
}

/** The moment after a share of the history. */
export function momentAt({ begin, agenda }: Past, share: number): number {
  return begin + share * (agenda.end - begin);
}
