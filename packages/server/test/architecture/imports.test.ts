/** Which room may import which, and which things have one place only (see ARCHITECTURE.md). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Source, sources, sourcesWith } from './sources.ts';

/** What every slice may use. */
const FOR_SLICES = ['base', 'endpoint', 'events', 'jobs', 'storage'];

/**
 * The rooms that each room may import, types included, from the lowest to the highest. `app.ts`, `main.ts` and `cli.ts`
 * stand at the top, beside the rooms.
 */
const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  storage: ['base', 'measures'],
  jobs: ['base', 'storage'],
  events: ['base', 'jobs', 'storage'],
  'believed-time': ['base', 'jobs', 'storage'],
  'kept-replies': ['base', 'jobs', 'storage'],
  endpoint: [
    ...['base', 'believed-time', 'client-endpoints', 'events', 'license-files', 'observed-calls', 'session-tokens'],
    ...['storage', 'violations'],
  ],
  // Slices.
  'observed-calls': FOR_SLICES,
  'api-keys': FOR_SLICES,
  'studio-orders': FOR_SLICES,
  'session-tokens': FOR_SLICES,
  machines: FOR_SLICES,
  violations: FOR_SLICES,
  products: [...FOR_SLICES, 'licenses'],
  licenses: [...FOR_SLICES, 'machines', 'observed-calls', 'products', 'violations'],
  'client-endpoints': [
    ...FOR_SLICES,
    ...['believed-time', 'licenses', 'machines', 'observed-calls', 'session-tokens', 'violations'],
  ],
  'license-files': [...FOR_SLICES, 'client-endpoints', 'licenses', 'machines', 'session-tokens'],
  'discount-codes': [...FOR_SLICES, 'licenses', 'products'],
  storefront: [...FOR_SLICES, 'discount-codes', 'licenses', 'products'],
  statistics: [...FOR_SLICES, 'licenses', 'observed-calls', 'products', 'violations'],
  // Slices that look into several others, and that no other slice uses.
  support: [
    ...FOR_SLICES,
    ...['client-endpoints', 'discount-codes', 'licenses', 'machines', 'observed-calls', 'products', 'studio-orders'],
    'violations',
  ],
  customers: [
    ...FOR_SLICES,
    ...['discount-codes', 'license-files', 'licenses', 'machines', 'observed-calls', 'storefront', 'studio-orders'],
    'violations',
  ],
  console: [...FOR_SLICES, 'api-keys'],
  system: [...FOR_SLICES, 'console', 'kept-replies', 'license-files', 'observed-calls'],
  // What runs the slices.
  app: [
    ...[
      'api-keys',
      'believed-time',
      'client-endpoints',
      'console',
      'customers',
      'discount-codes',
      'endpoint',
      'events',
    ],
    ...['jobs', 'kept-replies', 'license-files', 'licenses', 'machines', 'observed-calls', 'products'],
    ...['session-tokens', 'statistics', 'storage', 'storefront', 'studio-orders', 'support', 'system', 'violations'],
  ],
  config: ['base', 'license-files', 'storage'],
  measures: ['http', 'jobs', 'machines', 'storage', 'system'],
  dispatch: [
    ...['app', 'base', 'believed-time', 'endpoint', 'jobs', 'kept-replies', 'license-files', 'licenses', 'measures'],
    ...['observed-calls', 'session-tokens', 'storage', 'violations'],
  ],
  engines: [
    ...['app', 'base', 'believed-time', 'client-endpoints', 'config', 'dispatch', 'endpoint', 'jobs', 'license-files'],
    ...['licenses', 'measures', 'observed-calls', 'session-tokens', 'storage', 'violations'],
  ],
  http: ['base', 'config', 'dispatch', 'endpoint', 'storage'],
  reference: ['base', 'endpoint', 'http'],
  service: [
    ...['app', 'base', 'believed-time', 'config', 'console', 'dispatch', 'endpoint', 'engines', 'http', 'kept-replies'],
    ...['measures', 'observed-calls', 'reference', 'storage'],
  ],
  // Between the slices and a file: everything of them that can be written down.
  transfer: [
    ...['base', 'discount-codes', 'endpoint', 'events', 'licenses', 'machines', 'products', 'storage', 'studio-orders'],
    'violations',
  ],
  // Between the slices and another database: what changed there, and what of it is carried over.
  recovery: [
    ...['api-keys', 'base', 'console', 'customers', 'events', 'license-files', 'licenses', 'observed-calls'],
    ...['session-tokens', 'storage', 'violations'],
  ],
  commands: [
    ...['app', 'base', 'believed-time', 'config', 'endpoint', 'events', 'license-files', 'licenses', 'machines'],
    ...['recovery', 'service', 'session-tokens', 'storage', 'storefront', 'transfer'],
  ],
};

