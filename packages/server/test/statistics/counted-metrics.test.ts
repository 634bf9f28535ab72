/** The closed list of counted metrics. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientEndpoints } from '../../src/client-endpoints/index.ts';
import { codeOf } from '../../src/endpoint/refusals.ts';
import { eventTypes } from '../../src/events/event-types.ts';
import { COUNTED_METRICS, REFUSAL_METRICS } from '../../src/statistics/counted-metrics.ts';

const endpoints = (clientEndpoints.sections ?? []).flatMap((section) => section.endpoints);

describe('counted metrics', () => {
  it('have every code that a client endpoint refuses with, and no other', () => {
    const declared = endpoints.flatMap(({ path, refusals }) =>
      refusals.map((refused) => `${path.slice(1)}.${codeOf(refused)}`),
    );
    assert.deepEqual([...REFUSAL_METRICS].sort(), [...new Set(declared)].sort());
  });

  it('have the successes of every client endpoint and every type of event, each metric once', () => {
    for (const { path } of endpoints) assert.ok(COUNTED_METRICS.includes(`${path.slice(1)}.ok`), path);
    for (const type of eventTypes) assert.ok(COUNTED_METRICS.includes(type), type);
    assert.equal(new Set(COUNTED_METRICS).size, COUNTED_METRICS.length);
  });
});
