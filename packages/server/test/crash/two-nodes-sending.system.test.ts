/** Two nodes on one PostgreSQL send each event once, even if one of them is killed, stopped or cut off. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { HOUR_MS } from '../../src/ground/base/clock.ts';
import { freezeProcess } from '../faults/frozen-process.ts';
import { ADMIN_SECRET } from '../support/app.ts';
import { BrokenLine } from '../support/broken-line.ts';
import { mustSucceed } from '../support/creator.ts';
import { freshDatabase } from '../support/databases.ts';
import { SentEvents } from '../support/sent-events.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import type { TestDatabase } from '../support/test-database.ts';

/** Licenses made in each round, by both nodes in turn; each is also changed this often. */
const LICENSES = 100;
const CHANGES = 9;
const AT_ONCE = 16;
/** Long enough that no node loses its lease on a busy machine. */
const LEASE_MS = 5_000;
/** Licenses of a round in which something happens to a node. */
const FEW_LICENSES = 20;
/** Requests under way to one destination. */
const MAX_UNDER_WAY = 16;
const MOVED_CLOCK = pathToFileURL(join(import.meta.dirname, '../faults/moved-process.ts')).href;

describe('two nodes that send events', () => {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-two-nodes-'));
  let database: TestDatabase;
  let sent: SentEvents;
  let nodes: [ServerProcess, ServerProcess];
  /** The connections of each node to the database. */
  let lines: [BrokenLine, BrokenLine];
  const clockFile = (index: number) => join(directory, `clock-${index}`);
  const setClock = (index: number, aheadMs: number) => writeFileSync(clockFile(index), String(aheadMs));
  const start = (index: number) => {
    setClock(index, 0);
    const environment = {
      LATCHKEY_QUEUE_WAIT: '1m',
      NODE_OPTIONS: `--import=${MOVED_CLOCK}`,
      LATCHKEY_TEST_CLOCK_FILE: clockFile(index),
      ...sent.environment,
    };
    return startServerProcess({ engine: 'postgres', url: lines[index]!.url }, environment, sent.program);
  };

  before(async () => {
    database = await freshDatabase('postgres');
    assert.ok(database.database.engine === 'postgres');
    const { url } = database.database;
    sent = await SentEvents.start(LEASE_MS);
    lines = [await BrokenLine.to(url), await BrokenLine.to(url)];
    nodes = [await start(0), await start(1)];
    await sent.createAt(nodes[0]);
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await Promise.all(lines.map((line) => line.close()));
    await sent.stop();
    await database.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  const ask = (node: ServerProcess, path: string, fields: object) =>
    node.send(path, { adminSecret: ADMIN_SECRET, ...fields });
  const order = { email: 'ada@example.com', productId: 'app', maxMachines: 1 };

  /** Makes licenses and changes them, each change at the next node; returns the number of events. */
  async function makeEvents(serving: readonly ServerProcess[] = nodes, licenses = LICENSES): Promise<number> {
    let made = 0;
    const work = async () => {
      while (made < licenses) {
        const number = made++;
        const nodeAt = (turn: number) => serving[(number + turn) % serving.length]!;
        const { licenseKey } = await mustSucceed(ask(nodeAt(0), '/createLicense', order));
        for (let turn = 1; turn <= CHANGES; turn++)
          await mustSucceed(ask(nodeAt(turn), '/updateLicense', { licenseKey, maxMachines: turn + 1 }));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return licenses * (1 + CHANGES);
  }

  it('send each once, in the order of its license', async () => {
    const made = await makeEvents();
    assert.deepEqual(await sent.check(database.database), { events: made, repeated: 0 });
  });

  it('send each once while the clock of one is an hour ahead and that of the other an hour behind', async () => {
    await sent.settle(database.database);
    for (const [index, hours] of [
      [0, 1],
      [1, -1],
      [0, 0],
      [1, 0],
    ] as const) {
      setClock(index, hours * HOUR_MS);
      await makeEvents(nodes, FEW_LICENSES);
      assert.equal((await sent.check(database.database)).repeated, 0);
    }
  });

  it('lose none while one of them stands still, and repeat none that was settled', async () => {
    for (const [index, node] of nodes.entries()) {
      await freezeProcess(node.pid);
      await sent.noteSilence(database.database);
      // The other node takes the lease, if it does not have it.
      await makeEvents([nodes[1 - index]!]);
      await sent.check(database.database);
      process.kill(node.pid, 'SIGCONT');
      await wait(100);
      await makeEvents();
      await sent.check(database.database);
    }
  });

  it('lose none while one of them is cut off from the database, and repeat only what it had under way', async (test) => {
    // One of the two sends, so one of the two cuts meets requests under way.
    for (const [index, node] of nodes.entries()) {
      const other = nodes[1 - index]!;
      const before = await sent.check(database.database);
      await sent.settle(database.database);
      await sent.hold(true);
      await makeEvents([other], FEW_LICENSES);
      while ((await sent.held()) === 0) await wait(20);
      lines[index]!.silence();
      await sent.noteSilence(database.database);
      await sent.hold(false);
      await makeEvents([other], FEW_LICENSES);
      const { repeated } = await sent.check(database.database);
      const more = repeated - before.repeated;
      test.diagnostic(`${more} events arrived again`);
      assert.ok(more <= MAX_UNDER_WAY, `${more} events arrived again`);
      lines[index]!.mend();
      while ((await ask(node, '/createLicense', order)).status !== 200) await wait(50);
      await makeEvents(nodes, FEW_LICENSES);
      assert.equal((await sent.check(database.database)).repeated, repeated);
    }
  });
});
