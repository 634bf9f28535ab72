/**
 * Limits per hour of trials without a key. A machine that forges its fingerprint looks like another one, so networks
 * and products are limited as well. Only started trials count, no repeats.
 */
import { HOUR_MS } from '../../ground/base/clock.ts';
import { networksOf } from '../../ground/base/network-address.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { askRates, countRates, type RateLimit } from '../../platform/rates/rates.ts';
import type { Tx } from '../../storage/contract/storage.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface Settings {
    /** Trials without a key that start in an hour; null: unlimited. */
    readonly keylessTrials: {
      readonly ofNetwork: number | null;
      readonly ofProduct: number | null;
    };
  }
}

/** The most trials that may start in an hour. */
interface Limits {
  readonly ofNetwork: number | null;
  readonly ofProduct: number | null;
}

/** Counts a trial for its network and product, or refuses it and counts nothing. */
export async function countTrial(
  tx: Tx,
  { address, productId }: { readonly address: string | null; readonly productId: string },
  { ofNetwork, ofProduct }: Limits,
  now: number,
): Promise<Refusal<'trial_rate' | 'product_trial_rate'> | null> {
  const networks: readonly RateLimit[] =
    ofNetwork === null || address === null
      ? []
      : networksOf(address).map(({ name, times }) => ({
          subject: `keyless trials of ${name}`,
          max: ofNetwork * times,
          windowMs: HOUR_MS,
        }));
  const products: readonly RateLimit[] =
    ofProduct === null
      ? []
      : [{ subject: `keyless trials of product ${productId}`, max: ofProduct, windowMs: HOUR_MS }];
  const retryAfterSeconds = await countRates(tx, [...networks, ...products], now);
  if (retryAfterSeconds === null) return null;
  const isOfNetwork = (await askRates(tx, networks, now)) !== null;
  return refuse(isOfNetwork ? 'trial_rate' : 'product_trial_rate', { retryAfterSeconds });
}
