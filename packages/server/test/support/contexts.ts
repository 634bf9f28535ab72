/** The context that rules are given besides fields and rows, for tests that call them without a service. */
import { DAY_MS, MINUTE_MS } from '../../src/clock.ts';
import type { Circumstances } from '../../src/endpoint/endpoint.ts';
import { TokenKeys } from '../../src/licenses/token-keys.ts';
import { ViolationTally } from '../../src/licenses/violation-tally.ts';
import type { Service, Settings } from '../../src/service.ts';

/** The usual settings. */
export const SETTINGS: Settings = {
  tokenLifetimeMs: 30 * DAY_MS,
  floatingTimeoutMs: 15 * MINUTE_MS,
  creatorsMayCreateProducts: true,
  sealingKeys: [],
  trialsPerHour: null,
};

/** What rules know of the service; token keys must have been opened where tokens are signed. */
export function serviceOf(tokenKeys: TokenKeys = new TokenKeys()): Service {
  return { settings: SETTINGS, tokenKeys, violationTally: new ViolationTally(), licenseMemory: null };
}

/** A request of this moment, in milliseconds. */
export function circumstancesAt(now: number, country: string | null = null): Circumstances {
  return { requestId: 'test', now, country, address: '192.0.2.1' };
}
