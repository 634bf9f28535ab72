/** A caller without a credential learns nothing about fields or resources (rules 1.2, 5.1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpoints } from '../../../src/app.ts';
import { needsCredential } from '../../../src/platform/endpoint/caller.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`without a credential on ${engine}`, () => {
    const app = startedApp(engine);

    for (const { path, methods, access } of endpoints)
      if (!needsCredential(access))
        it(`${path} does not ask for one`, async () => {
          assert.equal((await app.send(path, {})).status, 400);
        });
      else
        it(`${path} is 401, before any other fault`, async () => {
          for (const method of methods)
            for (const body of method === 'GET' ? [undefined] : [undefined, {}, { limit: 'none', licenseKey: 7 }]) {
              const answer = await app.send(path, body, { method });
              assert.equal(answer.status, 401, method);
              assert.deepEqual(answer.body, { success: false, error: 'Unauthorized' });
            }
        });
  });
