/**
 * Limits per hour for the networks of callers without a credential.
 *
 * - Guesses: a network that sends 30 unknown codes within an hour is refused for the rest of that hour. Known codes
 *   never count, so that an office behind one address is not slowed down.
 * - Trials: anybody who knows a code can invent e-mail addresses. Only issued trials count.
 */
import { HOUR_MS } from '../../ground/base/clock.ts';
import type { Network } from '../../ground/base/network-address.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { askRates, countRates, type RateLimit } from '../../platform/rates/rates.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';

export const GUESSES_PER_HOUR = 30;

/** A limit of networks: how its subjects are named, and its refusal. */
const LIMITS = {
  guesses: { name: 'unknown codes of', refused: 'redemption_rate', partMs: 1 },
  trials: { name: 'trials of', refused: 'trial_rate', partMs: undefined },
} as const;
type Limited = keyof typeof LIMITS;
type RefusalOf<Kind extends Limited> = Refusal<(typeof LIMITS)[Kind]['refused']>;

/** Refuses networks at their limit, from an unlocked read, so that they wait for no lock. */
export async function refusalOfNetworks<Kind extends Limited>(
  sql: Sql,
  kind: Kind,
  networks: readonly Network[],
  max: number,
  now: number,
): Promise<RefusalOf<Kind> | null> {
  return refusalOf(kind, await askRates(sql, limitsOf(kind, networks, max), now));
}

/**
 * Counts one in each of these networks, or refuses it and counts nothing. The networks stay locked until the
 * transaction ends, so concurrent requests get exactly as many as the limit allows.
 */
export async function countInNetworks<Kind extends Limited>(
  tx: Tx,
  kind: Kind,
  networks: readonly Network[],
  max: number,
  now: number,
): Promise<RefusalOf<Kind> | null> {
  return refusalOf(kind, await countRates(tx, limitsOf(kind, networks, max), now));
}

function limitsOf(kind: Limited, networks: readonly Network[], max: number): readonly RateLimit[] {
  const { name: limited, partMs } = LIMITS[kind];
  return networks.map(({ name, times }) => ({
    subject: `${limited} ${name}`,
    max: max * times,
    windowMs: HOUR_MS,
    ...(partMs === undefined ? {} : { partMs }),
  }));
}

function refusalOf<Kind extends Limited>(kind: Kind, retryAfterSeconds: number | null): RefusalOf<Kind> | null {
  return retryAfterSeconds === null ? null : (refuse(LIMITS[kind].refused, { retryAfterSeconds }) as RefusalOf<Kind>);
}
