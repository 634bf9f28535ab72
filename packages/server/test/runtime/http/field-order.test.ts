import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpointsByPath } from '../../../src/app.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

const WRONG = { licenseType: 'golden', maxMachines: 'many', maxConcurrent: -5, expiresAt: 'tomorrow' };

for (const engine of engines)
  describe(`several wrong fields in one request on ${engine}`, () => {
    const app = startedApp(engine);

    /** The wrong fields, in the order of the reference. */
    const declared = Object.keys(endpointsByPath.get('/createLicense')!.fields.properties).filter(
      (name) => name in WRONG,
    );
    const order = (fields: readonly string[]) => ({
      email: 'ada@example.com',
      productId: 'app',
      ...Object.fromEntries(fields.map((name) => [name, WRONG[name as keyof typeof WRONG]])),
    });

    it('are answered by the first fault that the reference lists, in any order of the fields', async () => {
      assert.equal(declared.length, 4);
      for (let first = 0; first < declared.length - 1; first++) {
        const fields = declared.slice(first);
        for (const sent of [fields, fields.toReversed()]) {
          const { status, body } = await app.admin('/createLicense', order(sent));
          assert.equal(status, 400);
          assert.ok(body.error.startsWith(`${fields[0]} `), `${sent}: ${body.error}`);
        }
      }
    });

    it('come after missing fields', async () => {
      const { email: _, ...withoutEmail } = order(declared);
      const { status, body } = await app.admin('/createLicense', withoutEmail);
      assert.deepEqual([status, body.error], [400, endpointsByPath.get('/createLicense')!.missing]);
    });
  });
