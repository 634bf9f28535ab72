/** Lengths of time that begin with the first activation of a license (rules 14.4). Pure. */
import { fromTimestamp } from '../../ground/base/clock.ts';
import { FieldFault, readField } from '../../platform/endpoint/field-types.ts';
import { isRecord } from '../../storage/contract/stored-json.ts';
import { type Duration, durationOf, timeAfter } from '../products/duration.ts';

/** The lengths that wait, of the license and of its updates; one at least. Months pass before days. */
export interface Waiting {
  readonly days?: number;
  readonly months?: number;
  readonly updatesDays?: number;
  readonly updatesMonths?: number;
}

/** The greatest length by its name: beyond the end of the year 9999, at which every end stops. */
const GREATEST = { days: 1_000_000_000, months: 120_000, updatesDays: 1_000_000_000, updatesMonths: 120_000 } as const;
type LengthName = keyof typeof GREATEST;
const LENGTH_NAMES = Object.keys(GREATEST) as readonly LengthName[];

const FORM = `must be an object of one or more of ${LENGTH_NAMES.join(', ')}`;

/** The lengths that wait as a field of lines and replies. */
export const waitingField = readField<Waiting>(
  {
    type: 'object',
    description:
      'Lengths of time that begin with the first activation: `days` and `months` of the license, `updatesDays` and ' +
      '`updatesMonths` of its updates. Absent once they have begun.',
    minProperties: 1,
    additionalProperties: false,
    properties: Object.fromEntries(
      LENGTH_NAMES.map((name) => [name, { type: 'integer', minimum: 1, maximum: GREATEST[name] }]),
    ),
  },
  FORM,
  (given) => {
    if (!isRecord(given) || Object.keys(given).length === 0) return new FieldFault(FORM);
    for (const [name, value] of Object.entries(given)) {
      if (!isLengthName(name)) return new FieldFault(FORM);
      if (!isLength(value, name)) return new FieldFault(`.${name} must be a whole number from 1 to ${GREATEST[name]}`);
    }
    return given as Waiting;
  },
);

function isLengthName(name: string): name is LengthName {
  return Object.hasOwn(GREATEST, name);
}

function isLength(value: unknown, name: LengthName): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= GREATEST[name];
}

/** The lengths in a stored object; null if there are none. */
export function storedWaiting(stored: unknown): Waiting | null {
  if (!isRecord(stored)) return null;
  return lengthsOf(
    LENGTH_NAMES.flatMap((name) => {
      const value = Object.hasOwn(stored, name) ? stored[name] : undefined;
      return isLength(value, name) ? [[name, value] as const] : [];
    }),
  );
}

function lengthsOf(lengths: readonly (readonly [LengthName, number])[]): Waiting | null {
  return lengths.length === 0 ? null : Object.fromEntries(lengths);
}

/** Lengths that are added to those that wait; null adds none. */
export interface AddedLengths {
  readonly license?: Duration | null;
  readonly updates?: Duration | null;
}

/** The lengths that wait after others were added to them; null if there are none. */
export function lengthened(waiting: Waiting | null, { license = null, updates = null }: AddedLengths): Waiting | null {
  const added: Waiting = { ...license, ...(updates === null ? {} : lengthsOfUpdates(updates)) };
  return lengthsOf(
    LENGTH_NAMES.flatMap((name) => {
      const length = (waiting?.[name] ?? 0) + (added[name] ?? 0);
      return length === 0 ? [] : [[name, Math.min(length, GREATEST[name])] as const];
    }),
  );
}

function lengthsOfUpdates(duration: Duration): Waiting {
  return 'days' in duration ? { updatesDays: duration.days } : { updatesMonths: duration.months };
}

/** Whether the license itself, and not only its updates, waits for its first activation. */
export function waitsForEnd(waiting: Waiting | null): boolean {
  return waiting?.days !== undefined || waiting?.months !== undefined;
}

/** Whether updates wait for the first activation. */
export function waitsForUpdates(waiting: Waiting | null): boolean {
  return waiting?.updatesDays !== undefined || waiting?.updatesMonths !== undefined;
}

/** The waiting lengths of `license` for the license itself, and those of `updates` for its updates. */
export function joinedLengths(license: Waiting | null, updates: Waiting | null): Waiting | null {
  return storedWaiting({
    ...{ days: license?.days, months: license?.months },
    ...{ updatesDays: updates?.updatesDays, updatesMonths: updates?.updatesMonths },
  });
}

/** The fields of a license that its waiting lengths decide. */
export interface Ends<Terms extends { readonly waiting: Waiting | null }> {
  readonly expiresAt: string | null;
  readonly updatesUntil: string | null;
  readonly terms: Terms;
}

/** The ends of a license after its waiting lengths began at a time in milliseconds. An end that it has stays. */
export function begunAt<Terms extends { readonly waiting: Waiting | null }>(
  { expiresAt, updatesUntil, terms }: Ends<Terms>,
  now: number,
): Ends<Terms> {
  const { days, months, updatesDays, updatesMonths } = terms.waiting ?? {};
  return {
    expiresAt: expiresAt ?? endOf(now, months, days),
    updatesUntil: updatesUntil ?? endOf(now, updatesMonths, updatesDays),
    terms: { ...terms, waiting: null },
  };
}

/**
 * The ends of a license after somebody set its expiry, which wins over a length that waits: its updates begin now.
 *
 * @param expiresAt null is perpetual
 */
export function endedAt<Terms extends { readonly waiting: Waiting | null }>(
  ends: Omit<Ends<Terms>, 'expiresAt'>,
  expiresAt: string | null,
  now: number,
): Ends<Terms> {
  return ends.terms.waiting === null
    ? { updatesUntil: ends.updatesUntil, terms: ends.terms, expiresAt }
    : { ...begunAt({ ...ends, expiresAt }, now), expiresAt };
}

/** The end of months, then days; null without any. */
function endOf(now: number, durationMonths: number | undefined, durationDays: number | undefined): string | null {
  const [months, days] = [durationOf({ durationMonths }), durationOf({ durationDays })];
  const afterMonths = months === null ? null : timeAfter(now, months);
  return days === null ? afterMonths : timeAfter(afterMonths === null ? now : fromTimestamp(afterMonths), days);
}
