/** The only change that the support role may make with /updateLicense: a limited extension (rules 5.6). Pure. */
import { DAY_MS, daysAfter, fromTimestamp, toTimestamp } from '../../../ground/base/clock.ts';
import type { Caller } from '../../../platform/endpoint/caller.ts';
import type { UncheckedFields } from '../../../platform/endpoint/endpoint.ts';
import type { RoleLimit } from '../../../platform/endpoint/role.ts';

/** Support may extend a license by at most this many days within a window of the same length. */
const MAX_DAYS = 30;
const WINDOW_MS = MAX_DAYS * DAY_MS;

/** The limit of the support role at /updateLicense. */
export const SUPPORT_LIMIT: RoleLimit = {
  fields: ['licenseKey', 'expiresAt', 'wasExpiresAt'],
  extensionDays: MAX_DAYS,
};

/** Support's extensions of one license on one UTC day. */
export interface ExtensionDay {
  /** Time of the day's last extension, in milliseconds since 1970. */
  readonly at: number;
  /** Expiry without these and later extensions; time of the day's first extension if the license had expired. */
  readonly from: number;
}

/** Support's extensions of one license. */
export interface SupportExtensions {
  readonly licenseKey: string;
  /** Oldest first; at most one entry for each of the last {@link MAX_DAYS} days and the present one. */
  readonly days: readonly ExtensionDay[];
  /** The expiry that support set last. */
  readonly extendedTo: string;
  readonly lastAt: string;
}

/** Whether the role of the console session limits the caller to extensions. */
export function mayOnlyExtend(caller: Caller): boolean {
  return caller.kind === 'admin' && caller.session?.role === 'support';
}

/**
 * Support's extensions after one more; null when the change is not an extension or exceeds support's allowance. All
 * extensions of the last 30 days are measured together, from the expiry that the license had before the first.
 *
 * @param fields of the request
 * @param license before the change
 * @param known earlier extensions of the license by support
 * @param now milliseconds since 1970
 */
export function extensionsAfter(
  fields: UncheckedFields,
  { licenseKey, expiresAt }: { readonly licenseKey: string; readonly expiresAt: string | null },
  known: SupportExtensions | undefined,
  now: number,
): SupportExtensions | null {
  const { expiresAt: asked } = fields;
  const isBeyond = Object.keys(fields).some((name) => !SUPPORT_LIMIT.fields.includes(name));
  if (isBeyond || typeof asked !== 'string' || expiresAt === null) return null;
  const before = daysInWindow(known, fromTimestamp(expiresAt), now);
  const from = before[0]?.from ?? Math.max(fromTimestamp(expiresAt), now);
  if (asked <= expiresAt || asked > daysAfter(from, MAX_DAYS)) return null;
  const last = before.at(-1);
  const isSameDay = last !== undefined && dayOf(last.at) === dayOf(now);
  const days = isSameDay
    ? [...before.slice(0, -1), { ...last, at: Math.max(last.at, now) }]
    : [...before, { at: now, from: Math.max(fromTimestamp(expiresAt), now) }];
  return { licenseKey, days, extendedTo: asked, lastAt: toTimestamp(now) };
}

/**
 * The days that still count. A change of the expiry by others, for instance a renewal, shifts them by the same amount.
 */
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
