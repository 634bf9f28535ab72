/** Starts the Latchkey of a checkout, here this one, as the server to compare with. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { after, it } from 'node:test';
import { AnswerFramer } from '../src/answer.ts';
import { Connection } from '../src/connection.ts';
import { OpenConnections } from '../src/open-connections.ts';
import { PoolCursor, readPool, writePool } from '../src/pool.ts';
import { runWindow } from '../src/window.ts';
import { latchkeyYardstick } from '../src/yardstick.ts';

const checkout = resolve(import.meta.dirname, '..', '..');
const dataDirectory = await mkdtemp(join(tmpdir(), 'latchkey-yardstick-test-'));
after(() => rm(dataDirectory, { recursive: true }));

it('another checkout answers requests about the licenses that its own bench has stored', async () => {
  await using running = new AsyncDisposableStack();
  const contents = { licenses: 100 };
  const plan = { name: 'latchkey', engine: 'sqlite', nodes: 1, contents, dataDirectory, certificate: null } as const;
  const yardstick = await latchkeyYardstick(checkout, plan, running);
  assert.equal(yardstick.name, basename(checkout));
  const { addresses } = await yardstick.server('');
  for (const endpoint of ['verify', 'activate'] as const) {
    const requests = yardstick.requestsTo(endpoint);
    assert.ok(requests !== null);
    const pool = await readPool({ ...(await writePool(join(dataDirectory, endpoint), requests)), usesMax: 1 });
    const framer = new AnswerFramer();
    const open = new OpenConnections((listener) => Connection.open(addresses[0]!, framer, listener));
    const figures = await runWindow(
      { addresses, fixedAnswer: null, connections: 4, rampSeconds: 0, seconds: 60 },
      new PoolCursor(pool, true),
      open,
      () => {},
    );
    open.close();
    assert.deepEqual([figures.errors.count, figures.isUsedUp], [0, true], endpoint);
  }
});
