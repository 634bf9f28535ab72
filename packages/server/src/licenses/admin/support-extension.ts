/** The one change of a license that the role support may make by /updateLicense: to extend it a little (rules 5.6). Pure. */
import { DAY_MS, daysAfter, fromTimestamp, toTimestamp } from '../../clock.ts';
import type { Caller } from '../../endpoint/caller.ts';
import type { UncheckedFields } from '../../endpoint/endpoint.ts';

/** How far support may extend a license, within as many days. */
const MOST_DAYS = 30;
const WINDOW_MS = MOST_DAYS * DAY_MS;

/** Support's extensions of one license on one UTC day. */
export interface ExtensionDay {
  /** When the last of them was made, in milliseconds since 1970. */
  readonly at: number;
  /** When the license would have lapsed without them and those of later days; the day itself where it had lapsed. */
  readonly from: number;
}

/** Support's extensions of one license. */
export interface SupportExtensions {
  readonly licenseKey: string;
  /** The oldest first; a day for each of the last {@link MOST_DAYS} at most, and the present one. */
  readonly days: readonly ExtensionDay[];
  /** The end that support gave the license last. */
  readonly extendedTo: string;
  readonly lastAt: string;
}

/** Whether a caller may only extend, because of the role of the console session. */
export function mayOnlyExtend(caller: Caller): boolean {
  return caller.kind === 'admin' && caller.session?.role === 'support';
}

/**
 * What is kept of support's extensions with one more; null where the change is no extension, or goes beyond what support
 * may give. All of the last 30 days are measured together, from the end that the license had before the first of them.
 *
 * @param fields of the request
 * @param license as it is
 * @param known support's extensions of the license until now
 * @param now milliseconds since 1970
 */
export function extensionsAfter(
  fields: UncheckedFields,
  { licenseKey, expiresAt }: { readonly licenseKey: string; readonly expiresAt: string | null },
  known: SupportExtensions | undefined,
  now: number,
): SupportExtensions | null {
  const { licenseKey: _, expiresAt: asked, ...others } = fields;
  if (Object.keys(others).length > 0 || typeof asked !== 'string' || expiresAt === null) return null;
  const before = daysInWindow(known, fromTimestamp(expiresAt), now);
  const from = before[0]?.from ?? Math.max(fromTimestamp(expiresAt), now);
  if (asked <= expiresAt || asked > daysAfter(from, MOST_DAYS)) return null;
  const last = before.at(-1);
  const isSameDay = last !== undefined && dayOf(last.at) === dayOf(now);
  const days = isSameDay
    ? [...before.slice(0, -1), { ...last, at: Math.max(last.at, now) }]
    : [...before, { at: now, from: Math.max(fromTimestamp(expiresAt), now) }];
  return { licenseKey, days, extendedTo: asked, lastAt: toTimestamp(now) };
}

/** The days that still count. What others have moved the end by since, a renewal for instance, moves their ends, too. */
function daysInWindow(known: SupportExtensions | undefined, expiresAt: number, now: number): readonly ExtensionDay[] {
  if (known === undefined) return [];
  const movedByOthers = expiresAt - fromTimestamp(known.extendedTo);
  return known.days
    .filter(({ at }) => Math.abs(now - at) < WINDOW_MS)
    .map(({ at, from }) => ({ at, from: from + movedByOthers }));
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}
