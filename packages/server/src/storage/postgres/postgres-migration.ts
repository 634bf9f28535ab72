/** A connection to PostgreSQL for migrations. See {@link openPostgresForMigration}. */
import type pg from 'pg';
import type { EngineDifferences } from '../contract/engine-differences.ts';
import { repeatableStatements } from '../contract/repeatable-statements.ts';
import type { Tx } from '../contract/storage.ts';
import { Transaction } from '../contract/transaction.ts';
import type { MigrationConnection } from '../migrations/migrate.ts';
import { connectionOptions } from './postgres-connection.ts';
import { repeated, statementError } from './postgres-errors.ts';
import { connectToPostgres } from './postgres-hosts.ts';
import { PostgresExecutor, StatementTexts } from './postgres-transaction.ts';

/** Work of a migration: see {@link MigrationConnection.exclusively}. */
type Work<T> = (tx: Tx, script: (text: string) => Promise<void>) => Promise<T>;

/** Opens a connection for {@link migrate}, without a statement timeout. */
export async function openPostgresForMigration(
  url: string,
  differences: EngineDifferences,
): Promise<MigrationConnection> {
  const { statements, tables, findTable, findColumn } = differences;
  const connect = () => connectToPostgres(url, differences, connectionOptions(differences, 0, 0));
  const client = await connect();
  const executor = new PostgresExecutor(new StatementTexts(statements), (query) => client.query(query));
  const locker = differences.hasTransactionalTables ? null : new RowLock(connect, differences);
  return {
    dialect: tables,
    hasTable: async (name) => (await client.query(findTable, [name])).rowCount === 1,
    hasColumn: async (table, column) => (await client.query(findColumn, [table, column])).rowCount === 1,
    exclusively: (work) =>
      locker === null
        ? inTransaction(client, executor, differences, work)
        : statementByStatement(client, executor, locker, work),
    close: async () => {
      await locker?.close();
      await client.end();
    },
  };
}

async function inTransaction<T>(
  client: pg.Client,
  executor: PostgresExecutor,
  { beginTransaction, migrationLock }: EngineDifferences,
  work: Work<T>,
): Promise<T> {
  await client.query(beginTransaction);
  try {
    if (migrationLock !== null) await client.query(migrationLock);
    const value = await new Transaction(executor).finish((tx) => work(tx, (text) => run(client, text)));
    await client.query('commit');
    return value;
  } catch (error) {
    await client.query('rollback').catch(ignore);
    throw error;
  }
}

/**
 * Each statement is kept at once. Another connection holds the lock, because changes of tables would end its
 * transaction.
 */
async function statementByStatement<T>(
  client: pg.Client,
  executor: PostgresExecutor,
  locker: RowLock,
  work: Work<T>,
): Promise<T> {
  const release = await locker.take(client);
  try {
    return await new Transaction(executor).finish((tx) =>
      work(tx, async (text) => {
        for (const statement of repeatableStatements(text)) {
          locker.check();
          await repeated(() => run(client, statement));
        }
      }),
    );
  } finally {
    await release();
  }
}

async function run(client: pg.Client, text: string): Promise<void> {
  await client.query(text).catch((error: unknown) => {
    throw statementError('script', error);
  });
}

/** The migration lock of engines without transactional tables: a row that a second connection locks. */
class RowLock {
  readonly #connect: () => Promise<pg.Client>;
  readonly #differences: EngineDifferences;
  #holder: pg.Client | undefined;
  #isLost = false;

  constructor(connect: () => Promise<pg.Client>, differences: EngineDifferences) {
    this.#connect = connect;
    this.#differences = differences;
  }

  /**
   * Waits for the lock. When the process ends, its connection does, and the engine frees the row.
   *
   * @param client makes the row if it is missing
   * @returns a function that releases the lock
   */
  async take(client: pg.Client): Promise<() => Promise<void>> {
    const { lockRow, beginTransaction, migrationLock } = this.#differences;
    for (const statement of lockRow) await repeated(() => run(client, statement));
    this.#holder ??= await this.#open();
    const holder = this.#holder;
    await repeated(async () => {
      try {
        await run(holder, beginTransaction);
        await run(holder, migrationLock!);
      } catch (error) {
        await holder.query('rollback').catch(ignore);
        throw error;
      }
    });
    return async () => {
      await holder.query('rollback').catch(ignore);
    };
  }

  /** @throws when the connection that holds the lock has ended: another node may be migrating */
  check(): void {
    if (this.#isLost) throw new Error('The connection that held the migration lock was lost. Start again to continue.');
  }

  async close(): Promise<void> {
    await this.#holder?.end();
  }

  async #open(): Promise<pg.Client> {
    const holder = await this.#connect();
    for (const event of ['error', 'end'] as const)
      holder.on(event, () => {
        this.#isLost = true;
      });
    // It waits while a long statement runs on the other connection.
    await holder.query('set idle_in_transaction_session_timeout = 0');
    return holder;
  }
}

function ignore(): void {}
