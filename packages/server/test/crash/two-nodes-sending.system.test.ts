/** Two server processes on one PostgreSQL send each of many events once, whatever happens to one of them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ADMIN_SECRET } from '../support/app.ts';
import { mustSucceed } from '../support/creator.ts';
import { freshDatabase, type TestDatabase } from '../support/databases.ts';
import { SentEvents } from '../support/sent-events.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

/** Licenses made in each round, by both nodes in turn; each is also changed this often. */
const LICENSES = 100;
const CHANGES = 9;
const AT_ONCE = 16;

describe('two nodes that send events', () => {
  let database: TestDatabase;
  let sent: SentEvents;
  let nodes: [ServerProcess, ServerProcess];
  const start = () =>
    startServerProcess(database.database, { LATCHKEY_QUEUE_WAIT: '1m', ...sent.environment }, sent.program);

  before(async () => {
    database = await freshDatabase('postgres');
    sent = await SentEvents.start();
    nodes = [await start(), await start()];
    await sent.createAt(nodes[0]);
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await sent.stop();
    await database.remove();
  });

  /** Makes licenses and changes them, each change at the other node than the one before. */
  async function makeEvents(serving: readonly ServerProcess[] = nodes): Promise<void> {
    let made = 0;
    const work = async () => {
      while (made < LICENSES) {
        const number = made++;
        const ask = (turn: number, path: string, fields: object) =>
          mustSucceed(serving[(number + turn) % serving.length]!.send(path, { adminSecret: ADMIN_SECRET, ...fields }));
        const order = { email: 'ada@example.com', productId: 'app', maxMachines: 1 };
        const { licenseKey } = await ask(0, '/createLicense', order);
        for (let turn = 1; turn <= CHANGES; turn++)
          await ask(turn, '/updateLicense', { licenseKey, maxMachines: turn + 1 });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  it('send each once, in the order of its license', async () => {
    await makeEvents();
    const { events, repeated } = await sent.check(database.database);
    assert.deepEqual([events, repeated], [LICENSES * (1 + CHANGES), 0]);
  });

  it('lose none while one of them stands still, and repeat none that was settled', async () => {
    for (const [index, node] of nodes.entries()) {
      process.kill(node.pid, 'SIGSTOP');
      await sent.noteDeath(database.database);
      // The other node takes the lease, if it does not have it.
      await makeEvents([nodes[1 - index]!]);
      await sent.check(database.database);
      process.kill(node.pid, 'SIGCONT');
      await wait(100);
      await makeEvents();
      await sent.check(database.database);
    }
  });
});
