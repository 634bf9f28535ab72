/** Which room may import which, and which things have one place only (see ARCHITECTURE.md). */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path/posix';
import { describe, it } from 'node:test';
import { arrows, arrowsOfWings, isDeclared, isUpward, ROOMS, WINGS } from './rooms.ts';
import { type Source, sliceRooms, sources, sourcesWith } from './sources.ts';

/** Imports between folders as `from -> to`, of the files that `isMeant` picks. */
function importsOf(isMeant: (source: Source) => boolean, isTypeOnly?: boolean): { from: Source; target: string }[] {
  return sources
    .filter(isMeant)
    .flatMap((from) =>
      from.imports
        .filter((each) => isTypeOnly === undefined || each.isTypeOnly === isTypeOnly)
        .map(({ target }) => ({ from, target })),
    );
}

const paths = new Set(sources.map(({ path }) => path));

describe('imports', () => {
  it('are read from the files', () => {
    const metrics = sources.find(({ path }) => path === 'runtime/service/metrics.ts');
    assert.ok(
      metrics?.imports.some(({ target, isTypeOnly }) => target === 'storage/contract/storage.ts' && isTypeOnly),
    );
    assert.ok(
      metrics?.imports.some(({ target, isTypeOnly }) => target === 'storage/contract/availability.ts' && !isTypeOnly),
    );
    const unknown = importsOf(() => true).filter(({ target }) => target.endsWith('.ts') && !paths.has(target));
    assert.deepEqual(unknown, []);
  });

  it('go from wing to wing and from room to room as declared only', () => {
    for (const { room } of sources) assert.ok(ROOMS.includes(room), `declare in rooms.ts the imports of ${room}`);
    const strayed = arrows.filter((arrow) => !isDeclared(arrow)).flatMap(({ imports }) => imports);
    assert.deepEqual(strayed, []);
  });

  it('give the threads of the senders no driver of a database: with PostgreSQL it reads nothing itself', () => {
    const ofSenders = sources.flatMap(({ path }) => (path.endsWith('/sending.ts') ? [path] : []));
    assert.ok(ofSenders.length > 1);
    const loaded = new Set(['runtime/engines/sender-thread-entry.ts', ...ofSenders]);
    for (const path of loaded)
      for (const { target, isTypeOnly } of sources.find((source) => source.path === path)?.imports ?? [])
        if (!isTypeOnly) loaded.add(target);
    assert.ok(loaded.has('webhooks/deliveries/sender.ts') && loaded.has('lru-cache'));
    for (const each of ['storage/opening/open.ts', 'pg', 'typebox']) assert.ok(!loaded.has(each), each);
  });

  it('are declared only where they are made', () => {
    const made = new Set([...arrowsOfWings, ...arrows].map(({ from, to }) => `${from} -> ${to}`));
    const declared = Object.entries(WINGS).flatMap(([wing, { uses, rooms }]) => [
      ...uses.map((to) => `${wing} -> ${to}`),
      ...Object.entries(rooms).flatMap(([from, targets]) => targets.map((to) => `${wing}/${from} -> ${wing}/${to}`)),
    ]);
    assert.deepEqual(
      declared.filter((arrow) => !made.has(arrow)),
      [],
    );
  });

  it('never lead to a higher room, and so never in a circle of wings or rooms, types included', () => {
    assert.deepEqual(
      arrows.filter(isUpward).flatMap(({ imports }) => imports),
      [],
    );
  });

  it('of http/ are in the files that put the service together and the checks before a start only, except for types', () => {
    const users = importsOf(({ room }) => room !== 'runtime/http', false).filter(({ target }) =>
      target.startsWith('runtime/http/'),
    );
    assert.deepEqual([...new Set(users.map(({ from }) => from.path))].sort(), [
      'runtime/service/metrics.ts',
      'runtime/service/server.ts',
      'runtime/service/start-check.ts',
    ]);
  });

  it('reach every file but the entries of processes and threads, so no file is forgotten in a list', () => {
    const lazily = sources.flatMap(({ path, code }) =>
      [...code.matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, from = '']) => join(path, '..', from)),
    );
    const imported = new Set([...importsOf(() => true).map(({ target }) => target), ...lazily]);
    for (const { path } of sources)
      assert.ok(
        imported.has(path) || /^(?:main|cli)\.ts$|-entry\.ts$/.test(path),
        `nothing imports ${path}: ARCHITECTURE.md says in which list such a file stands`,
      );
  });

  it('never form a cycle at run time', () => {
    const next = new Map(sources.map(({ path, imports }) => [path, imports.filter((each) => !each.isTypeOnly)]));
    const isClear = new Set<string>();
    const follow = (path: string, way: readonly string[]): void => {
      assert.ok(!way.includes(path), [...way, path].join(' -> '));
      if (isClear.has(path)) return;
      for (const { target } of next.get(path) ?? []) follow(target, [...way, path]);
      isClear.add(path);
    };
    for (const { path } of sources) follow(path, []);
  });

  it('of slices above the platform reach nothing of the storage but its contract, topics, and the descriptions of tables and lists', () => {
    const reached = importsOf(({ room, wing }) => wing !== 'platform' && sliceRooms.includes(room)).filter(
      ({ target }) => target.startsWith('storage/'),
    );
    assert.ok(reached.length > 0);
    for (const { from, target } of reached)
      assert.ok(
        ['storage', 'recorded', 'published', 'list', 'stored-json', 'table'].some(
          (name) => target === `storage/contract/${name}.ts`,
        ),
        `${from.path} -> ${target}`,
      );
  });

  it('of app.ts lead to every slice, and those of a slice to its tables, jobs, refusals and metrics', () => {
    const importedBy = (from: string) => sources.find(({ path }) => path === from)?.imports.map(({ target }) => target);
    const listed = importedBy('app.ts');
    for (const { path } of sources.filter(({ path }) => path.endsWith('/index.ts')))
      assert.ok(listed?.includes(path), `list ${path} in app.ts`);
    const named = /^[^/]+\/(?!endpoint)[^/]+\/(?:tables|jobs|refusals|counted-changes|exported-metrics)\.ts$/;
    for (const { path, room } of sources.filter(({ path }) => named.test(path) && !path.startsWith('storage/')))
      assert.ok(importedBy(`${room}/index.ts`)?.includes(path), `name ${path} in the slice of ${room}/index.ts`);
  });

  it('of the database drivers are made by their engines alone', () => {
    const users = (driver: string) =>
      importsOf(() => true).flatMap(({ from, target }) => (target === driver ? [from.path] : []));
    assert.deepEqual(users('node:sqlite'), [
      'storage/copy/sqlite-claim.ts',
      'storage/sqlite/sqlite-backup.ts',
      'storage/sqlite/sqlite-connection.ts',
      'storage/sqlite/sqlite-damage.ts',
    ]);
    assert.deepEqual(users('pg'), [
      'storage/copy/postgres-claim.ts',
      'storage/postgres/database-name.ts',
      'storage/postgres/postgres-connection.ts',
      'storage/postgres/postgres-errors.ts',
      'storage/postgres/postgres-hosts.ts',
      'storage/postgres/postgres-pool.ts',
      'storage/postgres/postgres-pooler.ts',
      'storage/postgres/postgres-probe.ts',
      'storage/postgres/postgres-session.ts',
      'storage/postgres/postgres-transaction.ts',
      'storage/postgres/postgres-version.ts',
      'storage/postgres/postgres.ts',
    ]);
  });
});

