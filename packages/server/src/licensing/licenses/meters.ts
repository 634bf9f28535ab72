/** The meters of a license: their limits, their periods and what is used of them (rules 14.8). Pure. */
import Type from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { nullable, resource, timestamp } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import type { MeterUse, MovedUses } from '../meters/store.ts';
import { type Meter, type MeterPeriod, UNLIMITED_UNITS } from '../products/meters.ts';
import type { License } from './license.ts';

/** The fields of a license that decide its meters. */
export type MeteredLicense = Pick<License, 'licenseKey' | 'terms' | 'variantTerms' | 'expiresAt'>;

/** The meter of a license by its name: that of its variant, with the limit of the license; undefined without one. */
export function meterOf({ terms, variantTerms }: MeteredLicense, name: string): Meter | undefined {
  const { meters } = variantTerms;
  if (meters === null || !Object.hasOwn(meters, name)) return undefined;
  const meter = meters[name]!;
  const own = terms.meters !== null && Object.hasOwn(terms.meters, name) ? terms.meters[name] : undefined;
  return own === undefined ? meter : { ...meter, limit: own.limit };
}

/** A period of a meter: its name, which is the later the later it is, and the timestamp of its end. */
interface Period {
  readonly name: string;
  readonly resetsAt: string | null;
}

/** Lengths of the beginnings of timestamps that name a day, month or year. */
const NAME_LENGTHS = { day: 10, month: 7, year: 4 } as const;

/**
 * The present period. A calendar that goes back stays in the period that was reached, so that a wrong clock gives
 * nothing anew.
 *
 * @param reached the name of the last period with a use
 */
export function periodAt(period: MeterPeriod, expiresAt: string | null, reached: string | null, now: number): Period {
  if (period === 'none') return { name: '', resetsAt: null };
  // A renewal moves the expiry, and the term begins anew; see keptTerms for other changes of it.
  if (period === 'term') return { name: expiresAt ?? '', resetsAt: expiresAt };
  const present = toTimestamp(now).slice(0, NAME_LENGTHS[period]);
  const name = reached !== null && reached.length === present.length && reached > present ? reached : present;
  return { name, resetsAt: endOfPeriod(name) };
}

function endOfPeriod(name: string): string {
  const [year = 0, month = 1, day = 1] = name.split('-').map(Number);
  const parts = name.split('-').length;
  const end =
    parts === 1
      ? Date.UTC(year + 1, 0, 1)
      : parts === 2
        ? Date.UTC(year, month, 1)
        : Date.UTC(year, month - 1, day + 1);
  return toTimestamp(end);
}

/**
 * The uses of terms that go on although the expiry moved; null without any. Only a renewal begins a term anew: staff
 * who extend a license, and a changed plan, give no units.
 */
export function keptTerms(before: MeteredLicense, after: Pick<License, 'expiresAt'>): MovedUses | null {
  const { licenseKey, variantTerms } = before;
  if (variantTerms.meters === null || before.expiresAt === after.expiresAt) return null;
  const meters = Object.entries(variantTerms.meters).flatMap(([name, { period }]) => (period === 'term' ? [name] : []));
  if (meters.length === 0) return null;
  const nameOf = ({ expiresAt }: Pick<License, 'expiresAt'>) => periodAt('term', expiresAt, null, 0).name;
  return { licenseKey, meters, from: nameOf(before), to: nameOf(after) };
}

/** The state of a meter in its present period. */
export interface MeterState {
  readonly meter: string;
  readonly used: number;
  readonly limit: number;
  readonly resetsAt: string | null;
}

/** The use of a meter in its present period: nothing at its beginning. */
export function presentUse(
  license: MeteredLicense,
  meter: string,
  { period }: Meter,
  stored: MeterUse | undefined,
  now: number,
): { readonly use: MeterUse; readonly resetsAt: string | null } {
  const { name, resetsAt } = periodAt(period, license.expiresAt, stored?.period ?? null, now);
  const { licenseKey } = license;
  const begun = { licenseKey, meter, period: name, used: 0, isLimitReached: false, requests: stored?.requests ?? 0 };
  return { use: stored?.period === name ? stored : begun, resetsAt };
}

/** Whether a further use does not fit into the limit, and is refused. */
export function exceedsLimit({ limit, overage }: Meter, used: number, units: number): boolean {
  return limit !== UNLIMITED_UNITS && overage === 'refuse' && used + units > limit;
}

/** The refusal of a use beyond the limit; nothing is counted. */
export function refusalBeyondLimit({ meter, used, limit, resetsAt }: MeterState, units: number) {
  return refuse('meter_limit', { details: { meter, used, limit, units }, extra: { used, limit, resetsAt } });
}

/** Units that are left; null if the meter is unlimited. */
export function remainingUnits({ used, limit }: Pick<MeterState, 'used' | 'limit'>): number | null {
  return limit === UNLIMITED_UNITS ? null : Math.max(0, limit - used);
}

const usageFields = {
  meter: Type.String({ description: 'Name of the meter.' }),
  used: Type.Integer({ description: 'Units that are used in the present period.' }),
  limit: Type.Integer({ description: 'Units of a period; -1 is unlimited.' }),
  remaining: nullable(Type.Integer({ description: 'Units that are left, never below 0; null if unlimited.' })),
  resetsAt: nullable(timestamp('When the next period begins; null if none does.')),
};

/** The fields of a meter in replies. */
export const usageReplyFields = usageFields;

/** A meter of a license as staff see it. */
export const usageSchema = resource('MeterUsage', 'A meter of a license in its present period.', usageFields);

/** See {@link usageReplyFields}. */
export function usageReply(state: MeterState) {
  const { meter, used, limit, resetsAt } = state;
  return { meter, used, limit, remaining: remainingUnits(state), resetsAt };
}

/** Every meter of a license in its present period, by name. */
export function usageOf(license: MeteredLicense, stored: readonly MeterUse[], now: number) {
  return Object.keys(license.variantTerms.meters ?? {})
    .sort()
    .map((name) => {
      const meter = meterOf(license, name)!;
      const { use, resetsAt } = presentUse(
        license,
        name,
        meter,
        stored.find((each) => each.meter === name),
        now,
      );
      return usageReply({ meter: name, used: use.used, limit: meter.limit, resetsAt });
    });
}
