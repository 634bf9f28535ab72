/** Destinations are active while no node sends events: the service says so in each place where somebody may look. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conditions } from '../../../src/app.ts';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { Lease } from '../../../src/platform/jobs/lease.ts';
import { watchConditions } from '../../../src/runtime/service/condition-watch.ts';
import { SENDING } from '../../../src/webhooks/destinations/sending-node.ts';
import { environmentOf, runCommandHere } from '../../support/command.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedWithStorage } from '../../support/started-app.ts';

const SETTINGS = { LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests', LATCHKEY_DELIVERIES: 'off' };
const WARNING = /no node sends events, and they wait for 1 active destination: run a node with LATCHKEY_DELIVERIES=on/;

for (const engine of engines)
  describe(`events that no node sends on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine, SETTINGS);

    const reasonOf = async (destinationId: string) =>
      (await mustSucceed(app.admin('/getDestination', { destinationId }))).destination.stateReason;
    const warnings = async (): Promise<readonly string[]> => (await mustSucceed(app.admin('/getSystem'))).warnings;

    it('are told by the destination, /getSystem, check and the log, until a node sends', async () => {
      const made = { url: 'https://hooks.example.com/', types: ['*'] };
      const { destinationId } = await mustSucceed(app.admin('/createDestination', made));
      assert.equal(await reasonOf(destinationId), null, 'a sender may be about to begin');
      assert.deepEqual(await warnings(), []);

      app.clock.move(MINUTE_MS);
      assert.equal(await reasonOf(destinationId), 'no_node_sends');
      const { destinations } = await mustSucceed(app.admin('/listDestinations'));
      assert.equal(destinations[0].stateReason, 'no_node_sends');
      const [warning = '', ...more] = await warnings();
      assert.match(warning, WARNING);
      assert.deepEqual(more, []);

      const logged: object[] = [];
      const heard = Promise.withResolvers<void>();
      let hear = () => heard.resolve();
      const logger = {
        warn(line: object) {
          logged.push(line);
          hear();
        },
      };
      const now = () => app.clock.now();
      const stop = watchConditions(conditions, logger, (look) => storage.read(look), now, 5);
      await heard.promise;
      assert.deepEqual(logged, [{ event: 'sender.missing', warning }]);

      const lease = new Lease(storage, SENDING, now);
      const back = Promise.withResolvers<void>();
      hear = () => back.resolve();
      await lease.hold(async () => {});
      await back.promise;
      await stop();
      assert.deepEqual(logged.slice(1), [{ event: 'sender.back' }]);
      assert.equal(await reasonOf(destinationId), null);
      assert.deepEqual(await warnings(), []);

      await lease.giveBack();
      assert.equal(await reasonOf(destinationId), null, 'another node may be about to take over');
      app.clock.move(MINUTE_MS);
      assert.equal(await reasonOf(destinationId), 'no_node_sends');
      await mustSucceed(app.admin('/pauseDestination', { destinationId }));
      assert.equal(await reasonOf(destinationId), 'by_person');
      assert.deepEqual(await warnings(), []);
    });
  });

for (const engine of engines)
  describe(`check of a database on ${engine}`, () => {
    const { app } = startedWithStorage(engine, SETTINGS);

    it('warns that no node sends events', async () => {
      app.clock.move(-5 * MINUTE_MS);
      await mustSucceed(app.admin('/createDestination', { url: 'https://hooks.example.com/', types: ['*'] }));
      const { err } = await runCommandHere(['check'], { ...environmentOf(app.database), ...SETTINGS });
      assert.match(err, WARNING);
    });
  });
