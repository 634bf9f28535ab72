/** Kept refusals that tests insert as rows, instead of sending calls that are refused. */
import { toTimestamp } from '../../../src/ground/base/clock.ts';
import { mintId, mintOrderedUuid } from '../../../src/ground/base/random.ts';
import type { KeptRefusal } from '../../../src/licensing/observed-calls/kept-refusal.ts';

/** A refusal of a unique machine, at a moment in milliseconds. */
export function predictRefusal(licenseKey: string, first: number, facts: Partial<KeptRefusal> = {}): KeptRefusal {
  return {
    ...{ licenseKey, refusalId: mintOrderedUuid(first), code: 'machine_limit', endpoint: '/activate' },
    ...{ fingerprint: `machine ${mintId()}`, hostname: null, count: 1, details: { limit: 1 }, requestId: 'r' },
    ...{ firstAt: toTimestamp(first), lastAt: toTimestamp(first), ...facts },
  };
}
