/**
 * Each recorded table has a single writer, which passes the change to the recorder. The test reads the sources: from
 * the statements that write, to the functions that run them, to the callers of these.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path/posix';
import { describe, it } from 'node:test';
import { tables } from '../../src/app.ts';
import '../../src/runtime/service/server.ts';
import { writeStatement } from '../../src/storage/contract/storage.ts';
import { sqliteDialect } from '../../src/storage/sqlite/sqlite-dialect.ts';
import { statementsOfService } from '../support/service-statements.ts';
import { type Source, sources } from './sources.ts';

/** The one file that may call functions that write a table, by the name of the table. */
const WRITER: Readonly<Record<string, string>> = Object.fromEntries(
  tables.flatMap(({ name, changes }) => ('recordedBy' in changes ? [[name, changes.recordedBy]] : [])),
);

/** Statements that write a recorded table and record nothing, each with the reason. */
const EXEMPT: Readonly<Record<string, string>> = Object.assign(
  {},
  ...tables.map(({ changes }) => ('recordedBy' in changes ? changes.but : undefined)),
);

/** Files between a statement and its writer: they only collect the changes to write. */
const BETWEEN = ['commerce/studio-orders/issue-seats.ts'];

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
  assert.equal(
    found.length,
    1,
    `${statementName} changes a recorded table: declare it in one place by its whole name, or give the reason in tables.ts`,
  );
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

// As other files in this process may.
for (const name of ['test_recorder.delete', 'bench.delete'])
  writeStatement(name, 'delete from license where license_key = $1');

const recordedWrites = statementsOfService()
  .map(({ name, text }) => ({ name, tables: writtenBy(text(sqliteDialect)).filter((table) => table in WRITER) }))
  .filter(({ tables }) => tables.length > 0);

describe('every change that is recorded', () => {
  it('is written by statements that were found, and exceptions are for some of them', () => {
    const written = new Set(recordedWrites.flatMap(({ tables }) => tables));
    assert.deepEqual([...written].sort(), Object.keys(WRITER).sort());
    const names = recordedWrites.map(({ name }) => name);
    for (const name of Object.keys(EXEMPT)) assert.ok(names.includes(name), `${name} writes nothing that is recorded`);
  });

  for (const { name, tables } of recordedWrites.filter(({ name }) => !(name in EXEMPT)))
    it(`by ${name} is made in one file`, () => {
      const callers = callersOf(name);
      assert.ok(
        callers.length > 0,
        'nobody runs it: let the file that tables.ts names do so, or give the reason there',
      );
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
      imports.some(({ target, isTypeOnly }) => target === 'platform/events/record.ts' && !isTypeOnly),
    );
    assert.deepEqual(
      recording.map(({ path }) => path),
      [...new Set(Object.values(WRITER))].filter((path) => path !== WRITER.event).sort(),
    );
  });
});
