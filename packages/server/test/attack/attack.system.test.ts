/** The short form of `npm run attack`: checks replies and memory, not times. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../support/databases.ts';
import { runAttacks } from './attack-run.ts';
import { attackNames, SILENT } from './attacks.ts';

/** 600 MB for the package, and 100 MB for Node.js's compiler of types, because the test runs the sources. */
const MAX_MEMORY_BYTES = 700 * 1024 ** 2;

for (const engine of engines)
  describe(`a service on ${engine} that strangers attack`, () => {
    it('serves its customer, fails nobody, refuses excess calls and ends in order', async () => {
      const options = { engine, attacks: attackNames, durationMs: 800, idleConnections: 200 };
      const reports = await runAttacks({ ...options, maxMemoryBytes: MAX_MEMORY_BYTES }, () => {});
      assert.deepEqual(
        reports.map(({ attack }) => attack),
        [null, ...attackNames],
      );
      for (const { attack, meanwhile } of reports)
        for (const [name, { asked }] of Object.entries(meanwhile)) assert.ok(asked > 0, `${name} during ${attack}`);
      const errors = reports.flatMap(({ attack, errors }) => errors.map((failure) => `${attack}: ${failure}`));
      assert.deepEqual(errors, []);
      for (const { attack, statuses } of reports.slice(1))
        if (attack !== null && !SILENT.has(attack)) assert.ok(Object.keys(statuses).length > 0, `${attack} was none`);
    });
  });
