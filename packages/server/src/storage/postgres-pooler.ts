/**
 * Finds a pooler that gives a connection another session of PostgreSQL for each transaction, as PgBouncer does with
 * `pool_mode = transaction`. Settings, prepared statements and locks belong to a session, so nothing would be as the
 * service believes; and it would be so at some moments only, when others use the pooler.
 */
import pg from 'pg';
import { TRANSACTION_POOLER, UnfitSession } from './postgres-errors.ts';

const ASK_PID = 'select pg_catalog.pg_backend_pid() as pid';
/** How often a connection is asked who serves it, with another one beside it. */
const TIMES = 4;
/** How long the pooler may take to let the other connection in, in milliseconds. */
const TIMEOUT_MS = 5_000;

/**
 * Compares who serves a connection with who serves another one, in a transaction and outside of one.
 *
 * @param client a connection behind a pooler, on which nothing is under way
 * @param pid the process that has served it
 * @param options of the other connection
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
    // A pooler that has no second session to give shares none.
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
