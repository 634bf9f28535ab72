/** Opens all connections of the pool first, so that the calls of a race really run in the database at the same time. */
import assert from 'node:assert/strict';
import { ADMIN_SECRET } from './app.ts';

/** A node that can be called. */
interface Node {
  send(path: string, body: object): Promise<{ readonly status: number }>;
}

/** More than the connections of a pool, and fewer than those of a test's client. */
const CALLS_AT_ONCE = 40;

/**
 * Makes each node open its connections to PostgreSQL, and the test's client its own to the node. A node opens them when
 * calls need them, which takes longer than a transaction: the first of many calls at once would finish before the
 * second has a connection, and the calls would pass without the lock under test. Idle connections are closed after ten
 * seconds, so call this right before the race.
 */
export async function fillPool(...nodes: readonly Node[]): Promise<void> {
  // The first calls come one by one, as their connections to the node are made; those of the second round come at once.
  for (let round = 0; round < 2; round++) {
    const asked = nodes.flatMap((node) =>
      Array.from({ length: CALLS_AT_ONCE }, () => node.send('/listLicenses', { adminSecret: ADMIN_SECRET, limit: 1 })),
    );
    // A busy machine refuses calls that would wait too long. The others have filled the pool.
    for (const { status } of await Promise.all(asked)) assert.ok([200, 503].includes(status), `${status}`);
  }
}
