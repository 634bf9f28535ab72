/** The command check tries what a start needs: rights, files that can be written, the schema (rules 10.13). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { TLSSocket } from 'node:tls';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { mintId } from '../../../src/ground/base/random.ts';
import { readConfig } from '../../../src/runtime/config/read-config.ts';
import { openCertificate } from '../../../src/runtime/http/certificate.ts';
import { environmentOf, runCommandHere } from '../../support/command.ts';
import { engines } from '../../support/databases.ts';
import { emptyFor, freshFor } from '../../support/for-test.ts';
import { listen } from '../../support/listen.ts';
import { execute, rowOf } from '../../support/own-connection.ts';
import { Pooler } from '../../support/pooler.ts';
import { processEnvironment } from '../../support/process-environment.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const check = (environment: Readonly<Record<string, string>>) => runCommandHere(['check'], environment);

/** Works with a role that may connect and nothing else. */
async function asRole(
  owned: { engine: 'postgres'; url: string },
  work: (role: string, database: { engine: 'postgres'; url: string }) => Promise<void>,
): Promise<void> {
  const role = `role_${mintId().toLowerCase().replace(/\W/g, '_')}`;
  await execute(owned, `create role ${role} login password 'a-password'`);
  const url = new URL(owned.url);
  [url.username, url.password] = [role, 'a-password'];
  try {
    await work(role, { engine: 'postgres', url: url.href });
  } finally {
    await execute(owned, `drop owned by ${role}; drop role ${role}`);
  }
}

/** Runs a line of a module as another user: as root every file can be written. */
function asAnotherUser(line: string): string {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  return execFileSync(process.execPath, ['--input-type=module', '--eval', line], {
    ...user,
    cwd: '/',
    encoding: 'utf8',
    env: processEnvironment,
  });
}

describe('check on PostgreSQL', () => {
  it('finds a role that may not create tables, and prints the grant that lets it', async (test) => {
    const owned = await emptyFor(test, 'postgres');
    await execute(owned, 'revoke create on schema public from public');
    await asRole(owned, async (role, database) => {
      const refused = await check(environmentOf(database));
      assert.equal(refused.code, 1);
      const [, grant = ''] = /run: (GRANT USAGE, CREATE ON SCHEMA public TO \w+;)/.exec(refused.err) ?? [];
      assert.ok(grant.includes(role), refused.err);
      await execute(owned, grant);
      const granted = await check(environmentOf(database));
      assert.equal(granted.code, 0, granted.err);
      const migrated = await runCommandHere(['migrate'], environmentOf(database));
      assert.equal(migrated.code, 0, migrated.err);
    });
  });

  it('refuses a parameter of the URL that it does not know, by its name alone', async (test) => {
    const { url } = await emptyFor(test, 'postgres');
    for (const name of ['schema', 'currentSchema', 'search_path', 'sslmod', 'engine']) {
      const { code, err } = await check({ DATABASE_URL: `${url}${url.includes('?') ? '&' : '?'}${name}=hidden` });
      assert.equal(code, 1, name);
      assert.match(err, new RegExp(`must not have the parameter ${name}: `));
      assert.doesNotMatch(err, /hidden/);
      if (name !== 'sslmod' && name !== 'engine') assert.match(err, /set LATCHKEY_DATABASE_SCHEMA/);
    }
  });

  it('puts all tables into the schema that LATCHKEY_DATABASE_SCHEMA names, behind a pooler as well', async (test) => {
    for (const isPooled of [false, true]) {
      const owned = await emptyFor(test, 'postgres');
      const pooler = isPooled ? await Pooler.to(owned.url, 'session') : null;
      if (pooler !== null) test.after(() => pooler.close());
      const environment = { DATABASE_URL: pooler?.url ?? owned.url, LATCHKEY_DATABASE_SCHEMA: 'licenses' };
      const missing = await check(environment);
      assert.equal(missing.code, 1);
      assert.match(missing.err, /the schema licenses, which .* is not there .*CREATE SCHEMA IF NOT EXISTS "licenses"/);
      await execute(owned, 'create schema licenses');
      const found = await check(environment);
      assert.equal(found.code, 0, found.err);
      const migrated = await runCommandHere(['migrate'], environment);
      assert.equal(migrated.code, 0, migrated.err);
      const places = "select string_agg(distinct schemaname, ',') as places from pg_tables where tablename = 'license'";
      assert.deepEqual(await rowOf(owned, places), { places: 'licenses' });
    }
  });

  it('names sslrootcert when an authority that nobody here knows signed the certificate of the server', async (test) => {
    const config = readConfig({ LATCHKEY_DATA_DIR: temporaryFolder(test) });
    const { certificate, key } = await openCertificate(config, systemClock());
    // As PostgreSQL answers the request for TLS.
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('S');
        new TLSSocket(socket, { isServer: true, cert: certificate, key }).on('error', () => {});
      });
    });
    const port = await listen(server);
    test.after(() => server.close());
    const { code, err } = await check({
      DATABASE_URL: `postgres://ada:hidden@127.0.0.1:${port}/latchkey?sslmode=require`,
    });
    assert.equal(code, 1);
    assert.match(err, /signed by an authority that this machine does not know .* add sslrootcert=FILE to DATABASE_URL/);
    assert.doesNotMatch(err, /hidden|use-system-ca/);
  });

  it('takes a schema with PostgreSQL alone, by a name without quotation marks', async () => {
    for (const [environment, reason] of [
      [{ LATCHKEY_DATABASE_SCHEMA: 'licenses' }, /DATABASE_URL must be set too/],
      [
        { LATCHKEY_DATABASE_SCHEMA: 'a"b', DATABASE_URL: 'postgres://a/b' },
        /LATCHKEY_DATABASE_SCHEMA is .* name of a sch/,
      ],
    ] as const)
      assert.match((await check(environment)).err, reason);
  });
});

