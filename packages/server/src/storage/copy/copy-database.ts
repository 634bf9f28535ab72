/**
 * Copies all contents of a database to another one, of either engine: rows in primary key order, page by page. The
 * transaction that writes a page also records the progress, so that an interrupted copy can resume. At the end both
 * databases are read completely and compared. Only then may a server use the target.
 */
import { createHash } from 'node:crypto';
import { toTimestamp } from '../../ground/base/clock.ts';
import type { Database } from '../contract/database.ts';
import type { Storage, Tx } from '../contract/storage.ts';
import { findSchemaVersion, listSchemaRecords } from '../migrations/schema-store.ts';
import {
  beginCopy,
  type CopyProgress,
  completeCopy,
  findCopy,
  saveCopyProgress,
} from '../opening/copy-progress-store.ts';
import { migrateDatabase, newestSchemaVersion, withStorage } from '../opening/open.ts';
import { databaseName } from '../postgres/database-name.ts';
import type { Claim, SourceClaim } from './claim.ts';
import { PageSize } from './page-size.ts';
import { claimPostgresSource, claimPostgresTarget } from './postgres-claim.ts';
import { TableRows } from './rows-store.ts';
import { readShapes } from './shape-store.ts';
import { claimSqliteSource, claimSqliteTarget } from './sqlite-claim.ts';
import { checkSameShape, inFillingOrder } from './table-shape.ts';
import { sumTable, type TableSum } from './table-sum.ts';

const ONE_CONNECTION = { poolSize: 1 };

/** Listener for the progress of a copy. */
export interface CopyListener {
  /** A stage begins. `rows` is its total; `before` counts the rows that an earlier run has handled. */
  stage(name: 'copying' | 'comparing', rows: number, before: number): void;
  /** `rows` more rows of a table were handled. */
  rows(table: string, rows: number): void;
  /** A table is complete and equal on both sides. */
  compared(table: string, sum: TableSum): void;
  /** An interrupted copy resumes. */
  goesOn(beganAt: string): void;
}

/** Totals of a copy. */
export interface CopyResult {
  readonly tables: number;
  readonly rows: number;
}

/**
 * Copies a database; see the head of this file.
 *
 * @param tables the names of the tables to copy
 * @param finish changes the target in the transaction that completes it
 * @param now milliseconds since 1970
 * @throws when either side is in use, the source is not of this version, the target is neither empty nor an interrupted
 *   copy of this source, or a table differs at the end; the target cannot be served then
 */
export async function copyDatabase(
  from: Database,
  to: Database,
  tables: readonly string[],
  now: () => number,
  listener: CopyListener,
  finish: (tx: Tx) => Promise<void> = async () => {},
): Promise<CopyResult> {
  if (databaseName(from) === databaseName(to)) throw new Error('Source and target are the same database.');
  const sourceClaim = await (from.engine === 'sqlite'
    ? claimSqliteSource(from.file)
    : claimPostgresSource(from.url, tables));
  try {
    return await withStorage(from, ONE_CONNECTION, async (source) => {
      await requireNewest(source);
      const sourceMark = await markOf(source);
      return withTarget(to, now, (target, targetClaim) =>
        new Copy(source, target, tables, [sourceClaim, targetClaim], listener).run({
          name: databaseName(from),
          sourceMark,
          now,
          finish,
        }),
      );
    });
  } finally {
    await sourceClaim.release();
  }
}

/** Creates the tables of an empty target, claims it and runs `work` on it. */
async function withTarget<T>(
  to: Database,
  now: () => number,
  work: (target: Storage, claim: Claim) => Promise<T>,
): Promise<T> {
  await prepareTarget(to, now());
  const claim = await (to.engine === 'sqlite' ? claimSqliteTarget(to.file) : claimPostgresTarget(to.url));
  try {
    return await withStorage(to, ONE_CONNECTION, (target) => work(target, claim));
  } finally {
    await claim.release();
  }
}

/** Creates the tables of an empty database. Tables of an older version stay unchanged: they may be in use. */
async function prepareTarget(to: Database, now: number): Promise<void> {
  const version = await withStorage(to, ONE_CONNECTION, (target) => target.read(findSchemaVersion));
  if (version !== 0 && version !== newestSchemaVersion())
    throw new Error(
      `The target has tables of version ${version}, but this Latchkey needs ${newestSchemaVersion()}. Name an empty database.`,
    );
  if (version === 0) await migrateDatabase(to, now);
}

async function requireNewest(source: Storage): Promise<void> {
  const version = await source.read(findSchemaVersion);
  if (version === 0) throw new Error('The source has no tables of Latchkey.');
  if (version < newestSchemaVersion())
    throw new Error(
      `The source has tables of version ${version}, but this Latchkey needs ${newestSchemaVersion()}. ` +
        'Update it with the command migrate first.',
    );
  if (version > newestSchemaVersion())
    throw new Error(`The source has tables of version ${version}. Use the newer Latchkey.`);
}

