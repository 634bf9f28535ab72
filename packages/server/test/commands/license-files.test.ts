/** The commands for license files, each in a separate process, beside a running service. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { DAY_MS } from '../../src/base/clock.ts';
import { inspect } from '../client-endpoints/answers.ts';
import { requestOf } from '../license-files/offline-request.ts';
import { expectedBy, fetchFile, readLicenseFile } from '../license-files/reading.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { environmentOf, runCommandHere } from '../support/command.ts';
import { mustSucceed } from '../support/creator.ts';
import { engines, freshDatabase } from '../support/databases.ts';
import { Machine } from '../support/machine.ts';

for (const engine of engines)
  describe(`the commands for license files on ${engine}`, () => {
    async function serve(test: TestContext): Promise<TestApp> {
      const database = await freshDatabase(engine);
      const app = await startApp(engine, {}, database);
      test.after(async () => {
        await app.stop();
        await database.remove();
      });
      return app;
    }

    /** Runs a command in the database of an app. */
    const run = (app: TestApp, ...args: readonly string[]) => runCommandHere(args, environmentOf(app.database));

    it('make a file from a request, which a machine without a connection takes', async (test) => {
      const app = await serve(test);
      const licenseKey = await app.license();
      const [request, out] = [join(app.directory, 'request.txt'), join(app.directory, 'app.lic')];
      await writeFile(request, requestOf({ licenseKey }));
      const made = await run(app, 'license-file', '--request', request, '--days', '30', '--out', out);
      assert.deepEqual([made.code, made.err.split('\n').length], [0, 2], made.err);
      assert.match(made.out, /lf_[\da-f-]{36} for Far away, valid until \d{4}-/);
      assert.match(made.out, /used on 1 machine \(2 slots\)/);
      const expected = await expectedBy(app, { fingerprint: 'far', productId: 'app' });
      const claims = readLicenseFile(await readFile(out, 'utf8'), expected);
      assert.equal((claims?.exp - claims?.iat) * 1000, 30 * DAY_MS);
      assert.equal((await inspect(app, licenseKey)).activations[0].fingerprint, 'far');
      const { files } = await mustSucceed(app.admin('/listLicenseFiles', { licenseKey }));
      assert.equal(files[0].issuedBy, 'command:license-file');
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey }));
      assert.deepEqual([events[0].type, events[0].actor.kind], ['license_file.issued', 'command']);

      const again = await run(app, 'license-file', '--request', request, '--out', out);
      assert.deepEqual([again.code, again.out], [1, '']);
      assert.match(again.err, /already exists/);
      assert.equal((await mustSucceed(app.admin('/listLicenseFiles', { licenseKey }))).files[0].fileId, claims?.jti);
    });

    it('say why no file is made, and make none', async (test) => {
      const app = await serve(test);
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey).activated();
      const [request, out] = [join(app.directory, 'request.txt'), join(app.directory, 'app.lic')];
      const make = (...more: readonly string[]) =>
        run(app, 'license-file', '--request', request, '--out', out, ...more);
      await writeFile(request, requestOf({ licenseKey }));
      assert.match((await make()).err, /Machine limit reached \(1\)\. Deactivate another machine first\.\n$/);
      assert.match((await make('--days', '0')).err, /--days is "0"; it must be a whole number from 1 to 3650/);
      assert.match((await make('--days', '1', '--forever')).err, /not both/);
      await writeFile(request, 'hello');
      assert.match((await make()).err, /contains no LATCHKEY REQUEST/);
      await assert.rejects(readFile(out));
    });

    it('list the issuer and the keys, and rotate them beside a service that runs', async (test) => {
      const app = await serve(test);
      const machine = await new Machine(app, await app.license()).activated();
      const { issuer, publicKeys } = await expectedBy(app, machine);
      const [first] = publicKeys;
      const listed = await run(app, 'list-signing-keys');
      assert.equal(listed.code, 0);
      assert.ok(listed.out.includes(issuer) && listed.out.includes(`${first?.kid}  ${first?.x}  signs`), listed.out);
      const { out: printed } = await run(app, 'list-signing-keys', '--for-app');
      assert.deepEqual(JSON.parse(`{ ${printed} }`), { issuer, publicKeys: [{ kid: first?.kid, x: first?.x }] });
      const rotated = await run(app, 'rotate-signing-key', '--from', '2d');
      const [, keyId = ''] = /^(k[\da-f]{12}) is published/.exec(rotated.out) ?? [];
      assert.match((await run(app, 'list-signing-keys')).out, new RegExp(`${keyId}  \\S{43}  will sign  from `));
      app.clock.move(3 * DAY_MS);
      assert.equal((await mustSucceed(fetchFile(machine))).keyId, keyId);
      assert.match((await run(app, 'rotate-signing-key', '--from', '1s')).err, /--from is "1s"; it must be a duration/);
    });
  });
