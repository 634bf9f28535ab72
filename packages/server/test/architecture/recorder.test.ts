/**
 * Each recorded table has a single writer, which passes the change to the recorder. The test reads the sources: from
 * the statements that write, to the functions that run them, to the callers of these.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path/posix';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import '../../src/server.ts';
import { sqliteDialect } from '../../src/storage/dialects.ts';
import { allStatements } from '../../src/storage/storage.ts';
import { freshDatabase } from '../support/databases.ts';
import { type Source, sources } from './sources.ts';

/** The one file that may call functions that write a table. */
const WRITER: Readonly<Record<string, string>> = {
  license: 'licenses/save.ts',
  activation: 'licenses/save.ts',
  violation: 'licenses/save.ts',
  product: 'products/change.ts',
  variant: 'products/change.ts',
  discount_code: 'discount-codes/change.ts',
  redemption: 'discount-codes/change.ts',
  api_key: 'api-keys/change.ts',
  console_session: 'console/change.ts',
  operator_key: 'console/change.ts',
  token_key: 'licenses/token-keys.ts',
  studio_order: 'studio-orders/change.ts',
  seat: 'studio-orders/change.ts',
  forgetting: 'customers/change.ts',
  event: 'events/record.ts',
};

/** Tables whose changes are not recorded, each with the reason. */
const UNRECORDED: Readonly<Record<string, string>> = {
  storefront_event: 'is itself a record of what was reported',
  purchase: 'holds what deliveries queue on and nothing else',
  storefront_delivery: 'holds the ids of events that were reported',
  idempotent_reply: 'holds answers for a day',
  kept_reply_room: 'counts the bytes of these answers',
  redemption_attempts: 'counts for a rate limit',
  trial_rate: 'counts for a rate limit',
  kept_refusal: 'tells of what was refused, which changed nothing',
  statistic: 'counts what happened',
  license_total: 'counts licenses',
  session_pool: 'leads a board to licenses that hold sessions and decides nothing',
  believed_round: 'says which time was believed last',
  job_lease: 'says which node is at a job',
  license_file: 'says which machine got which file; those that an operator makes are recorded with their license',
  license_file_count: 'counts for a limit',
  signing_key: 'holds secrets of the service, made by itself and by a command that prints what it did',
  installation: 'holds a name that is made once',
  sign_in_code: 'holds codes for five minutes; who signs in with one is recorded as a session',
  sign_in_rate: 'counts for a rate limit',
  support_extension: 'counts for a limit; each extension is recorded with its license',
  sign_in_turn: 'is a row to lock',
  schema_migration: 'is written by migrations',
  database_copy: 'says how far a copy of the whole database has come, its events included',
};

const FORGETTING = 'the forgetting of a customer is recorded once, without what was forgotten';

/** Statements that write a recorded table and record nothing, each with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  'activation.release_lapsed': 'a session that lapsed was over before',
  'event.delete_old': 'events are kept for so long and no longer',
  'license.mark_lapsed': 'the mark helps lists and decides nothing',
  'license.mark_lapsed_singly': 'the mark helps lists and decides nothing',
  'license.mark_unlapsed': 'the mark helps lists and decides nothing',
  'license.mark_unlapsed_singly': 'the mark helps lists and decides nothing',
  'console_session.delete_old': 'sessions that have lasted as long as they may were over before',
  'console_session.delete_some': 'sessions that come back with a backup have no place in the database that is restored',
  'token_key.insert': 'keys are made by the service itself, and by commands that print what they did',
  'token_key.raise_lifetime': 'says how long a key is needed and changes nothing that it signs',
  'console_session.keep_use': 'comes with every call and decides nothing but when a session ends',
  'activation.index_new': 'the mark helps searches and decides nothing',
  'activation.index_new_singly': 'the mark helps searches and decides nothing',
  'activation.rename': FORGETTING,
  'violation.rewrite': FORGETTING,
  'event.rewrite': FORGETTING,
  'redemption.forget': FORGETTING,
  'studio_order.forget': FORGETTING,
  'seat.forget': FORGETTING,
};

/** Files between a statement and its writer: they only collect the changes to write. */
const BETWEEN = ['studio-orders/issue-seats.ts'];

/** The tables that a statement writes. */
function writtenBy(text: string): string[] {
  return [...text.matchAll(/\b(?:insert into|update|delete from)\s+(\w+)/g)].flatMap(([, table]) =>
    table === undefined || table === 'set' ? [] : [table],
  );
}

/** The functions and values at the top level of a file, by name, each up to the next declaration. */
function partsOf({ code }: Source): ReadonlyMap<string, string> {
  const begins = /^(?=(?:export )?(?:async )?(?:function\*?|const|class|interface|type|for) )/m;
  return new Map(
    code.split(begins).flatMap((part) => {
      const [, name] = /^(?:export )?(?:async )?(?:function\*?|const|class) (\w+)/.exec(part) ?? [];
      return name === undefined ? [] : [[name, part] as const];
    }),
  );
}

const parts = new Map(sources.map((source) => [source.path, partsOf(source)]));

/** A declaration at the top level of a file. */
interface Place {
  readonly path: string;
  readonly name: string;
}

/** The declaration of a statement. */
function declarationOf(statementName: string): Place {
  const found = [...parts].flatMap(([path, named]) =>
    [...named].flatMap(([name, text]) => (text.includes(`'${statementName}'`) ? [{ path, name }] : [])),
  );
  assert.equal(found.length, 1, `${statementName}, which writes, is declared by its whole name in one place`);
  return found[0] as Place;
}

