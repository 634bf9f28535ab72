/**
 * `npm run conformance` distinguishes a server that keeps its promises from one that does not, and leaves nothing
 * behind.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runProgram } from '../support/command.ts';
import { emptyDatabase } from '../support/databases.ts';
import { onClient } from '../support/own-connection.ts';
import type { TestDatabase } from '../support/test-database.ts';
import { promises } from './promises.ts';

/** In every database made from now on, the table `counter` silently ignores updates. */
const LOSE_UPDATES = `
  create function lose_updates() returns event_trigger language plpgsql as $$ begin
    if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'public.counter') then
      create rule lose_updates as on update to counter do instead nothing;
    end if;
  end $$;
  create event trigger lose_updates on ddl_command_end when tag in ('CREATE TABLE') execute function lose_updates();
`;
const KEEP_UPDATES = 'drop event trigger lose_updates; drop function lose_updates();';

/** Runs the script to its end; it receives nothing else of this run's environment. */
const conform = (...words: string[]) => runProgram('scripts/conformance.ts', words);

async function query(url: URL, database: string, text: string): Promise<Record<string, unknown>[]> {
  const address = new URL(url);
  address.pathname = database;
  return onClient(address.href, async (client) => (await client.query(text)).rows);
}

describe('the promises of a server', () => {
  it('have names of their own and tests that exist', () => {
    assert.equal(new Set(promises.map(({ name }) => name)).size, promises.length);
    const files = promises.flatMap((promised) => promised.files);
    assert.deepEqual(
      files.filter((file) => !existsSync(join(import.meta.dirname, '..', file))),
      [],
    );
  });
});

describe('conformance', () => {
  let database: TestDatabase;
  let url: URL;
  before(async () => {
    database = await emptyDatabase('postgres');
    url = new URL((database.database as { url: string }).url);
  });
  after(() => database.remove());

  /** The databases that a run of the script has made and not removed. */
  const left = () =>
    query(url, 'postgres', "select datname from pg_database where datname ~ '^latchkey_[0-9a-f]{16}_'");

  it('ends with 0, lists the kept promises, and removes its databases', async () => {
    const { code, out, err } = await conform('--database-url', url.href, '--only', 'rows', '--only', 'nodes');
    assert.equal(code, 0, out + err);
    assert.match(out, /^PostgreSQL \d+/);
    assert.match(out, /^kept {6}Rows come back .* \((\d\d+) of \1 tests\)$/m);
    assert.match(out, /^kept {6}What one node has answered .* \((\d+) of \1 tests\)$/m);
    assert.match(out, /^This server keeps all 2 promises\.$/m);
    assert.deepEqual(await left(), []);
    assert.deepEqual(
      await query(url, url.pathname.slice(1), 'select 1 from pg_tables where schemaname = current_schema()'),
      [],
    );
  });

  it('ends with 1 and names the broken promises of a server that loses updates', async (test) => {
    await query(url, 'template1', LOSE_UPDATES);
    test.after(() => query(url, 'template1', KEEP_UPDATES));
    const { code, out } = await conform('--database-url', url.href, '--only', 'transactions', '--only', 'locks');
    assert.equal(code, 1);
    assert.match(out, /^NOT KEPT {2}A transaction is kept whole or not at all/m);
    assert.match(out, /^ +storage\/transaction\.test\.ts: /m);
    assert.match(out, /^kept {6}A license that somebody keeps locked/m);
    assert.match(out, /^This server does not keep 1 of 2 promises\.$/m);
    assert.deepEqual(await left(), []);
  });

  it('ends with 1 and the reason when the role may make no database, and shows no password', async (test) => {
    const role = `tried_${url.pathname.slice(-12)}`;
    await query(url, 'postgres', `create role ${role} login password 'hunter2'`);
    test.after(() => query(url, 'postgres', `drop role ${role}`));
    const address = new URL(url);
    [address.username, address.password] = [role, 'hunter2'];
    const { code, out, err } = await conform('--database-url', address.href);
    assert.equal(code, 1);
    assert.match(err, /^This server cannot be tried: permission denied to create database$/m);
    assert.doesNotMatch(out + err, /hunter2/);
  });

  for (const [what, words] of Object.entries({
    nothing: [],
    'a database of another kind': ['--database-url', 'mysql://localhost/latchkey'],
    'a promise that there is not': ['--database-url', 'postgres://localhost/latchkey', '--only', 'speed'],
  }))
    it(`ends with 2 and the usage when given ${what}`, async () => {
      const { code, out, err } = await conform(...words);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, /^Usage: npm run conformance/);
    });

  it('ends with 2 and names an argument that it does not know', async () => {
    const { code, out, err } = await conform('--as', 'citus');
    assert.deepEqual([code, out], [2, '']);
    assert.equal(err, "conformance: Unknown option '--as'. --help lists the options.\n");
  });
});
