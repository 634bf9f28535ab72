/** Destinations of events: only their owners create, change and see them; their secrets are shown once. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { FeedReader } from '../../../src/platform/events/feed.ts';
import { openSecret } from '../../../src/platform/sealing/seal.ts';
import { findDestination, withProgress } from '../../../src/webhooks/destinations/store.ts';
import { scrape, scrapedValue } from '../../ground/measures/scrape.ts';
import { allRows } from '../../support/all-rows.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { execute } from '../../support/own-connection.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedWithStorage } from '../../support/started-app.ts';

const URL = 'https://hooks.example.com/secret-path';
/** The fields of a destination that gets any event of the shop. */
const ANY = { url: URL, types: ['*'] };
const KEY = { LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests-0123456789' };

for (const engine of engines)
  describe(`destinations on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine, KEY);
    let creator: Creator;
    before(async () => {
      creator = await Creator.of(app);
    });

    const make = (fields = {}) => mustSucceed(app.admin('/createDestination', { ...ANY, ...fields }));
    const eventsOf = async (destinationId: string) => {
      const { body } = await app.admin('/listEvents', { limit: 1000 });
      return body.events.filter(({ subject }: { subject: string }) => subject === destinationId).reverse();
    };

    it('show their secret once, store it sealed, and record the origin of their address alone', async () => {
      const { destinationId, secret, destination } = await make({ description: 'Shop' });
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.equal(destination.state, 'active');
      for (const path of ['/getDestination', '/listDestinations'])
        assert.ok(!JSON.stringify((await app.admin(path, { destinationId })).body).includes(secret));
      const [created] = await eventsOf(destinationId);
      assert.equal(created.type, 'destination.created');
      assert.equal(created.after.origin, 'https://hooks.example.com');
      assert.ok(!JSON.stringify(created).includes('secret-path'));
      const stored = JSON.stringify(await allRows(app.database, []));
      assert.ok(stored.includes('secret-path'), 'the rows are looked at');
      assert.ok(!stored.includes(secret) && !stored.includes(secret.slice('whsec_'.length)));
    });

    it('are repeated with the same secret by an Idempotency-Key', async () => {
      const options = { headers: { 'idempotency-key': 'make-one' } };
      const one = await app.admin('/createDestination', ANY, options);
      const other = await app.admin('/createDestination', ANY, options);
      assert.deepEqual(other.body, one.body);
    });

    it('are changed, paused, resumed, rotated and deleted, each in one event', async () => {
      const { destinationId, secret } = await make();
      const changed = await mustSucceed(app.admin('/updateDestination', { destinationId, types: ['license.*'] }));
      assert.deepEqual(changed.destination.types, ['license.*']);
      const paused = await mustSucceed(app.admin('/pauseDestination', { destinationId }));
      assert.deepEqual([paused.destination.state, paused.destination.stateReason], ['paused', 'by_person']);
      await mustSucceed(app.admin('/pauseDestination', { destinationId }));
      const resumed = await mustSucceed(app.admin('/resumeDestination', { destinationId, from: 'now' }));
      assert.deepEqual([resumed.destination.state, resumed.destination.stateReason], ['active', null]);
      const rotated = await mustSucceed(app.admin('/rotateDestinationSecret', { destinationId, overlapHours: 2 }));
      assert.notEqual(rotated.secret, secret);
      assert.equal(rotated.previousSecretEndsAt, app.clock.at(2 * 3_600_000));
      await mustSucceed(app.admin('/deleteDestination', { destinationId }));
      assert.equal((await app.admin('/getDestination', { destinationId })).status, 404);
      const types = (await eventsOf(destinationId)).map(({ type }: { type: string }) => type);
      assert.deepEqual(types, [
        'destination.created',
        'destination.updated',
        'destination.paused',
        'destination.resumed',
        'destination.secret_rotated',
        'destination.deleted',
      ]);
    });

    it('are resumed from a moment with at most nine digits of a second', async () => {
      const { destinationId } = await make();
      const zeros = (length: number) => `2026-11-01T00:00:00.${'Z'.padStart(length - 20, '0')}`;
      await mustSucceed(app.admin('/resumeDestination', { destinationId, from: zeros(30) }));
      const { status, body } = await app.admin('/resumeDestination', { destinationId, from: zeros(31) });
      const error = 'from must be stopped, now or an ISO 8601 timestamp, for example 2027-01-31T00:00:00Z';
      assert.deepEqual([status, body.error], [400, error]);
    });

    it('of another creator are absent', async () => {
      const other = await Creator.of(app);
      const { destinationId } = await mustSucceed(other.send('/createDestination', ANY));
      for (const path of ['get', 'update', 'pause', 'resume', 'delete'].map((verb) => `/${verb}Destination`))
        assert.equal((await creator.send(path, { destinationId })).body.error, 'Destination not found', path);
      assert.equal((await creator.send('/rotateDestinationSecret', { destinationId })).status, 404);
      assert.deepEqual((await creator.send('/listDestinations')).body.destinations, []);
      assert.equal((await other.send('/listDestinations')).body.count, 1);
      const named = { ...ANY, creatorId: 'somebody else' };
      assert.equal((await creator.send('/createDestination', named)).status, 403);
    });

    for (const url of [
      'http://hooks.example.com/',
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://[::ffff:10.0.0.1]/',
      'https://169.254.169.254/latest',
      'https://user:pass@hooks.example.com/',
      'https://hooks.example.com/#part',
      'https://hooks.example.com:25/',
      'no address',
    ])
      it(`refuse the address ${url}`, async () => {
        const { status, body } = await app.admin('/createDestination', { ...ANY, url });
        const error = 'url must be a public https address, with port 443 or one from 1024 on';
        assert.deepEqual([status, body.error], [400, error]);
      });

    it('refuse types that do not exist', async () => {
      for (const types of [[], ['license.sold'], ['nothing.*']]) {
        const { status, body } = await app.admin('/createDestination', { ...ANY, types });
        assert.equal(status, 400);
        assert.match(body.error, /^types must name/);
      }
    });

    it("lead into networks of the operator as the operator's alone, made and changed", async (test) => {
      const inside = await startApp(engine, {
        ...KEY,
        LATCHKEY_DELIVERIES: 'off',
        LATCHKEY_DELIVERY_NETWORKS: '10.2.0.0/16',
      });
      test.after(() => inside.stop());
      const { creatorId } = await Creator.of(inside);
      const url = 'https://10.2.0.1/hook';
      for (const [owner, expected] of [
        [{}, 200],
        [{ creatorId }, 400],
      ] as const) {
        const create = (address: string) => inside.admin('/createDestination', { ...ANY, url: address, ...owner });
        const { destinationId } = await mustSucceed(create(URL));
        const changed = await inside.admin('/updateDestination', { destinationId, url });
        assert.deepEqual([(await create(url)).status, changed.status], [expected, expected]);
      }
    });

    it('are 20 of a creator at most, also when they are made at once', async () => {
      const owner = await Creator.of(app);
      await fillPool(app);
      const answers = await Promise.all(Array.from({ length: 24 }, () => owner.send('/createDestination', ANY)));
      const statuses = answers.map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, 20);
      assert.equal(statuses.filter((status) => status === 409).length, 4);
      const pages = await pagesOf(owner.send.bind(owner), '/listDestinations', { limit: 7 }, 'destinations');
      const { destinations } = await mustSucceed(owner.send('/listDestinations'));
      assert.deepEqual(
        pages.map(({ length }) => length),
        [7, 7, 6],
        'page by page',
      );
      // Their other fields change while the sender works.
      const idsOf = (listed: readonly { destinationId: string }[]) => listed.map(({ destinationId }) => destinationId);
      assert.deepEqual(idsOf(pages.flat()), idsOf(destinations));
    });

    it('are 100 of the operator at most', async (test) => {
      const empty = await startApp(engine, { ...KEY, LATCHKEY_DELIVERIES: 'off' });
      test.after(() => empty.stop());
      const { creatorId } = await Creator.of(empty);
      const create = (fields = {}) => empty.admin('/createDestination', { ...ANY, ...fields });
      for (let each = 0; each < 100; each += 1) await mustSucceed(create());
      const { status, body } = await create();
      assert.deepEqual([status, body.error], [409, 'Too many destinations (100). Delete one first.']);
      await mustSucceed(create({ creatorId }));
    });

    it('are listed by state, of one owner and of all, page by page', async (test) => {
      // A running sender would write the progress that it knows over the states that the test sets.
      const app = await startApp(engine, { ...KEY, LATCHKEY_DELIVERIES: 'off' });
      test.after(() => app.stop());
      const owner = await Creator.of(app);
      const others = await Creator.of(app);
      const made: string[] = [];
      for (let each = 0; each < 8; each++) {
        const from = each % 2 === 0 ? owner : others;
        made.push((await mustSucceed(from.send('/createDestination', ANY))).destinationId);
      }
      const [, , paused, , otherPaused, , disabled, otherDisabled] = made as [string, ...string[]];
      const failing = [made[0], made[1], made[6]];
      await execute(
        app.database,
        `update destination set state = 'paused' where destination_id in ('${paused}', '${otherPaused}');
         update destination set state = 'disabled' where destination_id in ('${disabled}', '${otherDisabled}');
         update destination_progress set failing_since = '2027-01-01T00:00:00.000Z'
         where destination_id in (${failing.map((id) => `'${id}'`).join(', ')})`,
      );
      const listed = async (send: Creator['send'], fields: object) =>
        (await pagesOf(send, '/listDestinations', { limit: 1, ...fields }, 'destinations'))
          .flat()
          .filter(({ destinationId }) => made.includes(destinationId as string))
          .map(({ destinationId, state }) => [made.indexOf(destinationId as string), state]);
      const ofOwner = owner.send.bind(owner);
      assert.deepEqual(await listed(ofOwner, { state: 'failing' }), [[0, 'failing']]);
      assert.deepEqual(await listed(ofOwner, { state: 'disabled' }), [[6, 'disabled']]);
      assert.deepEqual(await listed(ofOwner, { state: 'active' }), []);
      assert.deepEqual(await listed(app.admin, { state: 'failing' }), [
        [1, 'failing'],
        [0, 'failing'],
      ]);
      assert.deepEqual(await listed(app.admin, { state: 'paused' }), [
        [4, 'paused'],
        [2, 'paused'],
      ]);
      assert.deepEqual(await listed(app.admin, { state: 'active' }), [
        [5, 'active'],
        [3, 'active'],
      ]);
      const { creatorId } = others;
      assert.deepEqual(await listed(app.admin, { state: 'failing', creatorId }), [[1, 'failing']]);
    });

    it('list what waits and what was sent page by page', async () => {
      const { destinationId } = await make({ types: ['license.*'] });
      await app.admin('/pauseDestination', { destinationId });
      const rows = (text: (number: number) => string) =>
        Array.from({ length: 7 }, (_, number) => `('${destinationId}', ${text(number)})`).join(', ');
      // Some are due at the same moment.
      const due = (number: number) => `2027-01-0${Math.floor(number / 3) + 1}T00:00:00.000Z`;
      await execute(
        app.database,
        `insert into delivery (destination_id, event_id, position, state, attempts, due_at, first_at, last_at)
           values ${rows((number) => `'evt_${number}', 0, 'waiting', 1, '${due(number)}', '${due(0)}', '${due(0)}'`)};
         insert into delivery_attempt (destination_id, attempt_id, event_id, type, at, duration_ms, outcome)
           values ${rows((number) => `'${number}', 'evt_${number}', 'license.updated', '${due(0)}', 5, 'refused'`)}`,
      );
      assert.equal((await app.admin('/listDeliveryAttempts', {})).body.error, 'Missing destinationId or eventId');
      for (const [path, list] of [
        ['/listDeliveries', 'deliveries'],
        ['/listDeliveryAttempts', 'attempts'],
      ] as const) {
        const pages = await pagesOf(app.admin, path, { destinationId, limit: 2 }, list);
        const ids = pages.flat().map(({ eventId }) => eventId);
        assert.deepEqual(
          ids,
          Array.from({ length: 7 }, (_, number) => `evt_${6 - number}`),
          path,
        );
        assert.equal(pages.length, 4, path);
      }
    });

    it('are made by the operator alone where the operator says so', async (test) => {
      const strict = await startApp(engine, { ...KEY, LATCHKEY_CREATORS_MAY_CREATE_DESTINATIONS: 'off' });
      test.after(() => strict.stop());
      const { body } = await (await Creator.of(strict)).send('/createDestination', ANY);
      assert.equal(body.error, 'Only the operator creates destinations here');
    });

    if (engine === 'postgres')
      it('are refused without a key that all nodes know', async (test) => {
        const keyless = await startApp(engine);
        test.after(() => keyless.stop());
        const { status } = await keyless.admin('/createDestination', ANY);
        assert.equal(status, 409);
      });

    if (engine === 'postgres')
      it('are served by a node that has the key and sends, by no other one', async (test) => {
        const shared = await freshDatabase(engine);
        const nodes: TestApp[] = [];
        test.after(async () => {
          for (const node of nodes) await node.stop();
          await shared.remove();
        });
        for (const settings of [{ ...KEY, LATCHKEY_DELIVERIES: 'off' }, {}, KEY]) {
          const node = await startApp(engine, { LATCHKEY_METRICS_PORT: '0', ...settings }, shared);
          // No event has this type, so nothing is sent to the address.
          if (nodes.push(node) === 1)
            await mustSucceed(node.admin('/createDestination', { url: URL, types: ['license.revoked'] }));
        }
        const sends = async (node: TestApp) => scrapedValue(await scrape(node), 'latchkey_sends_events');
        let sending = await Promise.all(nodes.map(sends));
        while (!sending.includes(1)) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          sending = await Promise.all(nodes.map(sends));
        }
        assert.deepEqual(sending, [0, 0, 1]);
      });

    it('begin after what happened before them', async () => {
      await creator.product();
      const { destinationId } = await make();
      const productId = await creator.product();
      const position = await storage.read(async (sql) => {
        const destination = await findDestination(sql, destinationId, { creatorId: null });
        return (await withProgress(sql, [destination!]))[0]!.progress.position;
      });
      const { entries } = await new FeedReader(storage).read(position, 10);
      assert.deepEqual(
        entries.map(({ event }) => [event.type, event.productId]),
        [['product.created', productId]],
      );
    });
  });

it('the secret of a destination that an earlier version sealed can be opened', () => {
  const key = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex');
  const sealed =
    'rg7Gp6o1QZVZG2Wy81XATppIPsfp-Kfovj3CZC2blm_oLjlmej3y1f3tsPmVYl02ceRwRZWIj22nb7xLllsJMlL3nxLosi2idDwKg2d5';
  assert.equal(openSecret(sealed, 'dst_example', key), 'whsec_AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tk=');
});
