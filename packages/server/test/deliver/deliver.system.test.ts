/** Short forms of the proofs of `npm run deliver`. They check arrivals, never durations. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../support/databases.ts';
import { type DeliverExtent, FULL_EXTENT, prove } from './deliver-run.ts';

const SHORT: DeliverExtent = { ...FULL_EXTENT, seconds: 2, waiting: 2_000 };

for (const engine of engines)
  describe(`a service on ${engine} delivers each event once, in the order of its license,`, () => {
    it('to five destinations at once', async () => assert.deepEqual((await prove('rate', engine, SHORT)).errors, []));

    it('of thousands that waited for a receiver', async () =>
      assert.deepEqual((await prove('backlog', engine, SHORT)).errors, []));
  });
