/** A node that is killed in the middle of a job: its completed work stays, and another node does the rest. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { DAY_MS } from '../../src/ground/base/clock.ts';
import { statement } from '../../src/storage/contract/storage.ts';
import { openStorage } from '../../src/storage/opening/open.ts';
import { engines } from '../support/databases.ts';
import { rowOf } from '../support/own-connection.ts';
import { Cluster } from './cluster.ts';
import { freezeProcess } from './frozen-process.ts';

/** Expired replies, which are removed in steps of 200 rows. */
const OLD_ANSWERS = 6_000;
const YOUNG_ANSWERS = 3;

const keepAnswers = statement(
  'test_killed_in_job.keep',
  (dialect) => `insert into idempotent_reply (caller, idempotency_key, status, reply, created_at)
   select 'caller', n.name, 200, '', $2 from ${dialect.table('$1', { name: 'text' })} n`,
);

for (const engine of engines)
  describe(`a job on ${engine}`, () => {
    let cluster: Cluster;
    beforeEach(async () => {
      // Minutes of a fifth of a second: the job begins at once.
      cluster = await Cluster.start(engine, { environment: { LATCHKEY_TEST_MINUTE_MS: '200' } });
    });
    afterEach(() => cluster.stop());

    async function keep(count: number, prefix: string, createdAt: number): Promise<void> {
      const storage = await openStorage(cluster.database);
      try {
        const names = JSON.stringify(Array.from({ length: count }, (_, index) => [`${prefix}-${index}`]));
        await storage.transaction((tx) => tx.run(keepAnswers, names, new Date(createdAt).toISOString()));
      } finally {
        await storage.close();
      }
    }

    const count = async () =>
      Number((await rowOf(cluster.database, 'select count(*) as number from idempotent_reply'))?.number);

    it('is finished by another node when its own was killed in the midst of it', async () => {
      await keep(YOUNG_ANSWERS, 'young', Date.now());
      await keep(OLD_ANSWERS, 'old', Date.now() - 2 * DAY_MS);
      // The job ran a moment ago with nothing to do, and does not run again within a minute.
      await cluster.makeJobsDue();
      const all = OLD_ANSWERS + YOUNG_ANSWERS;
      while ((await count()) === all) await wait(5);
      // Either node may have the job: both are killed, and their successors may run it once the lease is over.
      await Promise.all(cluster.serving().map(({ pid }) => freezeProcess(pid)));
      const left = await count();
      assert.ok(left > YOUNG_ANSWERS && left < all, `${left} left`);
      // All before a successor starts: a frozen node may hold a lock for which the successor would wait.
      await Promise.all(cluster.serving().map((node) => node.kill()));
      for (let index = 0; index < cluster.size; index += 1) await cluster.killNode(index);
      await cluster.makeJobsDue();
      while ((await count()) > YOUNG_ANSWERS) await wait(20);
      await wait(300);
      assert.equal(await count(), YOUNG_ANSWERS);
      const failed = cluster.serving().flatMap(({ log }) => log.filter(({ event }) => event === 'job.failed'));
      assert.deepEqual(failed, []);
    });
  });
