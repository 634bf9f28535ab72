/** The commands for destinations of events, beside a running service, and the lines of `check` about destinations. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { changeDestination } from '../../../src/webhooks/destinations/change.ts';
import type { Destination } from '../../../src/webhooks/destinations/destination.ts';
import { findDestination } from '../../../src/webhooks/destinations/store.ts';
import { lockDestinations } from '../../../src/webhooks/destinations/turn-store.ts';
import { environmentOf, runCommandHere } from '../../support/command.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { appFor, freshFor } from '../../support/for-test.ts';
import { besideOpenChange } from '../../support/lock-waits.ts';
import { startNameServer } from '../../support/name-server.ts';
import { originAt } from '../../support/origin.ts';
import { execute } from '../../support/own-connection.ts';

const SETTINGS = { LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests', LATCHKEY_DELIVERIES: 'off' };

for (const engine of engines)
  describe(`destinations of a service on ${engine}`, () => {
    it('are listed, paused and resumed by commands, except those that a person paused', async (test) => {
      const app = await appFor(test, engine, SETTINGS);
      const environment = { ...environmentOf(app.database), ...SETTINGS };
      const run = async (...args: string[]) => {
        const { code, out, err } = await runCommandHere(args, environment);
        assert.equal(code, 0, err);
        return out;
      };
      assert.equal(await run('list-destinations'), 'There are no destinations.\n');
      const make = async (host: string, fields = {}) => {
        const asked = { url: `https://${host}/a-secret-path`, types: ['*'], ...fields };
        return (await mustSucceed(app.admin('/createDestination', asked))).destinationId as string;
      };
      const own = await make('own.example.com');
      const byPerson = await make('person.example.com');
      const theirs = await make('ada.example.com', { creatorId: 'ada' });
      await app.admin('/pauseDestination', { destinationId: byPerson });
      const stateOf = async (destinationId: string) => {
        const { state, stateReason } = (await app.admin('/getDestination', { destinationId })).body.destination;
        return stateReason === null ? state : `${state} ${stateReason}`;
      };
      const states = () => Promise.all([own, byPerson, theirs].map(stateOf));

      const listed = await run('list-destinations');
      assert.match(listed, new RegExp(`^${own}  operator  https://own.example.com  active$`, 'm'));
      assert.match(
        listed,
        new RegExp(`^${byPerson}  operator  https://person.example.com  paused \\(by_person\\)$`, 'm'),
      );
      assert.match(listed, new RegExp(`^${theirs}  ada  https://ada.example.com  active$`, 'm'));
      assert.doesNotMatch(listed, /a-secret-path|whsec/);

      assert.match(await run('pause-destinations', '--creator', 'ada'), /^Paused 1 destination\./);
      assert.deepEqual(await states(), ['active', 'paused by_person', 'paused by_command']);
      assert.match(await run('pause-destinations'), /^Paused 1 destination\./);
      assert.deepEqual(await states(), ['paused by_command', 'paused by_person', 'paused by_command']);
      assert.match(await run('resume-destinations', '--creator', 'ada'), /^Resumed 1 destination\.\n$/);
      assert.deepEqual(await states(), ['paused by_command', 'paused by_person', 'active']);
      const resumed = await run('resume-destinations');
      assert.match(resumed, /^Resumed 1 destination\.\nPaused by a person, and left so: 1 destination\./);
      assert.deepEqual(await states(), ['active', 'paused by_person', 'active']);
      const { body } = await app.admin('/listEvents', { type: 'destination.resumed', limit: 10 });
      assert.equal(body.events[0].actor.id, 'resume-destinations');
      const failing = `update destination_progress set failing_since = '2027-01-31T09:30:00.000Z', last_error = 'timeout'`;
      for (const [failures, reason] of [
        [1, 'timeout'],
        [0, 'too_many_refused'],
      ] as const) {
        await execute(app.database, `${failing}, failures = ${failures} where destination_id = '${own}'`);
        assert.match(
          await run('list-destinations'),
          new RegExp(`^${own}  .*  failing since 2027-01-31T09:30:00.000Z \\(${reason}\\)$`, 'm'),
        );
      }
      const { destination } = (await app.admin('/getDestination', { destinationId: own })).body;
      assert.deepEqual([destination.state, destination.stateReason], ['failing', 'too_many_refused']);
    });
  });

// SQLite runs one transaction after the other.
describe('a destination that is changed on postgres while a command runs', () => {
  for (const [command, prepared, type, change, printed] of [
    [
      'pause-destinations',
      [],
      'destination.disabled',
      { state: 'disabled', stateReason: 'gone' },
      /^Paused 0 destinations\./,
    ],
    [
      'resume-destinations',
      ['pause-destinations'],
      'destination.paused',
      { state: 'paused', stateReason: 'by_person' },
      /^Resumed 0 destinations\./,
    ],
    [
      'after-restore',
      [],
      'destination.paused',
      { state: 'paused', stateReason: 'by_person' },
      /^Ended 0 console sessions and 0 sign-in links: .*\n$/m,
    ],
  ] as const)
    it(`is ${change.state} (${change.stateReason}), and ${command} leaves it so`, async (test) => {
      const app = await appFor(test, 'postgres', SETTINGS);
      const storage = await openStorage(app.database);
      test.after(() => storage.close());
      const environment = { ...environmentOf(app.database), ...SETTINGS };
      const asked = { url: 'https://one.example.com', types: ['*'] };
      const { destinationId } = await mustSucceed(app.admin('/createDestination', asked));
      for (const each of prepared) assert.equal((await runCommandHere([each], environment)).code, 0);
      const find = () => storage.read((sql) => findDestination(sql, destinationId, { creatorId: null }));
      const { out } = await besideOpenChange(
        app.database,
        storage,
        async (tx) => {
          await lockDestinations(tx);
          const before = (await findDestination(tx, destinationId, { creatorId: null })) as Destination;
          await changeDestination(tx, originAt(app.clock.now()), type, before, { ...before, ...change });
        },
        () => runCommandHere([command], environment),
      );
      assert.match(out, printed);
      assert.partialDeepStrictEqual(await find(), change);
    });
});

describe('check', () => {
  it('tries each name server of LATCHKEY_DELIVERY_DNS', async (test) => {
    const database = await freshFor(test, 'sqlite');
    const [answering, silent] = [await startNameServer(), await startNameServer()];
    test.after(() => answering.close());
    silent.close();
    const environment = environmentOf(database);
    const servers = { LATCHKEY_DELIVERY_DNS: `${answering.address},${silent.address}` };
    const { out, err } = await runCommandHere(['check'], { ...environment, ...servers });
    assert.match(out, /The service can start\./);
    assert.ok(err.includes(`the name server ${silent.address} of LATCHKEY_DELIVERY_DNS does not answer`), err);
    assert.ok(!err.includes(answering.address), err);
    assert.equal(answering.asked.get('latchkey.invalid'), 1);
  });
});
