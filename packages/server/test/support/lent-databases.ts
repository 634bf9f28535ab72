/**
 * Databases on a server that another operator runs, for `npm run conformance`. Other servers copy no templates and take
 * long to make a table, so a migrated database is emptied and used again. All names have one prefix, by which they are
 * removed together.
 */
import pg from 'pg';
import { systemClock } from '../../src/ground/base/clock.ts';
import { mintUuid } from '../../src/ground/base/random.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { migrateDatabase } from '../../src/storage/opening/open.ts';
import { emptyTables } from './empty-tables.ts';
import type { TestDatabase } from './test-database.ts';

/** Holds the prefix of the names of all databases of a run; the server is that of LATCHKEY_TEST_POSTGRES_URL. */
export const PREFIX_VARIABLE = 'LATCHKEY_TEST_DATABASE_PREFIX';

/** See the head of this file. */
export class LentDatabases {
  readonly #url: string;
  readonly #prefix: string;
  readonly #administration: pg.Pool;
  /** Unused migrated databases; the first may be left from an earlier test file. */
  readonly #idle: string[];

  /** @param prefix letters, digits and underscores, 30 characters at most */
  constructor(url: string, prefix: string) {
    this.#url = url;
    this.#prefix = prefix;
    this.#idle = [`${prefix}_tables`];
    this.#administration = new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true });
  }

  /** A database with the service's tables, and no rows in them. */
  async fresh(): Promise<TestDatabase> {
    const name = this.#idle.pop() ?? this.#newName();
    const database = this.#databaseOf(name);
    if (await this.#isThere(name)) await emptyTables(database);
    else await this.#create(name);
    await migrateDatabase(database, systemClock());
    return {
      database,
      remove: async () => {
        this.#idle.push(name);
      },
    };
  }

  /** A database without tables. */
  async empty(): Promise<TestDatabase> {
    const name = this.#newName();
    await this.#create(name);
    return { database: this.#databaseOf(name), remove: () => this.#drop(name) };
  }

  /** Removes every database whose name begins with the prefix. */
  async removeAll(): Promise<void> {
    const { rows } = await this.#administration.query('select datname from pg_database');
    for (const { datname } of rows) if (datname.startsWith(`${this.#prefix}_`)) await this.#drop(datname);
    await this.#administration.end();
  }

  #newName(): string {
    return `${this.#prefix}_${mintUuid().replaceAll('-', '')}`;
  }

  #databaseOf(name: string): Extract<Database, { engine: 'postgres' }> {
    const url = new URL(this.#url);
    url.pathname = name;
    return { engine: 'postgres', url: url.href };
  }

  async #isThere(name: string): Promise<boolean> {
    return (await this.#administration.query('select 1 from pg_database where datname = $1', [name])).rows.length > 0;
  }

  async #create(name: string): Promise<void> {
    await this.#administration.query(`create database ${name}`);
  }

  /** Not every server knows the option that ends the connections to a database first. */
  async #drop(name: string): Promise<void> {
    await this.#administration
      .query(`drop database ${name} with (force)`)
      .catch(() => this.#administration.query(`drop database ${name}`));
  }
}