describe('of its kind there is one place', () => {
  it('for SQL: store files, and the few that keep a table of their own', () => {
    const others = sourcesWith(/\b(?:statement|writeStatement|NamedStatement|FilteredList)\(/).filter(
      (path) => !path.endsWith('store.ts'),
    );
    assert.deepEqual(others, [
      'storage/contract/list.ts',
      'storage/contract/storage.ts',
      'storage/contract/table.ts',
      'storage/migrations/migrate.ts',
    ]);
  });

  it('for the connections of tests to SQLite: support/sqlite-file.ts, which waits for the service', () => {
    const root = join(import.meta.dirname, '../../../..');
    const files = globSync(['packages/*/test/**/*.ts', 'bench/**/*.ts'], {
      cwd: root,
      exclude: ['**/node_modules/**'],
    });
    assert.ok(files.length > 500);
    const opening = files.filter((path) => /\bnew Database[S]ync\(/.test(readFileSync(join(root, path), 'utf8')));
    assert.deepEqual(opening, ['packages/server/test/support/sqlite-file.ts']);
  });

  it('for the time: ground/base/clock.ts', () => {
    assert.deepEqual(sourcesWith(/\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.|\bhrtime\b|\bTemporal\b/), [
      'ground/base/clock.ts',
    ]);
  });

  it('for chance: ground/base/random.ts', () => {
    const chance = /\bMath\.random\b|\brandom(Bytes|Int|UUID|Fill|FillSync)\b|\bgetRandomValues\b/;
    assert.deepEqual(sourcesWith(chance), ['ground/base/random.ts']);
  });
});

describe('a source file', () => {
  it('has 400 lines at most', () => {
    const long = sources.filter(({ lines }) => lines > 400).map(({ path, lines }) => `${path}: ${lines}`);
    assert.deepEqual(long, []);
  });

  it('exports by name', () => {
    assert.deepEqual(sourcesWith(/^export default\b|\bas default\b/m), []);
  });

  it('uses no syntax that must be compiled away', () => {
    assert.deepEqual(sourcesWith(/^\s*(export )?(const )?(enum|namespace) \w+ \{/m), []);
  });
});
