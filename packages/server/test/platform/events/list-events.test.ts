/** /listEvents: each filter, combinations of filters, pages, and the view of a creator. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import type { Event } from '../../../src/platform/events/event.ts';
import { operatorKey, signIn } from '../../support/console.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { eventAt, idsOf, insertAll } from './events-of-rows.ts';

type Fields = Readonly<Record<string, unknown>>;
/** An event as answers show it. */
interface Listed {
  readonly id: string;
  readonly at: string;
  readonly type: string;
  readonly actor: { readonly kind: string; readonly id: string | null; readonly keyName: string | null };
  readonly licenseKey: string | null;
  readonly licenseNumber: number | null;
  readonly productId: string | null;
  readonly subject: string | null;
  readonly requestId: string | null;
}

const typesOf = (events: readonly Listed[]) => events.map(({ type }) => type);
const listedIds = (events: readonly Listed[]) => events.map(({ id }) => id);

for (const engine of engines)
  describe(`/listEvents on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);
    const list = (fields: Fields) => mustSucceed(app.admin('/listEvents', fields));
    /** Every page of a list, as one, and their number; fails when a page holds more than was asked for. */
    const all = async (fields: Fields): Promise<{ events: Listed[]; pages: number }> => {
      const pages = await pagesOf(app.admin, '/listEvents', fields, 'events');
      for (const { length } of pages) assert.ok(length <= Number(fields.limit ?? 100));
      return { events: pages.flat(), pages: pages.length };
    };

    it('lists each change of a license, newest first, with its author and request', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const created = await creator.send('/createLicense', { email: 'ada@example.com', productId });
      const { licenseKey } = created.body;
      const machine = new Machine(app, licenseKey, 'desk');
      machine.productId = productId;
      const activated = await machine.activate();
      const revoked = await app.admin('/revokeLicense', { licenseKey });
      const { events, count } = await list({ licenseKey });
      assert.equal(count, 3);
      const key = { kind: 'creator', id: creator.creatorId, keyName: 'Key of the tests' };
      assert.deepEqual(
        events.map(({ type, actor, licenseNumber, requestId }: Listed) => [type, actor, licenseNumber, requestId]),
        [
          ['license.revoked', { kind: 'operator', id: null, keyName: null }, 3, revoked.headers['x-request-id']],
          ['activation.created', { kind: 'client', id: null, keyName: null }, 2, activated.headers['x-request-id']],
          ['license.created', key, 1, created.headers['x-request-id']],
        ],
      );
      assert.equal(events[1].subject, 'desk');
      assert.deepEqual([events[1].before, events[1].after.hostname], [null, 'host of desk']);
      assert.equal(events[0].after.status, 'revoked');
      assert.equal(events[0].at, app.clock.at());
      for (const event of events)
        assert.deepEqual(
          [event.licenseKey, event.productId, event.creatorId],
          [licenseKey, productId, creator.creatorId],
        );
      assert.deepEqual((await list({ licenseKey: ` ${licenseKey.toLowerCase()} ` })).events, events);
    });

    it('answers the events that match every filter, in any combination', async () => {
      const now = app.clock.now() - HOUR_MS;
      const types = ['license.created', 'license.revoked', 'activation.created', 'activation.deleted'] as const;
      const actors = ['operator', 'client', 'storefront', 'creator:ada'];
      const stored: Event[] = Array.from({ length: 400 }, (_, index) =>
        eventAt(now + Math.floor(index / 3) * 1000, {
          type: types[(index * 7) % 4] ?? 'license.created',
          actor: actors[Math.floor(index / 2) % 4] ?? 'client',
          productId: index % 5 === 0 ? null : `combined ${index % 3}`,
          requestId: index % 4 === 0 ? null : `combined-${Math.floor(index / 20)}`,
        }),
      );
      await insertAll(storage, stored);
      const newest = stored.toSorted((one, other) => (one.eventId < other.eventId ? 1 : -1));
      const [since, until] = [now + 30_000, now + 100_000];
      const choices: Readonly<Record<string, readonly unknown[]>> = {
        productId: [undefined, 'combined 1'],
        types: [undefined, ['license.revoked'], ['activation.created'], ['license.created', 'activation.deleted']],
        actor: [undefined, 'operator', 'client', 'creator:ada'],
        requestId: [undefined, 'combined-3'],
        time: [undefined, { since, until }],
      };
      let combinations: Fields[] = [{}];
      for (const [name, values] of Object.entries(choices))
        combinations = combinations.flatMap((each) => values.map((value) => ({ ...each, [name]: value })));
      for (const { time, ...filter } of combinations) {
        const { productId, types: named, actor, requestId } = filter as Record<string, string | undefined>;
        // Without a bound the events of the other tests would be among them.
        const [from, to] = time === undefined ? [now, now + 200_000] : [since, until];
        const at = { since: new Date(from).toISOString(), until: new Date(to).toISOString() };
        const meant = newest.filter(
          (event) =>
            (productId ?? event.productId) === event.productId &&
            (named === undefined || named.includes(event.type)) &&
            (actor ?? event.actor) === event.actor &&
            (requestId ?? event.requestId) === event.requestId &&
            event.occurredAt >= at.since &&
            event.occurredAt < at.until,
        );
        const { events } = await all({ ...filter, ...at, limit: 37 });
        assert.deepEqual(listedIds(events), idsOf(meant), JSON.stringify({ filter, time }));
      }
    });

    it('leaves none out where the events of one type are all newer than those of the others', async () => {
      const now = app.clock.now() - 4 * HOUR_MS;
      const types = ['license.renewed', 'license.revoked', 'license.reinstated'] as const;
      const rows = types.flatMap((type, place) =>
        Array.from({ length: 90 }, (_, index) => eventAt(now + place * 1000 + index, { type, productId: 'uneven' })),
      );
      await insertAll(storage, rows);
      const { events } = await all({ productId: 'uneven', types, limit: 40 });
      assert.deepEqual(listedIds(events), idsOf(rows).reverse());
    });

    it('reads a bounded number of events: a page may be empty and have a next one', async () => {
      const now = app.clock.now() - 2 * HOUR_MS;
      const rows = Array.from({ length: 7000 }, (_, index) =>
        eventAt(now + index, {
          type: index === 0 ? 'activation.created' : 'license.created',
          productId: 'many',
          actor: 'client',
        }),
      );
      await insertAll(storage, rows);
      const filter = { productId: 'many', types: ['activation.created'], limit: 1000 };
      const first = await list(filter);
      assert.deepEqual([first.count, typeof first.nextCursor], [0, 'string']);
      const { events, pages } = await all(filter);
      assert.deepEqual(listedIds(events), [rows[0]?.eventId]);
      assert.ok(pages > 1 && pages < 7, `${pages} pages`);
      const passing = (others: number) => list({ ...filter, limit: 1, until: rows[1 + others]?.occurredAt });
      assert.equal((await passing(2000)).count, 1);
      const beyond = await passing(2001);
      assert.deepEqual([beyond.count, typeof beyond.nextCursor], [0, 'string']);
    });

    it('lists a license in the order of its changes, page by page, where clocks of servers disagree', async () => {
      const licenseKey = await app.license({ maxMachines: 9 });
      await new Machine(app, licenseKey, 'ahead').activated();
      app.clock.move(-MINUTE_MS);
      await new Machine(app, licenseKey, 'behind').activated();
      app.clock.move(MINUTE_MS);
      await app.admin('/updateLicense', { licenseKey, maxMachines: 8 });
      const { events, pages } = await all({ licenseKey, limit: 1 });
      const numbers = events.map(({ licenseNumber }) => licenseNumber);
      assert.deepEqual([numbers, pages], [[4, 3, 2, 1], 4]);
      const types = ['license.updated'];
      assert.deepEqual(typesOf((await all({ licenseKey, types })).events), types);
      assert.equal((await list({ licenseKey, actor: 'client' })).count, 2);
      assert.equal((await list({ licenseKey, until: app.clock.at() })).count, 1);
    });

    it('finds what one request changed', async () => {
      const order = { email: 'a@b.c', productId: 'first' };
      const answer = await app.admin('/createLicense', order);
      await app.admin('/createLicense', order);
      const requestId = String(answer.headers['x-request-id']);
      const { events } = await list({ requestId });
      assert.deepEqual(typesOf(events), ['license.created']);
      assert.equal((await list({ requestId, productId: 'first' })).count, 1);
      assert.equal((await list({ requestId, productId: 'second' })).count, 0);
      assert.equal((await list({ requestId: 'another' })).count, 0);
    });

    it('finds a request by the id of the service, never by one that a caller chose', async () => {
      const licenseKey = await app.license();
      const revoked = await app.admin('/revokeLicense', { licenseKey });
      await app.admin('/reinstateLicense', { licenseKey });
      const requestId = String(revoked.headers['x-request-id']);
      const mine = { headers: { 'x-request-id': requestId } };
      const machine = new Machine(app, licenseKey, 'guest');
      const activated = await machine.activate(mine);
      assert.equal(activated.status, 200);
      assert.deepEqual(typesOf((await list({ requestId })).events), ['license.revoked']);
      assert.equal(activated.headers['x-request-id'], requestId, 'what the caller sent is repeated');
      const own = String(activated.headers['latchkey-request-id']);
      assert.notEqual(own, requestId);
      assert.deepEqual(typesOf((await list({ requestId: own })).events), ['activation.created']);
      const { hits } = await mustSucceed(app.admin('/searchEverything', { query: requestId }));
      const titles = hits.map(({ title }: { title: string }) => title);
      assert.deepEqual(titles, ['license.revoked']);
      machine.productId = 'another';
      const refused = await machine.activate(mine);
      assert.equal(refused.status, 403);
      const { history } = await mustSucceed(app.admin('/getLicense', { licenseKey, history: true }));
      const refusals = history.filter(({ kind }: { kind: string }) => kind === 'refusal');
      assert.ok(!JSON.stringify(refusals).includes(requestId));
    });

    it('finds what one request changed of more products than lists are made of', async () => {
      const now = app.clock.now() - 3 * HOUR_MS;
      const rows = Array.from({ length: 40 }, (_, index) =>
        eventAt(now + index, { type: 'license.created', productId: `wide ${index}`, requestId: 'wide-request' }),
      );
      await insertAll(storage, rows);
      const found = await all({ requestId: 'wide-request', limit: 7 });
      assert.deepEqual(listedIds(found.events), idsOf(rows).reverse());
    });

    it('takes each filter from a query, and names the field that does not fit', async () => {
      const licenseKey = await app.license();
      const query = new URLSearchParams({ licenseKey, types: 'license.created,license.revoked', limit: '5' });
      const headers = { 'x-admin-secret': 'admin-secret-of-the-tests' };
      const answer = await app.send(`/listEvents?${query}`, undefined, { method: 'GET', headers });
      assert.deepEqual([answer.status, answer.body.count], [200, 1]);
      for (const [field, value] of [
        ['types', ['license.bought']],
        ['types', Array.from({ length: 11 }, () => 'license.created')],
        ['since', 'yesterday'],
        ['until', 'today'],
        ['limit', 1001],
        ['cursor', 'evt_1'],
        ['actor', 7],
        ['requestId', 'x'.repeat(65)],
      ] as const) {
        const { status, body } = await app.admin('/listEvents', { [field]: value });
        assert.equal(status, 400, field);
        assert.match(body.error, new RegExp(`^${field} `));
      }
    });

    it('shows a creator the events of the products that it owns today, and of no other', async () => {
      const [ada, bo] = [await Creator.of(app), await Creator.of(app)];
      const own = async (creator: Creator, fields: Fields = {}) => {
        const { events } = await mustSucceed(creator.send('/listEvents', fields));
        return typesOf(events.filter(({ type }: Listed) => type !== 'api_key.created'));
      };
      const productId = await ada.product();
      const licenseKey = await ada.license(productId);
      const answer = await bo.send('/createLicense', { email: 'ada@example.com', productId: await bo.product() });
      const other = answer.body.licenseKey;
      const otherRequest = answer.headers['x-request-id'];
      assert.deepEqual(await own(ada), ['license.created', 'product.created']);
      for (const filter of [
        { licenseKey: other },
        { licenseKey: other, productId },
        { productId: 'nobody has it' },
        { licenseKey: 'nobody has it' },
        { requestId: otherRequest },
        { productId: 'nobody has it', requestId: otherRequest },
        { actor: 'storefront' },
        { types: ['studio_order.created'] },
      ])
        assert.deepEqual(await own(ada, filter), [], JSON.stringify(filter));
      const foreign = await ada.send('/listEvents', { licenseKey: other });
      const absent = await ada.send('/listEvents', { licenseKey: 'nobody has it' });
      assert.deepEqual([foreign.status, foreign.body], [absent.status, absent.body]);

      await mustSucceed(app.admin('/updateProduct', { productId, creatorId: bo.creatorId }));
      assert.deepEqual(await own(ada), []);
      assert.deepEqual(await own(ada, { licenseKey }), []);
      assert.deepEqual(await own(bo, { productId }), ['product.updated', 'license.created', 'product.created']);
      assert.equal((await own(bo, { licenseKey })).length, 1);
    });

    it("shows a creator neither names of the operator's people nor those of other creators' keys", async () => {
      const [ada, bo] = [await Creator.of(app), await Creator.of(app)];
      const productId = await bo.product();
      const licenseKey = await bo.license(productId);
      await mustSucceed(app.admin('/updateProduct', { productId, creatorId: ada.creatorId }));
      await mustSucceed(ada.send('/addNote', { licenseKey, text: 'by the creator' }));
      const support = await signIn(app, { secret: await operatorKey(app, 'support', 'Sue Support') });
      await mustSucceed(support.call('/addNote', { licenseKey, text: 'by a person' }));
      const actorsIn = async (read: (path: string, fields: Fields) => ReturnType<typeof app.send>) => {
        const { events } = await mustSucceed(read('/listEvents', { licenseKey }));
        const { history } = await mustSucceed(read('/getLicense', { licenseKey, history: true }));
        const { newestEvents } = await mustSucceed(read('/getOverview', { productId }));
        const reported: { actor: { kind: string; keyName: string | null }; licenseKey: string | null }[] = [
          ...events,
          ...history.map(({ event }: { event: Listed }) => event),
          ...newestEvents.filter((event: Listed) => event.licenseKey === licenseKey),
        ];
        return new Set(reported.map(({ actor }) => `${actor.kind} ${actor.keyName}`));
      };
      const own = 'creator Key of the tests';
      assert.deepEqual(await actorsIn(app.admin), new Set(['operator Sue Support', own]));
      const asCreator = await actorsIn((path, fields) => ada.send(path, fields));
      assert.deepEqual(asCreator, new Set(['operator null', own, 'creator null']));
    });

    it('shows a creator its events without a product: of API keys, studio orders and general discount codes', async () => {
      const [ada, bo] = [await Creator.of(app), await Creator.of(app)];
      await mustSucceed(ada.send('/createDiscountCode', { code: `ADA${ada.creatorId.slice(-4)}`, trialDays: 3 }));
      const mine = await mustSucceed(ada.send('/listEvents'));
      assert.deepEqual(typesOf(mine.events), ['discount_code.created', 'api_key.created']);
      const requestId = mine.events[0].requestId;
      assert.equal((await mustSucceed(ada.send('/listEvents', { requestId }))).count, 1);
      assert.equal((await mustSucceed(ada.send('/listEvents', { types: ['discount_code.created'] }))).count, 1);
      assert.deepEqual(typesOf((await mustSucceed(bo.send('/listEvents'))).events), ['api_key.created']);
      assert.equal((await mustSucceed(bo.send('/listEvents', { requestId }))).count, 0);
    });

    it('asks an API key whose creator owns more than 30 products to name one, or a license', async () => {
      const creator = await Creator.of(app);
      const products: string[] = [];
      for (let index = 0; index < 31; index += 1) products.push(await creator.product());
      const licenseKey = await creator.license(products[0] as string);
      const refused = await creator.send('/listEvents');
      assert.equal(refused.headers['latchkey-code'], 'too_many_products');
      assert.equal((await mustSucceed(creator.send('/listEvents', { productId: products[0] }))).count, 2);
      assert.equal((await mustSucceed(creator.send('/listEvents', { licenseKey }))).count, 1);
    });

    it('answers 401 without a credential', async () => {
      assert.equal((await app.send('/listEvents', {})).status, 401);
    });
  });
