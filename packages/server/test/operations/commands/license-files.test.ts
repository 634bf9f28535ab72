/** The commands for license files, each in a separate process. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import type { Database } from '../../../src/storage/contract/database.ts';
import { requestOf } from '../../licensing/license-files/offline-request.ts';
import { expectedBy, fetchFile, readLicenseFile } from '../../licensing/license-files/reading.ts';
import { inspect } from '../../support/answers.ts';
import { type Ended, environmentOf, runCommandHere } from '../../support/command.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { freshFor, served } from '../../support/for-test.ts';
import { Machine } from '../../support/machine.ts';
import { execute, rowOf } from '../../support/own-connection.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Runs a command in a database. */
const run = (database: Database, ...args: readonly string[]): Promise<Ended> =>
  runCommandHere(args, environmentOf(database));

/** A request of an app, and a command that makes its file. */
function requestFile(test: TestContext, database: Database) {
  const folder = temporaryFolder(test);
  const [request, out] = [join(folder, 'request.txt'), join(folder, 'app.lic')];
  return {
    out,
    write: (text: string) => writeFileSync(request, text),
    make: (...more: readonly string[]) => run(database, 'license-file', '--request', request, '--out', out, ...more),
  };
}

/** Lets the commits of new license files fail on PostgreSQL. @param body statements of PL/pgSQL */
const failAtCommit = (database: Database, body: string) =>
  execute(
    database,
    `create sequence commits;
     create function fail_at_commit() returns trigger language plpgsql as $$ begin ${body} return null; end $$;
     create constraint trigger at_commit after insert on license_file deferrable initially deferred
       for each row execute function fail_at_commit()`,
  );

const boundMachines = async (database: Database) =>
  Number((await rowOf(database, 'select count(*) as bound from activation'))?.bound);

