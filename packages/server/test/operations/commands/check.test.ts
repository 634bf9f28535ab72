/** The command check finds the configuration mistakes that npm start would refuse, and gives the same warnings. */
import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { generate } from 'selfsigned';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { checkDatabase } from '../../../src/operations/commands/database-check.ts';
import { readConfig } from '../../../src/runtime/config/read-config.ts';
import { openCertificate } from '../../../src/runtime/http/certificate.ts';
import type { Database } from '../../../src/storage/contract/database.ts';
import { type Ended, environmentOf, runCommandHere, runProgram } from '../../support/command.ts';
import { engines } from '../../support/databases.ts';
import { appFor, emptyFor, freshFor } from '../../support/for-test.ts';
import { knowingMigrations, nextMigration } from '../../support/next-migrations.ts';
import { execute, rowOf } from '../../support/own-connection.ts';
import { startServerProcess } from '../../support/server-process.ts';

const root = mkdtempSync(join(tmpdir(), 'latchkey-check-'));
after(() => rmSync(root, { recursive: true }));

/** An own certificate and its key. */
async function pair(): Promise<{ certificate: string; key: string }> {
  const directory = mkdtempSync(join(root, 'made-'));
  return openCertificate(readConfig({ LATCHKEY_DATA_DIR: directory }), systemClock());
}

/** Writes a file for its owner alone and returns its path. */
function file(name: string, contents: string): string {
  const path = join(mkdtempSync(join(root, 'file-')), name);
  writeFileSync(path, contents, { mode: 0o600 });
  return path;
}

const checked = (database: Database): Promise<Ended> => runCommandHere(['check'], environmentOf(database));

/** The lines in which a program reports a mistake. */
const faultsIn = ({ err }: Ended) =>
  err
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('Database: '));

const own = await pair();
const other = await pair();
const encrypted = createPrivateKey(own.key)
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'a passphrase' })
  .toString();
const short = await generate([{ name: 'commonName', value: 'short' }], { keySize: 1024, algorithm: 'sha256' });

const tls = (certificate: string, key: string) => ({
  LATCHKEY_TLS_CERT_FILE: file('cert.pem', certificate),
  LATCHKEY_TLS_KEY_FILE: file('key.pem', key),
});

const NO_DATABASE = 'There is no database yet; the first start creates it.\nThe service can start.\n';

/** A data directory with a file in it. */
function data(name: string, contents: string): string {
  const directory = mkdtempSync(join(root, 'data-'));
  writeFileSync(join(directory, name), contents, { mode: 0o600 });
  return directory;
}

const REFUSED: readonly [string, Readonly<Record<string, string>>, RegExp][] = [
  [
    'a key of another certificate',
    tls(own.certificate, other.key),
    /whose key does not belong to the first certificate/,
  ],
  ['an encrypted key', tls(own.certificate, encrypted), /which holds no PEM private key without a passphrase/],
  ['a key file that holds none', tls(own.certificate, 'nothing'), /which holds no PEM private key/],
  ['a certificate file that holds none', tls('nothing', own.key), /which holds no PEM certificate/],
  ['a key that is too short to serve with', tls(short.cert, short.private), /which OpenSSL refuses to serve/],
  [
    'what is damaged behind the first certificate',
    tls(`${own.certificate}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`, own.key),
    /which OpenSSL refuses to serve/,
  ],
  ['a database of countries that is none', { LATCHKEY_GEOIP_FILE: file('c.mmdb', 'no') }, /is not a MaxMind DB/],
  ['a kept secret that is too short', { LATCHKEY_DATA_DIR: data('admin-secret', 'short') }, /must have 16 to 256/],
  ['a kept TLS key that is damaged', { LATCHKEY_DATA_DIR: data('tls-key.pem', 'damaged') }, /holds no private key/],
  [
    'a webhook secret that is the kept one of the administrator',
    {
      LATCHKEY_DATA_DIR: data('admin-secret', 'one-secret-for-both-of-them'),
      LATCHKEY_WEBHOOK_SECRET: 'one-secret-for-both-of-them',
    },
    /the webhook secret must differ from the admin secret/,
  ],
  [
    'a file that the URL of PostgreSQL names and that is not there',
    { DATABASE_URL: 'postgres://ada:hunter2@localhost/latchkey?sslmode=verify-full&sslrootcert=/nowhere/ca.pem' },
    /\/nowhere\/ca\.pem/,
  ],
];

