/** Reads a snapshot of a database, without a time limit. */
import { existsSync } from 'node:fs';
import type { Database } from '../contract/database.ts';
import type { Sql } from '../contract/storage.ts';
import { ReadConnection } from '../contract/transaction.ts';
import { findSchemaVersion } from '../migrations/schema-store.ts';
import { connectionOptions } from '../postgres/postgres-connection.ts';
import { postgresDifferences } from '../postgres/postgres-differences.ts';
import { connectToPostgres } from '../postgres/postgres-hosts.ts';
import { PostgresExecutor, StatementTexts } from '../postgres/postgres-transaction.ts';
import { Connection, openForReading, openUnused } from '../sqlite/sqlite-connection.ts';

/**
 * Runs reads that all see the same snapshot. Servers go on meanwhile. Until the end of the snapshot, their changes pile
 * up in the log of SQLite, or as row versions in PostgreSQL.
 *
 * @throws when the database cannot be opened, has no tables or those of a build before 1.0.0, or `work` throws
 */
export function readSnapshot<T>(database: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  return database.engine === 'sqlite' ? readSqlite(database.file, work) : readPostgres(database.url, work);
}

/**
 * Runs reads on a snapshot of a database that no server uses, for example a backup. Does not change a file and creates
 * none beside it. A file with a log beside it may be in use, and is read like a database in use.
 *
 * @throws as {@link readSnapshot} does
 */
export function readKept<T>(database: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  if (database.engine === 'postgres') return readPostgres(database.url, work);
  const { file } = database;
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  return readSqlite(file, work, existsSync(`${file}-wal`) ? openForReading : openUnused);
}

async function readSqlite<T>(file: string, work: (sql: Sql) => Promise<T>, open = openForReading): Promise<T> {
  const connection = new Connection(open(file));
  try {
    connection.execute('begin');
    return await onKnownTables(new ReadConnection(connection), work);
  } finally {
    connection.rollBack();
    connection.database.close();
  }
}

async function readPostgres<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await connectToPostgres(url, connectionOptions(0, 0));
  try {
    await client.query('set idle_in_transaction_session_timeout = 0');
    await client.query('begin isolation level repeatable read read only');
    const executor = new PostgresExecutor(new StatementTexts(postgresDifferences.statements), (query) =>
      client.query(query),
    );
    return await onKnownTables(new ReadConnection(executor), work);
  } finally {
    await client.end();
  }
}

async function onKnownTables<T>(sql: Sql, work: (sql: Sql) => Promise<T>): Promise<T> {
  if ((await findSchemaVersion(sql)) === 0) throw new Error('The database has no tables of Latchkey.');
  return work(sql);
}
