/** Settings for tests that run rules without a service around them. */
import { DAY_MS, MINUTE_MS } from '../../src/clock.ts';
import type { Settings } from '../../src/service.ts';

/** The usual settings; what a test is about is put in their place. */
export const SETTINGS: Settings = {
  tokenLifetimeMs: 30 * DAY_MS,
  floatingTimeoutMs: 15 * MINUTE_MS,
  creatorsMayCreateProducts: true,
  sealingKeys: [],
};
