/** The one change of a license that the role support may make by /updateLicense: to extend it a little (rules 5.6). */
import { daysAfter, fromTimestamp } from '../../clock.ts';
import type { Caller } from '../../endpoint/caller.ts';
import type { UncheckedFields } from '../../endpoint/endpoint.ts';

/** How far beyond its end, or beyond today where it has lapsed, support may extend a license. */
const MOST_DAYS = 30;

/** Whether a caller may only extend, because of the role of the console session. */
export function mayOnlyExtend(caller: Caller): boolean {
  return caller.kind === 'admin' && caller.session?.role === 'support';
}

/**
 * Whether a change is such an extension.
 *
 * @param fields of the request
 * @param expiresAt when the license lapses as it is; null: never
 * @param now milliseconds since 1970
 */
export function isExtension(fields: UncheckedFields, expiresAt: string | null, now: number): boolean {
  const { licenseKey: _, expiresAt: asked, ...others } = fields;
  if (Object.keys(others).length > 0 || typeof asked !== 'string' || expiresAt === null) return false;
  const latest = daysAfter(Math.max(fromTimestamp(expiresAt), now), MOST_DAYS);
  return asked > expiresAt && asked <= latest;
}
