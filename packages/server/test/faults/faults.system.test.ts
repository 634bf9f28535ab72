/**
 * One fault after the other hits real processes under load: acknowledged changes are there, once, and limits are exact.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { HOUR_MS } from '../../src/ground/base/clock.ts';
import { engines } from '../support/databases.ts';
import { Cluster } from './cluster.ts';
import { Ledger } from './ledger.ts';

for (const engine of engines)
  describe(`a service on ${engine} under load`, () => {
    let cluster: Cluster;
    let ledger: Ledger;
    before(async () => {
      cluster = await Cluster.start(engine);
      ledger = new Ledger(cluster.serving, randomInt);
    });
    beforeEach(async () => {
      ledger.start();
      await ledger.untilChanged(30);
    });
    after(() => cluster.stop());

    async function goOnAndCheck(): Promise<void> {
      await ledger.untilChanged(50);
      await ledger.pause();
      await ledger.check(cluster.database);
    }

    it('keeps its promises while its clock jumps ahead and back', async () => {
      for (const hours of [3, -3, 8, -8, 0]) {
        cluster.setClock(0, hours * HOUR_MS);
        await ledger.untilChanged(30);
      }
      await goOnAndCheck();
    });

    if (engine === 'postgres') {
      for (const [name, signal] of [
        ['is restarted', 'SIGINT'],
        ['crashes', 'SIGQUIT'],
        ['is killed', 'SIGKILL'],
      ] as const)
        it(`goes on by itself when PostgreSQL ${name}`, async () => {
          await cluster.restartDatabase(signal);
          await goOnAndCheck();
          const said = cluster.serving().map(({ log }) => log.filter(({ event }) => event === 'request.failed'));
          for (const { failure } of said.flat()) assert.ok(!String(failure).includes('\n'), `a stack: ${failure}`);
        });

      it('is served by one node while the other is frozen, which then goes on', async () => {
        const frozen = cluster.serving()[0]!;
        await cluster.freezeNode(0, ledger.untilChanged(50));
        await goOnAndCheck();
        const order = { licenseKey: 'none', productId: 'app' };
        assert.equal((await frozen.send('/verify', order)).status, 404);
      });
    } else
      it('freezes and resumes', async () => {
        await cluster.freezeNode(0, 1_000);
        await goOnAndCheck();
      });
  });
