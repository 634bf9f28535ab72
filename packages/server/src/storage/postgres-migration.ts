/** A connection to PostgreSQL that migrates. See {@link openPostgresForMigration}. */
import pg from 'pg';
import type { MigrationConnection } from './migrate.ts';
import { connectionOptions } from './postgres-connection.ts';
import { connectError, statementError } from './postgres-errors.ts';
import { PostgresExecutor } from './postgres-transaction.ts';
import { TransactionScope } from './scope.ts';

/** Any number that all migrating nodes know: the key of the advisory lock they take. */
const MIGRATION_LOCK = 5_282_435_539;

/** A connection for {@link migrate}, without a limit on how long a statement takes. */
export async function openPostgresForMigration({ url }: { url: string }): Promise<MigrationConnection> {
  const client = new pg.Client(connectionOptions(url, 0, 0));
  client.on('error', ignore);
  await client.connect().catch((error: unknown) => {
    throw connectError(error);
  });
  const executor = new PostgresExecutor((query) => client.query(query));
  return {
    exclusively: async (work) => {
      await client.query('begin');
      try {
        await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
        const value = await new TransactionScope(executor).finish((tx) =>
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
