/** The words about lengths of time that begin with the first activation of a license: pure. */
import type { License } from '../api/contract.ts';
import { counted } from '../parts/count-words.ts';

type Waiting = NonNullable<License['waiting']>;

/** In place of the end of a license whose length begins with its first activation. */
export const WAITS = 'From first activation';

/** `12 months and 30 days`; null for no length. */
function lengthText(months: number | undefined, days: number | undefined): string | null {
  const parts = [months === undefined ? [] : counted(months, 'month'), days === undefined ? [] : counted(days, 'day')];
  return parts.flat().join(' and ') || null;
}

/** The length of a license that waits: `12 months`; null for a license that does not wait. */
export function waitingLength({ waiting }: Pick<License, 'waiting'>): string | null {
  return lengthText(waiting?.months, waiting?.days);
}

/** The length of updates that wait: `365 days`; null for updates that do not wait. */
export function waitingUpdates({ waiting }: Pick<License, 'waiting'>): string | null {
  return lengthText(waiting?.updatesMonths, waiting?.updatesDays);
}

/** All lengths of an event: `12 months, updates for 365 days`. */
export function waitingText(value: unknown): string {
  const waiting = value as Waiting;
  const updates = waitingUpdates({ waiting });
  const parts = [waitingLength({ waiting }), updates && `updates for ${updates}`];
  return parts.filter((part) => part !== null).join(', ');
}
