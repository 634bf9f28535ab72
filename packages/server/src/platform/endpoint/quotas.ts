/** The daily quotas of creators (rules 8.1): their names, and the refusal of a call beyond one. */
import { type Refusal, refuse } from './refusals.ts';

/**
 * What a quota counts within 24 hours: all changes of a creator; new products, variants, codes and licenses; notes on
 * one license.
 */
export const QUOTAS = ['saves', 'products', 'variants', 'codes', 'licenses', 'notes'] as const;
export type Quota = (typeof QUOTAS)[number];

/** The size of each quota of a creator; null: unlimited. */
export type CreatorQuotas = Readonly<Record<Quota, number | null>>;

/** The names of quotas in a refusal. */
const NAMES: Readonly<Record<Quota, string>> = {
  saves: 'changes',
  products: 'new products',
  variants: 'new variants',
  codes: 'new codes',
  licenses: 'new licenses',
  notes: 'notes on a license',
};

export function refuseQuota(quota: Quota, max: number, retryAfterSeconds: number): Refusal<'quota_used'> {
  return refuse('quota_used', { details: { max, quota: NAMES[quota] }, retryAfterSeconds });
}
