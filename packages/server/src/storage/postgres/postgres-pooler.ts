/**
 * Detects a pooler that gives a connection another PostgreSQL session for each transaction, as PgBouncer does with
 * `pool_mode = transaction`. Settings, prepared statements and locks belong to a session, so none of them would hold.
 * The failures would be intermittent, because they occur only while others use the pooler.
 */
import pg from 'pg';
import { TRANSACTION_POOLER, UnfitSession } from './postgres-errors.ts';

const ASK_PID = 'select pg_catalog.pg_backend_pid() as pid';
/** Number of comparisons of the two connections. */
const TIMES = 4;
/** Timeout for the second connection and for its queries, in milliseconds. */
const TIMEOUT_MS = 5_000;

/**
 * Compares the backend processes of a connection and a second one, inside and outside a transaction.
 *
 * @param client an idle connection behind a pooler
 * @param pid the backend process that has served it
 * @param options options of the second connection
 * @throws UnfitSession when two connections share a session, or one has several
 */
export async function refuseTransactionPooler(
  client: pg.ClientBase,
  pid: number,
  options: pg.ClientConfig,
): Promise<void> {
  const other = new pg.Client({ ...options, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
  other.on('error', () => {});
  const pidOf = async (each: pg.ClientBase) => (await each.query<{ pid: number }>(ASK_PID)).rows[0]!.pid;
  try {
    // A pooler without a second session cannot mix sessions up.
    if (!(await other.connect().then(Boolean, () => false))) return;
    for (let time = 0; time < TIMES; time += 1) {
      const isInTransaction = time % 2 === 1;
      if (isInTransaction) await other.query('begin');
      const [served, servedOther] = [await pidOf(client), await pidOf(other)];
      if (served !== pid || servedOther === pid) throw new UnfitSession(TRANSACTION_POOLER);
      if (isInTransaction) await other.query('rollback');
    }
  } catch (error) {
    // In statement mode there are no transactions.
    throw error instanceof pg.DatabaseError ? new UnfitSession(`${TRANSACTION_POOLER} (${error.message})`) : error;
  } finally {
    other.connection.stream.destroy();
  }
}