for (const engine of engines)
  describe(`the commands for license files on ${engine}`, () => {
    it('make a file from a request, which a machine without a connection takes', async (test) => {
      const database = await freshFor(test, engine);
      const licenseKey = await served(database, (app) => app.license());
      const { out, write, make } = requestFile(test, database);
      write(requestOf({ licenseKey }));
      const made = await make('--days', '30');
      assert.deepEqual([made.code, made.err.split('\n').length], [0, 2], made.err);
      assert.match(made.out, /lf_[\da-f-]{36} for Far away, valid until \d{4}-/);
      assert.match(made.out, /used on 1 machine \(2 slots\)/);
      const text = await readFile(out, 'utf8');
      const again = await make();
      assert.deepEqual([again.code, again.out], [1, '']);
      assert.match(again.err, /already exists/);
      assert.equal(await readFile(out, 'utf8'), text);
      await served(database, async (app) => {
        const expected = await expectedBy(app, { fingerprint: 'far', productId: 'app' });
        const claims = readLicenseFile(text, expected);
        assert.equal((claims?.exp - claims?.iat) * 1000, 30 * DAY_MS);
        assert.equal((await inspect(app, licenseKey)).activations[0].fingerprint, 'far');
        const { files } = await mustSucceed(app.admin('/listLicenseFiles', { licenseKey }));
        assert.deepEqual([files.length, files[0].fileId, files[0].issuedBy], [1, claims?.jti, 'command:license-file']);
        const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey }));
        assert.deepEqual([events[0].type, events[0].actor.kind], ['license_file.issued', 'command']);
      });
    });

    it(`${engine === 'sqlite' ? 'make no file' : 'make a file'} while a service uses the database`, async (test) => {
      const database = await freshFor(test, engine);
      const { out, write, make } = requestFile(test, database);
      await served(database, async (app) => {
        const licenseKey = await app.license();
        write(requestOf({ licenseKey }));
        const verified = () => app.send('/verify', { licenseKey, productId: 'app' });
        assert.equal((await verified()).body.machinesUsed, 0);
        const { code, err } = await make();
        const used = engine === 'sqlite' ? 0 : 1;
        assert.deepEqual([code, existsSync(out)], [1 - used, used === 1], err);
        assert.equal((await verified()).body.machinesUsed, used);
        assert.equal(await boundMachines(database), used);
        if (engine === 'sqlite') assert.match(err, /^A server is using .*latchkey\.db\. .* \/createLicenseFile /m);
      });
    });

    it('say why no file is made, and make none', async (test) => {
      const database = await freshFor(test, engine);
      const licenseKey = await served(database, async (app) => {
        const key = await app.license({ maxMachines: 1 });
        await new Machine(app, key).activated();
        return key;
      });
      const { out, write, make } = requestFile(test, database);
      write(requestOf({ licenseKey }));
      assert.match((await make()).err, /Machine limit reached \(1\)\. Deactivate another machine first\.\n$/);
      assert.match((await make('--days', '0')).err, /--days is "0"; it must be a whole number from 1 to 3650/);
      assert.match((await make('--days', '1', '--forever')).err, /not both/);
      write('hello');
      assert.match((await make()).err, /contains no LATCHKEY REQUEST/);
      assert.equal(existsSync(out), false);
    });

    it('leave no file when the database does not keep the machine', async (test) => {
      const database = await freshFor(test, engine);
      const licenseKey = await served(database, (app) => app.license());
      const { out, write, make } = requestFile(test, database);
      write(requestOf({ licenseKey }));
      if (engine === 'postgres') await failAtCommit(database, `raise exception 'no room';`);
      else
        await execute(
          database,
          `create trigger no_room before insert on license_file begin select raise(abort, 'no room'); end`,
        );
      const { code, err } = await make();
      assert.equal(code, 1);
      assert.match(err, /no room/);
      assert.equal(existsSync(out), false);
      assert.equal(await boundMachines(database), 0);
    });

    it('list the issuer and the keys, and rotate them beside a service that runs', async (test) => {
      const database = await freshFor(test, engine);
      await served(database, async (app) => {
        const machine = await new Machine(app, await app.license()).activated();
        const { issuer, publicKeys } = await expectedBy(app, machine);
        const [first] = publicKeys;
        const listed = await run(database, 'list-signing-keys');
        assert.equal(listed.code, 0);
        assert.ok(listed.out.includes(issuer) && listed.out.includes(`${first?.kid}  ${first?.x}  signs`), listed.out);
        const { out: printed } = await run(database, 'list-signing-keys', '--for-app');
        assert.deepEqual(JSON.parse(printed), { issuer, publicKeys: [{ kid: first?.kid, x: first?.x }] });
        for (const [language, kidIn, issuerIn] of [
          ['c', `{"${first?.kid}", "${first?.x}"},`, `#define LATCHKEY_ISSUER "${issuer}"`],
          ['csharp', `new PublicKey("${first?.kid}", "${first?.x}"),`, `string Issuer = "${issuer}";`],
          ['python', `PublicKey("${first?.kid}", "${first?.x}"),`, `ISSUER = "${issuer}"`],
          ['go', `{Kid: "${first?.kid}", X: "${first?.x}"},`, `const issuer = "${issuer}"`],
          ['rust', `("${first?.kid}", "${first?.x}"),`, `ISSUER: &str = "${issuer}";`],
          ['js', `{ kid: '${first?.kid}', x: '${first?.x}' },`, `issuer = '${issuer}';`],
        ] as const) {
          const constants = (await run(database, 'list-signing-keys', '--as', language)).out;
          assert.ok(constants.includes(kidIn) && constants.includes(issuerIn), constants);
        }
        assert.match(
          (await run(database, 'list-signing-keys', '--as', 'cobol')).err,
          /--as is "cobol"; it must be one of c, csharp, python, go, rust, js/,
        );
        const rotated = await run(database, 'rotate-signing-key', '--from', '2d');
        const [, keyId = ''] = /^(k[\da-f]{12}) is published/.exec(rotated.out) ?? [];
        assert.match((await run(database, 'list-signing-keys')).out, new RegExp(`${keyId}  \\S{43}  will sign  from `));
        app.clock.move(3 * DAY_MS);
        assert.equal((await mustSucceed(fetchFile(machine))).keyId, keyId);
        assert.match(
          (await run(database, 'rotate-signing-key', '--from', '1s')).err,
          /--from is "1s"; it must be a duration/,
        );
      });
    });
  });

describe('the command license-file on postgres', () => {
  it('writes the file of the last run when its transaction runs twice', async (test) => {
    const database = await freshFor(test, 'postgres');
    const licenseKey = await served(database, (app) => app.license());
    const { out, write, make } = requestFile(test, database);
    write(requestOf({ licenseKey }));
    const serializationFailure = `raise exception using errcode = '40001';`;
    await failAtCommit(database, `if nextval('commits') = 1 then ${serializationFailure} end if;`);
    const { code, err } = await make();
    assert.equal(code, 0, err);
    assert.equal((await rowOf(database, 'select last_value from commits'))?.last_value, '2');
    await served(database, async (app) => {
      const expected = await expectedBy(app, { fingerprint: 'far', productId: 'app' });
      const claims = readLicenseFile(await readFile(out, 'utf8'), expected);
      const { files } = await mustSucceed(app.admin('/listLicenseFiles', { licenseKey }));
      assert.deepEqual([files.length, files[0].fileId], [1, claims?.jti]);
    });
  });

  it('leaves no file when it cannot know whether the machine was bound, and says how to go on', async (test) => {
    const database = await freshFor(test, 'postgres');
    const licenseKey = await served(database, (app) => app.license());
    const { out, write, make } = requestFile(test, database);
    write(requestOf({ licenseKey }));
    await failAtCommit(database, 'perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5);');
    const { code, err } = await make();
    assert.equal(code, 1);
    assert.match(err, /it is unknown whether the transaction was kept .* Run the command again/);
    assert.equal(existsSync(out), false);
    await execute(database, 'drop trigger at_commit on license_file');
    assert.equal((await make()).code, 0);
    assert.equal(await boundMachines(database), 1);
  });
});