/** Named imports of a file: the local name, the exported name and the file. */
function namesImportedBy({ path, code }: Source): { used: string; exported: string; target: string }[] {
  return [...code.matchAll(/^import\s+\{([^}]*)\}\s*from\s*'(\.[^']+)'/gm)].flatMap(([, names = '', from = '']) =>
    names.split(',').flatMap((each) => {
      const [exported = '', used = exported] = each.trim().split(/\s+as\s+/);
      return exported === '' || exported.startsWith('type ')
        ? []
        : [{ used, exported, target: join(path, '..', from) }];
    }),
  );
}

/** The declarations of a file whose text matches. */
function matching(path: string, pattern: RegExp): Place[] {
  const named = [...(parts.get(path) ?? [])];
  return named.filter(([, text]) => pattern.test(text)).map(([name]) => ({ path, name }));
}

/** Callers of a function: in the same file, and in files that import it, even if they only pass it on. */
function usersOf({ path, name }: Place): Place[] {
  const beside = matching(path, new RegExp(`(?<!function\\*? )(?<![.\\w])${name}\\(`));
  const elsewhere = sources.flatMap((source) =>
    namesImportedBy(source)
      .filter(({ exported, target }) => exported === name && target === path)
      .flatMap(({ used }) => matching(source.path, new RegExp(`(?<![.\\w])${used}\\b`))),
  );
  return [...beside, ...elsewhere];
}

/** The functions outside of store files that run a statement, directly or by functions of the files in between. */
function callersOf(statementName: string): Place[] {
  const declared = declarationOf(statementName);
  const isExported = parts.get(declared.path)?.get(declared.name)?.startsWith('export ');
  assert.ok(!isExported, `${statementName} is exported, so anybody may run it`);
  const callers: Place[] = [];
  const seen = new Set<string>();
  const follow = (users: readonly Place[]): void => {
    for (const user of users) {
      const key = `${user.path} ${user.name}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (user.path === declared.path || BETWEEN.includes(user.path)) follow(usersOf(user));
      else callers.push(user);
    }
  };
  follow(matching(declared.path, new RegExp(`\\(\\s*${declared.name}\\s*[,)]`)));
  return callers;
}

const recordedWrites = allStatements()
  .map(({ name, text }) => ({ name, tables: writtenBy(text(sqliteDialect)).filter((table) => table in WRITER) }))
  .filter(({ tables }) => tables.length > 0);

describe('every change that is recorded', () => {
  it('is of a table that is listed here, and each table is', async () => {
    const { database, remove } = await freshDatabase('sqlite');
    assert.equal(database.engine, 'sqlite');
    const connection = new DatabaseSync((database as { file: string }).file, { readOnly: true });
    const tables = connection.prepare(`select name from sqlite_schema where type = 'table'`).all();
    connection.close();
    await remove();
    assert.deepEqual(
      tables.map(({ name }) => name as string).sort(),
      [...Object.keys(WRITER), ...Object.keys(UNRECORDED)].sort(),
    );
  });

  it('is written by statements that were found, and exceptions are for some of them', () => {
    const written = new Set(recordedWrites.flatMap(({ tables }) => tables));
    assert.deepEqual([...written].sort(), Object.keys(WRITER).sort());
    const names = recordedWrites.map(({ name }) => name);
    for (const name of Object.keys(EXEMPT)) assert.ok(names.includes(name), `${name} writes nothing that is recorded`);
  });

  for (const { name, tables } of recordedWrites.filter(({ name }) => !(name in EXEMPT)))
    it(`by ${name} is made in one file`, () => {
      const callers = callersOf(name);
      assert.ok(callers.length > 0, 'nobody runs it');
      const strayed = callers.filter(({ path }) => tables.some((table) => path !== WRITER[table]));
      assert.deepEqual(strayed, []);
    });

  it('is handed to the recorder by every function that others can call to make it', () => {
    const names = recordedWrites.filter(({ name, tables }) => !(name in EXEMPT) && !tables.includes('event'));
    const writing = names.flatMap(({ name }) => callersOf(name));
    for (const path of new Set(Object.values(WRITER))) {
      if (path === WRITER.event) continue;
      const named = parts.get(path) as ReadonlyMap<string, string>;
      const uses = (part: string, name: string) => new RegExp(`\\b${name}\\b`).test(named.get(part) ?? '');
      // A function that calls a writer of the same file counts as a writer, too.
      const writers = new Set(writing.filter((each) => each.path === path).map(({ name }) => name));
      for (const part of named.keys())
        if ([...writers].some((writer) => writer !== part && uses(part, writer))) writers.add(part);
      const reachable = [...writers].filter((name) => named.get(name)?.startsWith('export '));
      assert.ok(reachable.length > 0, path);
      for (const name of reachable) assert.ok(uses(name, 'recordChanges'), `${path}: ${name} records nothing`);
    }
  });

  it('is recorded by those files alone, beside the decisions that they are given', () => {
    const recording = sources.filter(({ imports }) =>
      imports.some(({ target, isTypeOnly }) => target === 'events/record.ts' && !isTypeOnly),
    );
    assert.deepEqual(
      recording.map(({ path }) => path),
      [...new Set(Object.values(WRITER))].filter((path) => path !== WRITER.event).sort(),
    );
  });
});
