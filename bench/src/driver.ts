/** The load generator, a separate process so that its CPU time does not count for the measured servers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerFramer } from './answer.ts';
import { errorOf } from './check.ts';
import { carryOut } from './child.ts';
import { type Address, Connection, type ConnectionListener } from './connection.ts';
import type { DriverOrder, DriverReport } from './messages.ts';
import { OpenConnections } from './open-connections.ts';
import { PoolCursor, type PoolFile, type RequestPool, readPool } from './pool.ts';
import { runWindow } from './window.ts';

/** Maximum time for the response to a probe. */
const PROBE_TIMEOUT_MS = 10_000;

/** By name of the server. */
const pools = new Map<string, RequestPool>();
const cursors = new Map<string, PoolCursor>();
const connections = new Map<string, OpenConnections>();

/** Reads the pools of the servers, and closes their connections. A pool shared by several servers is read once. */
async function load(files: Readonly<Record<string, PoolFile>>): Promise<void> {
  for (const open of connections.values()) open.close();
  connections.clear();
  pools.clear();
  cursors.clear();
  const read = new Map<string, RequestPool>();
  for (const [server, poolFile] of Object.entries(files)) {
    const pool = read.get(poolFile.file) ?? (await readPool(poolFile));
    read.set(poolFile.file, pool);
    pools.set(server, pool);
  }
}

/** The position of a server in its pool of requests. A server with a fixed answer has no limits on requests. */
function cursorOf(server: string, hasFixedAnswer: boolean): PoolCursor {
  const pool = pools.get(server);
  if (pool === undefined) throw new Error(`no requests were loaded for ${server}`);
  const cursor = cursors.get(server) ?? new PoolCursor(pool, !hasFixedAnswer);
  cursors.set(server, cursor);
  return cursor;
}

/** The connections to a server, over its nodes in rotation. */
function connectionsTo(server: string, addresses: readonly Address[]): OpenConnections {
  const known = connections.get(server);
  if (known !== undefined) return known;
  const ends = addresses.map((address) => ({ address, framer: new AnswerFramer() }));
  const opened = new OpenConnections((listener, index) => {
    const { address, framer } = ends[index % ends.length]!;
    return Connection.open(address, framer, listener);
  });
  connections.set(server, opened);
  return opened;
}

/** Sends one request on a separate connection. */
async function probe(cursor: PoolCursor, address: Address): Promise<DriverReport> {
  const { promise, resolve, reject } = Promise.withResolvers<DriverReport>();
  const request = cursor.next();
  const listener: ConnectionListener = {
    onAnswer(_connection, bytes, framer) {
      const body = bytes.toString('utf8', framer.bodyStart, framer.end);
      const error = errorOf(cursor.pool.expectedFields(request), framer.status, body);
      resolve({ kind: 'probed', body, error });
    },
    onBroken: (_connection, error) => reject(error),
  };
  const connection = await Connection.open(address, new AnswerFramer(), listener);
  connection.send(cursor.pool.bytes(request, cursor.taken));
  const timer = new AbortController();
  const late = sleep(PROBE_TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error('no answer to the first request');
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
    connection.close();
  }
}

carryOut<DriverOrder, DriverReport>(async (order, report) => {
  if (order.kind === 'load') {
    await load(order.pools);
    return { kind: 'loaded' };
  }
  if (order.kind === 'probe') return probe(cursorOf(order.server, false), order.address);
  const cursor = cursorOf(order.server, order.plan.fixedAnswer !== null);
  const open = connectionsTo(order.server, order.plan.addresses);
  const figures = await runWindow(order.plan, cursor, open, (edge) => report({ kind: 'edge', edge }));
  return { kind: 'window', figures };
});
