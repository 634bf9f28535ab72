/** The closed list of counted metrics. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countedChanges } from '../../../src/app.ts';
import { COUNTED_METRICS } from '../../../src/insight/statistics/counted-metrics.ts';
import { clientEndpoints } from '../../../src/licensing/client-endpoints/index.ts';
import { CLIENT_PATHS } from '../../../src/licensing/observed-calls/metrics.ts';
import { eventTypes } from '../../../src/platform/events/event-types.ts';

const endpoints = (clientEndpoints.sections ?? []).flatMap((section) => section.endpoints);

describe('counted metrics', () => {
  it('have the successes of every client endpoint, every type of event and the counted metrics of every slice, each once', () => {
    for (const path of CLIENT_PATHS)
      assert.ok(
        endpoints.some((each) => each.path === path),
        `list the endpoint ${path} in licensing/client-endpoints/index.ts`,
      );
    for (const { path } of endpoints) assert.ok(COUNTED_METRICS.includes(`${path.slice(1)}.ok`), path);
    for (const type of eventTypes) assert.ok(COUNTED_METRICS.includes(type), type);
    for (const { names } of countedChanges)
      for (const name of names)
        assert.ok(COUNTED_METRICS.includes(name), `list the slice of ${name} in insight/statistics/counted-metrics.ts`);
    assert.equal(new Set(COUNTED_METRICS).size, COUNTED_METRICS.length);
  });
});