describe('check', () => {
  for (const [what, environment, reason] of REFUSED)
    it(`finds ${what}, in the words of a start that refuses it`, async () => {
      const given = { LATCHKEY_DATA_DIR: mkdtempSync(join(root, 'empty-')), PORT: '0', ...environment };
      const before = readdirSync(given.LATCHKEY_DATA_DIR);
      const checked = await runCommandHere(['check'], given);
      assert.deepEqual([checked.code, checked.out], [1, '']);
      assert.deepEqual(readdirSync(given.LATCHKEY_DATA_DIR), before, 'something was made');
      assert.match(checked.err, reason);
      assert.doesNotMatch(checked.err, /BEGIN|hunter2|one-secret/);
      const started = await runProgram('src/main.ts', [], given);
      assert.equal(started.code, 1);
      for (const line of faultsIn(checked)) assert.ok(started.err.includes(line), `${line}\n${started.err}`);
    });

  it('names the errors of all files at once', async () => {
    const { code, err } = await runCommandHere(['check'], {
      ...tls(own.certificate, other.key),
      LATCHKEY_GEOIP_FILE: file('c.mmdb', 'no'),
      LATCHKEY_DATA_DIR: data('webhook-secret', 'short'),
    });
    assert.equal(code, 1);
    for (const said of [/does not belong to/, /is not a MaxMind DB/, /must have 16 to 256/]) assert.match(err, said);
  });

  const isWindows = process.platform === 'win32' && 'files have no such mode on Windows';
  it('warns of a key and of files that others can read, and ends with 0, as a start serves with them', {
    skip: isWindows,
  }, async () => {
    const environment = tls(own.certificate, own.key);
    chmodSync(environment.LATCHKEY_TLS_KEY_FILE, 0o644);
    const directory = data('admin-secret', 'a-secret-of-the-administrator');
    chmodSync(join(directory, 'admin-secret'), 0o640);
    const { code, out, err } = await runCommandHere(['check'], { ...environment, LATCHKEY_DATA_DIR: directory });
    assert.deepEqual([code, out], [0, NO_DATABASE]);
    for (const open of [environment.LATCHKEY_TLS_KEY_FILE, join(directory, 'admin-secret')])
      assert.match(err, new RegExp(`^Warning: ${open} is open to other users of this machine`, 'm'));
  });

  it('warns of a database file with a second name, as a start does, and ends with 0', {
    skip: isWindows,
  }, async (test) => {
    const database = await freshFor(test, 'sqlite');
    assert.doesNotMatch((await checked(database)).err, /hard links/);
    linkSync(database.file, join(mkdtempSync(join(root, 'copy-')), 'latchkey.db'));
    const { code, err } = await checked(database);
    assert.equal(code, 0, err);
    assert.match(err, /^Warning: \S+\.db has 2 names \(hard links\)\. The others are not backups/m);
    const started = await startServerProcess(database, { LATCHKEY_DATA_DIR: dirname(database.file) });
    test.after(() => started.stop());
    assert.match(
      String(started.log.find(({ event }) => event === 'start.noticed')?.warning),
      /has 2 names \(hard links\)/,
    );
  });

  it('has nothing to say of files that are as they should be', async () => {
    const directory = join(root, 'fit');
    mkdirSync(directory, { mode: 0o700 });
    const { code, out, err } = await runCommandHere(['check'], {
      ...tls(own.certificate, own.key),
      LATCHKEY_DATA_DIR: directory,
    });
    assert.deepEqual([code, out], [0, NO_DATABASE]);
    assert.deepEqual(err.trimEnd().split('\n').length, 1, err);
  });
});