/** A hash that identifies a database: no two were migrated at the same moments. */
async function markOf(source: Storage): Promise<string> {
  const records = await source.read(listSchemaRecords);
  return createHash('sha256').update(JSON.stringify(records)).digest('hex');
}

/** One copy between two open databases. */
class Copy {
  readonly #source: Storage;
  readonly #target: Storage;
  readonly #names: readonly string[];
  readonly #claims: readonly [source: SourceClaim, target: Claim];
  readonly #listener: CopyListener;
  #progress: CopyProgress = {};

  constructor(
    source: Storage,
    target: Storage,
    names: readonly string[],
    claims: readonly [source: SourceClaim, target: Claim],
    listener: CopyListener,
  ) {
    this.#source = source;
    this.#target = target;
    this.#names = names;
    this.#claims = claims;
    this.#listener = listener;
  }

  async run(origin: {
    name: string;
    sourceMark: string;
    now: () => number;
    finish: (tx: Tx) => Promise<void>;
  }): Promise<CopyResult> {
    const tables = await this.#tables();
    await this.#begin(tables, origin);
    let rows = 0;
    for (const { shape } of tables) rows += await this.#claims[0].count(shape.name);
    const before = Object.values(this.#progress).reduce((sum, each) => sum + each.rows, 0);
    this.#listener.stage('copying', rows, before);
    for (const table of tables) await this.#copyTable(table);
    this.#listener.stage('comparing', rows, 0);
    for (const table of tables) await this.#compareTable(table);
    this.#checkClaims();
    await this.#target.transaction(async (tx) => {
      await origin.finish(tx);
      await completeCopy(tx, toTimestamp(origin.now()));
    });
    return { tables: tables.length, rows };
  }

  /** The tables in the order in which they are filled. @throws when they differ between the two sides */
  async #tables(): Promise<readonly TableRows[]> {
    const [source, target] = await Promise.all([
      readShapes(this.#source, this.#names),
      readShapes(this.#target, this.#names),
    ]);
    for (const [name, shape] of source) checkSameShape(shape, target.get(name)!);
    return inFillingOrder([...source.values()]).map((shape) => new TableRows(shape));
  }

  /** Begins a copy in an empty target, or resumes an interrupted one. */
  async #begin(
    tables: readonly TableRows[],
    { name, sourceMark, now }: { name: string; sourceMark: string; now: () => number },
  ): Promise<void> {
    const known = await this.#target.read(findCopy);
    if (known === undefined) {
      for (const table of tables)
        if ((await this.#target.read((sql) => table.page(sql, null, 1))).length > 0)
          throw new Error(`The target is not empty: its table ${table.shape.name} has rows. Name an empty database.`);
      const record = { source: name, sourceMark, beganAt: toTimestamp(now()), progress: {} };
      await this.#target.transaction((tx) => beginCopy(tx, record));
      return;
    }
    if (known.completedAt !== null)
      throw new Error(
        `The target is a copy of ${known.source} that was completed at ${known.completedAt}. Name an empty database.`,
      );
    if (known.source !== name || known.sourceMark !== sourceMark)
      throw new Error(
        `The target is an interrupted copy of another database (${known.source}, begun at ${known.beganAt}). ` +
          'Name an empty database.',
      );
    this.#progress = known.progress;
    this.#listener.goesOn(known.beganAt);
  }

  async #copyTable(table: TableRows): Promise<void> {
    const { name } = table.shape;
    const size = new PageSize();
    let state = this.#progress[name] ?? { rows: 0, last: null, isDone: false };
    while (!state.isDone) {
      this.#checkClaims();
      const limit = size.rows;
      const rows = await this.#source.read((sql) => table.page(sql, state.last, limit));
      const end = rows.at(-1);
      const isDone = end === undefined || rows.length < limit;
      state = { rows: state.rows + rows.length, last: isDone ? null : table.keyOf(end), isDone };
      const progress = { ...this.#progress, [name]: state };
      await this.#target.transaction(async (tx) => {
        if (rows.length > 0) await table.insert(tx, rows);
        await saveCopyProgress(tx, progress);
      });
      this.#progress = progress;
      this.#listener.rows(name, rows.length);
      size.learn(rows.length, JSON.stringify(rows).length);
    }
  }

  async #compareTable(table: TableRows): Promise<void> {
    const { name } = table.shape;
    const [source, target] = await Promise.all([
      sumTable(this.#source, table, (rows) => this.#listener.rows(name, rows)),
      sumTable(this.#target, table, () => {}),
    ]);
    if (source.rows !== target.rows || source.checksum !== target.checksum)
      throw new Error(
        `The table ${name} differs. Rows in the source: ${source.rows}, checksum ${source.checksum}; in the target: ` +
          `${target.rows}, checksum ${target.checksum}. One of them changed after the copy began. The target cannot be ` +
          'served; start again with an empty database.',
      );
    this.#listener.compared(name, source);
  }

  #checkClaims(): void {
    for (const claim of this.#claims) claim.check();
  }
}
