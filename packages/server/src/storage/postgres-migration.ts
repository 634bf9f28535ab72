/** A connection to PostgreSQL for migrations. See {@link openPostgresForMigration}. */
import type { EngineDifferences } from './engine-differences.ts';
import type { MigrationConnection } from './migrate.ts';
import { connectionOptions } from './postgres-connection.ts';
import { statementError } from './postgres-errors.ts';
import { connectToPostgres } from './postgres-hosts.ts';
import { PostgresExecutor, StatementTexts } from './postgres-transaction.ts';
import { Transaction } from './transaction.ts';

/** Opens a connection for {@link migrate}, without a statement timeout. */
export async function openPostgresForMigration(
  url: string,
  differences: EngineDifferences,
): Promise<MigrationConnection> {
  const { statements, tables, beginTransaction, migrationLock, findTable, findColumn } = differences;
  const client = await connectToPostgres(url, differences, connectionOptions(differences, 0, 0));
  const executor = new PostgresExecutor(new StatementTexts(statements), (query) => client.query(query));
  return {
    dialect: tables,
    hasTable: async (name) => (await client.query(findTable, [name])).rowCount === 1,
    hasColumn: async (table, column) => (await client.query(findColumn, [table, column])).rowCount === 1,
    exclusively: async (work) => {
      await client.query(beginTransaction);
      try {
        if (migrationLock !== null) await client.query(migrationLock);
        const value = await new Transaction(executor).finish((tx) =>
          work(tx, async (text) => {
            await client.query(text).catch((error: unknown) => {
              throw statementError('script', error);
            });
          }),
        );
        await client.query('commit');
        return value;
      } catch (error) {
        await client.query('rollback').catch(ignore);
        throw error;
      }
    },
    close: () => client.end(),
  };
}

function ignore(): void {}
