import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endpointsByPath } from '../../src/app.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { engines } from '../support/databases.ts';

const WRONG = { licenseType: 'golden', maxMachines: 'many', maxConcurrent: -5, expiresAt: 'tomorrow' };

for (const engine of engines)
  describe(`several wrong fields in one request on ${engine}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

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