/** Rooms that import each other, each pair with the reason. */
const MUTUAL_IMPORTS: Readonly<Record<string, string>> = {
  'client-endpoints, endpoint': 'types: rules are given the cache of licenses',
  'endpoint, license-files': 'types: rules are given the keys that sign files, and how long files are good for',
  'endpoint, observed-calls': 'types: rules are given the counters of calls',
  'endpoint, violations': 'types: rules are given the repeats that are not written yet',
  'licenses, products': 'a license is issued for a variant; a product asks whether its slug has licenses',
  'measures, storage': 'types: a storage adds to measures; some measures are asked of the database',
};

const SLICES = [
  ...['api-keys', 'client-endpoints', 'console', 'customers', 'discount-codes', 'license-files', 'licenses'],
  ...['machines', 'observed-calls', 'products', 'session-tokens', 'statistics', 'storefront', 'studio-orders'],
  ...['support', 'system', 'violations'],
];

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

const areaOf = (path: string) => sources.find((source) => source.path === path)?.area;

describe('imports', () => {
  it('are read from the files', () => {
    const server = sources.find(({ path }) => path === 'service/server.ts');
    assert.ok(server?.imports.some(({ target, isTypeOnly }) => target === 'storage/storage.ts' && isTypeOnly));
    assert.ok(server?.imports.some(({ target, isTypeOnly }) => target === 'storage/open.ts' && !isTypeOnly));
    const unknown = importsOf(() => true).filter(
      ({ target }) => target.endsWith('.ts') && areaOf(target) === undefined,
    );
    assert.deepEqual(unknown, []);
  });

  it('go from area to area as allowed only', () => {
    const folders = new Set(sources.filter(({ path }) => path.includes('/')).map(({ area }) => area));
    for (const folder of folders) assert.ok(folder in ALLOWED_IMPORTS, `no imports are allowed for ${folder}`);
    const strayed = importsOf(({ area }) => area in ALLOWED_IMPORTS)
      .map(({ from, target }) => ({ from, target, to: areaOf(target) }))
      .filter(({ from, to }) => to !== undefined && to !== from.area && !ALLOWED_IMPORTS[from.area]?.includes(to))
      .map(({ from, target }) => `${from.path} -> ${target}`);
    assert.deepEqual(strayed, []);
  });

  it('are allowed where they are made only', () => {
    const made = new Set(importsOf(() => true).map(({ from, target }) => `${from.area} -> ${areaOf(target)}`));
    const unused = Object.entries(ALLOWED_IMPORTS)
      .flatMap(([from, targets]) => targets.filter((to) => !FOR_SLICES.includes(to)).map((to) => `${from} -> ${to}`))
      .filter((arrow) => !made.has(arrow));
    assert.deepEqual(unused, []);
  });

  it('lead in both directions between few folders, each for a reason', () => {
    const made = new Set(importsOf(() => true).map(({ from, target }) => `${from.area}, ${areaOf(target)}`));
    const mutual = [...made].filter((pair) => {
      const [one = '', other = ''] = pair.split(', ');
      return one < other && made.has(`${other}, ${one}`);
    });
    assert.deepEqual(mutual.sort(), Object.keys(MUTUAL_IMPORTS).sort());
  });

  it('lead from products back to licenses for constants and one question only', () => {
    const back = importsOf(({ area }) => area === 'products', false).filter(
      ({ target }) => areaOf(target) === 'licenses',
    );
    // license.ts has the types of licenses; the store knows whether a slug has licenses and cannot be claimed.
    const targets = new Set(back.map(({ target }) => target));
    assert.deepEqual([...targets].sort(), ['licenses/license.ts', 'licenses/store.ts']);
    assert.deepEqual(
      back.filter(({ target }) => target === 'licenses/store.ts').map(({ from }) => from.path),
      ['products/create-product.ts'],
    );
  });

  it('of http/ are made by server.ts and what looks before it starts, but for types', () => {
    const users = importsOf(({ area }) => area !== 'http', false).filter(({ target }) => target.startsWith('http/'));
    assert.deepEqual([...new Set(users.map(({ from }) => from.path))].sort(), [
      'service/metrics.ts',
      'service/server.ts',
      'service/start-check.ts',
    ]);
  });

  it('never lead back to where they came from at run time', () => {
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

  it('of slices reach nothing of the storage but its contract and the description of tables', () => {
    const reached = importsOf(({ area }) => SLICES.includes(area)).filter(({ target }) =>
      target.startsWith('storage/'),
    );
    assert.ok(reached.length > 0);
    for (const { from, target } of reached)
      assert.ok(
        ['storage/storage.ts', 'storage/stored-json.ts', 'storage/table.ts'].includes(target),
        `${from.path} -> ${target}`,
      );
  });

  it('of app.ts lead to the tables and the jobs of every slice', () => {
    const listed = sources.find(({ path }) => path === 'app.ts')?.imports.map(({ target }) => target);
    for (const { path } of sources.filter(({ path }) => /^[^/]+\/(?:tables|jobs)\.ts$/.test(path)))
      assert.ok(listed?.includes(path), `list ${path} in app.ts`);
  });

  it('of the database drivers are made by their engines alone', () => {
    const users = (driver: string) =>
      importsOf(() => true).flatMap(({ from, target }) => (target === driver ? [from.path] : []));
    assert.deepEqual(users('node:sqlite'), [
      'storage/copy/sqlite-claim.ts',
      'storage/sqlite-backup.ts',
      'storage/sqlite-connection.ts',
      'storage/sqlite-damage.ts',
      'storage/sqlite-salvage.ts',
    ]);
    assert.deepEqual(users('pg'), [
      'storage/copy/postgres-claim.ts',
      'storage/database-name.ts',
      'storage/postgres-connection.ts',
      'storage/postgres-errors.ts',
      'storage/postgres-hosts.ts',
      'storage/postgres-migration.ts',
      'storage/postgres-pool.ts',
      'storage/postgres-pooler.ts',
      'storage/postgres-probe.ts',
      'storage/postgres-session.ts',
      'storage/postgres-transaction.ts',
      'storage/postgres.ts',
    ]);
  });
});

describe('of its kind there is one place', () => {
  it('for SQL: store files, and the few that keep a table of their own', () => {
    const others = sourcesWith(/\b(?:statement|writeStatement)\(/).filter((path) => !path.endsWith('store.ts'));
    assert.deepEqual(others, ['storage/migrate.ts', 'storage/storage.ts', 'storage/table.ts']);
  });

  it('for the time: base/clock.ts', () => {
    assert.deepEqual(sourcesWith(/\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.|\bhrtime\b|\bTemporal\b/), [
      'base/clock.ts',
    ]);
  });

  it('for chance: base/random.ts', () => {
    const chance = /\bMath\.random\b|\brandom(Bytes|Int|UUID|Fill|FillSync)\b|\bgetRandomValues\b/;
    assert.deepEqual(sourcesWith(chance), ['base/random.ts']);
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
