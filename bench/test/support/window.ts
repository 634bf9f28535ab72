/** Windows that end when every request of a pool has been sent. */
import assert from 'node:assert/strict';
import { AnswerFramer } from '../../src/answer.ts';
import { type Address, Connection } from '../../src/connection.ts';
import { OpenConnections } from '../../src/open-connections.ts';
import { PoolCursor, type RequestPool, type RequestSource, readPool, writePool } from '../../src/pool.ts';
import { runWindow, type WindowFigures } from '../../src/window.ts';

export const CONNECTIONS = 8;
/** Upper bound: every window ends earlier, with a used-up pool or without connections. */
const SECONDS_AT_MOST = 60;

/** Runs a window on a server. */
export async function windowOn(
  address: Address,
  pool: RequestPool,
  fixedAnswer: string | null = null,
): Promise<WindowFigures> {
  const framer = new AnswerFramer();
  const open = new OpenConnections((listener) => Connection.open(address, framer, listener));
  const edges: string[] = [];
  const figures = await runWindow(
    { addresses: [address], fixedAnswer, connections: CONNECTIONS, rampSeconds: 0, seconds: SECONDS_AT_MOST },
    new PoolCursor(pool, true),
    open,
    (edge) => edges.push(edge),
  );
  assert.deepEqual(edges, ['begin', 'end']);
  open.close();
  return figures;
}

/**
 * Sends each request of a source once and expects the correct responses.
 *
 * @param file takes the requests
 */
export async function expectAll(address: Address, source: RequestSource, file: string): Promise<void> {
  const pool = await readPool({ ...(await writePool(file, source)), usesMax: 1 });
  const { errors, isUsedUp } = await windowOn(address, pool);
  assert.deepEqual({ errors, isUsedUp }, { errors: { count: 0, reported: [] }, isUsedUp: true }, source.path);
}