for (const engine of engines)
  describe(`check of a database on ${engine}`, () => {
    it('says that the tables are up to date, and changes nothing', async (test) => {
      const database = await freshFor(test, engine);
      const { code, out, err } = await checked(database);
      assert.equal(code, 0, err);
      assert.match(out, /^The tables are up to date \(version \d+\)\.\nThe service can start\.\n$/);
    });

    it('warns of a clock that is far from the last time that was believed, until an operator believes it', async (test) => {
      const database = await freshFor(test, engine);
      for (const [at, said] of [
        ['2026-02-01T00:00:00.000Z', / days ahead of the last believed time \(2026-02-01T/],
        ['2096-02-01T00:00:00.000Z', / days behind the last believed time \(2096-02-01T/],
      ] as const) {
        await execute(
          database,
          `delete from believed_round; insert into believed_round (name, at) values ('last', '${at}')`,
        );
        const { code, err } = await checked(database);
        assert.equal(code, 0, err);
        assert.match(err, said);
        assert.match(
          err,
          /nothing is removed or ended by time.*run latchkey believe-clock; a service that runs for 24 hours/,
        );
        assert.deepEqual(await rowOf(database, 'select at from believed_round'), { at }, 'check changes nothing');
        assert.equal((await runCommandHere(['believe-clock'], environmentOf(database))).code, 0);
        assert.doesNotMatch((await checked(database)).err, /Warning: the clock/);
      }
    });

    it('warns of it on tables of an older version as well', async (test) => {
      const database = await freshFor(test, engine);
      await execute(database, "insert into believed_round (name, at) values ('last', '2026-02-01T00:00:00.000Z')");
      knowingMigrations(test, nextMigration(1));
      const { code, out, err } = await checked(database);
      assert.equal(code, 0, err);
      assert.match(
        out,
        /^The tables have version \d+; the next start, or the command migrate, updates them to \d+\.$/m,
      );
      assert.match(err, /^Warning: the clock .* days ahead of the last believed time \(2026-02-01T/m);
    });

    it('drops no key of session tokens by a clock that is not believed', async (test) => {
      const database = await freshFor(test, engine);
      await execute(
        database,
        `insert into believed_round (name, at) values ('last', '2026-02-01T00:00:00.000Z');
         insert into token_key (key_id, secret, created_at, signs_from, longest_lifetime_ms) values
           ('first', 'a', '2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z', 1000),
           ('second', 'b', '2020-02-01T00:00:00.000Z', '2020-02-01T00:00:00.000Z', 1000)`,
      );
      const rotate = async () => (await runCommandHere(['rotate-token-keys'], environmentOf(database))).out;
      assert.match(
        await rotate(),
        /; accepted keys: 3\.\nThe clock of this machine is not believed, so no old key was dropped\./,
      );
      assert.equal((await runCommandHere(['believe-clock'], environmentOf(database))).code, 0);
      assert.match(await rotate(), /; accepted keys: 3\.\n$/);
    });

    it('says that an empty database will be filled, and leaves it empty', async (test) => {
      const database = await emptyFor(test, engine);
      if (database.engine === 'sqlite') writeFileSync(database.file, '');
      for (let time = 0; time < 2; time++) {
        const { code, out, err } = await checked(database);
        assert.deepEqual(
          [code, out],
          [0, 'The database is empty; the first start creates its tables.\nThe service can start.\n'],
          err,
        );
      }
    });

    it('refuses tables of a later version', async (test) => {
      const database = await freshFor(test, engine);
      await rowOf(
        database,
        "insert into schema_migration (version, name, applied_at) values (9999, 'later', '2030-01-01T00:00:00.000Z')",
      );
      const { code, out, err } = await checked(database);
      assert.deepEqual([code, out], [1, '']);
      assert.match(
        err,
        /^The tables have version 9999, but this Latchkey supports versions up to \d+\. Use the newer Latchkey\.$/m,
      );
    });

    it("warns when the database has changes in the future of this machine's clock", async (test) => {
      const app = await appFor(test, engine);
      app.clock.move(3 * 3_600_000);
      await app.license();
      const { code, err } = await checked(app.database);
      assert.equal(code, 0);
      assert.match(
        err,
        /^Warning: the database holds a change of \S+, which is (180|179) minutes ahead of this machine's clock/m,
      );
    });

    it("tolerates changes of up to five minutes in the future of this machine's clock", async (test) => {
      const app = await appFor(test, engine);
      app.clock.move(3 * 3_600_000);
      await app.license();
      const warned = async (aheadMs: number) => {
        const { warnings } = await checkDatabase(app.database, app.clock.now() - aheadMs);
        return warnings.filter((warning) => warning.includes("ahead of this machine's clock"));
      };
      assert.deepEqual(await warned(300_000), []);
      assert.match((await warned(300_001)).join(), /which is 5 minutes ahead/);
    });
  });
