/** A connection to PostgreSQL for migrations. See {@link openPostgresForMigration}. */
import { Transaction } from '../contract/transaction.ts';
import type { MigrationConnection } from '../migrations/migrate.ts';
import { connectionOptions } from './postgres-connection.ts';
import { postgresDifferences } from './postgres-differences.ts';
import { statementError } from './postgres-errors.ts';
import { connectToPostgres } from './postgres-hosts.ts';
import { PostgresExecutor, StatementTexts } from './postgres-transaction.ts';

/** Opens a connection for {@link migrate}, without a statement timeout. */
export async function openPostgresForMigration(url: string): Promise<MigrationConnection> {
  const { statements, tables, findTable, beginTransaction, migrationLock } = postgresDifferences;
  const client = await connectToPostgres(url, connectionOptions(0, 0));
  const executor = new PostgresExecutor(new StatementTexts(statements), (query) => client.query(query));
  const script = async (text: string): Promise<void> => {
    await client.query(text).catch((error: unknown) => {
      throw statementError('script', error);
    });
  };
  return {
    dialect: tables,
    hasTable: async (name) => (await client.query(findTable, [name])).rowCount === 1,
    exclusively: async (work) => {
      await client.query(beginTransaction);
      try {
        await client.query(migrationLock);
        const value = await new Transaction(executor).finish((tx) => work(tx, script));
        await client.query('commit');
        return value;
      } catch (error) {
        await client.query('rollback').catch(() => {});
        throw error;
      }
    },
    close: () => client.end(),
  };
}