describe('check on SQLite', () => {
  const skip = process.platform === 'win32' && 'files have no such mode on Windows';

  it('names the file or the folder that this user cannot write, and the user', { skip }, (test) => {
    // Another user cannot enter the folder of the tests.
    const root = mkdtempSync('/tmp/latchkey-check-');
    test.after(() => rmSync(root, { recursive: true }));
    const file = join(root, 'latchkey.db');
    writeFileSync(file, '');
    const module = new URL('../../../src/storage/sqlite/sqlite-file.ts', import.meta.url).href;
    const said = () =>
      asAnotherUser(`import { writeFault } from ${JSON.stringify(module)};
      process.stdout.write(String(writeFault(${JSON.stringify(file)})));`);
    const cannot = (path: string) =>
      new RegExp(`^${RegExp.escape(path)} cannot be written by the user \\S.*Make that user`);
    for (const [folderMode, fileMode, faulty] of [
      [0o777, 0o444, file],
      [0o555, 0o666, root],
    ] as const) {
      chmodSync(root, folderMode);
      chmodSync(file, fileMode);
      assert.match(said(), cannot(faulty));
    }
    chmodSync(root, 0o777);
    assert.equal(said(), 'null');
  });
});

for (const engine of engines)
  describe(`import on ${engine}`, () => {
    it('says of a file in UTF-16 that it is', async (test) => {
      const database = await freshFor(test, engine);
      const folder = temporaryFolder(test);
      mkdirSync(folder, { recursive: true });
      const csv = 'licenseKey,email,productId\r\nABCD-1234-EFGH,ada@example.com,app\r\n';
      for (const [name, bytes] of [
        ['marked.csv', Buffer.from(`\ufeff${csv}`, 'utf16le')],
        ['plain.csv', Buffer.from(csv, 'utf16le')],
        ['big.csv', Buffer.from(`\ufeff${csv}`, 'utf16le').swap16()],
      ] as const) {
        writeFileSync(join(folder, name), bytes);
        const { code, err } = await runCommandHere(['import', join(folder, name)], environmentOf(database));
        assert.equal(code, 1);
        assert.match(err, /The file is UTF-16, as Excel saves "Unicode Text"/, name);
      }
    });
  });
