/** /listRefusals: the fields of an entry, each filter and their combinations, pages, and a creator's view. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../../../src/ground/base/clock.ts';
import { mintId, mintOrderedUuid } from '../../../src/ground/base/random.ts';
import { REFUSAL_METRICS } from '../../../src/insight/statistics/counted-metrics.ts';
import { KEPT_REFUSAL_CODES, type KeptRefusal } from '../../../src/licensing/observed-calls/kept-refusal.ts';
import { addRefusals } from '../../../src/licensing/observed-calls/store.ts';
import { ADMIN_SECRET, type Answer } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { historyWithRefusals } from '../../support/kept-refusals.ts';
import { Machine } from '../../support/machine.ts';
import { execute } from '../../support/own-connection.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { predictRefusal } from './refusal-rows.ts';

type Fields = Readonly<Record<string, unknown>>;
type Send = (path: string, body: Fields) => Promise<Answer>;

const newestFirst = (rows: readonly KeptRefusal[]) =>
  rows.toSorted((one, other) => (one.refusalId < other.refusalId ? 1 : -1)).map(({ refusalId }) => refusalId);

describe('the codes of kept refusals', () => {
  it('are those that client endpoints give to calls for licenses that exist', () => {
    const given = REFUSAL_METRICS.map((metric) => metric.replace(/^\w+\./, ''));
    const ofLicenses = given.filter((code) => code !== 'license_not_found');
    assert.deepEqual(new Set(KEPT_REFUSAL_CODES), new Set(ofLicenses));
  });
});

for (const engine of engines)
  describe(`/listRefusals on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);

    const add = (rows: readonly KeptRefusal[]) => storage.transaction((tx) => addRefusals(tx, rows));
    const pages = (fields: Fields, send: Send = app.admin) => pagesOf(send, '/listRefusals', fields, 'refusals');
    const idsOf = async (fields: Fields, send: Send = app.admin) =>
      (await pages(fields, send)).flat().map(({ id }) => id);
    const ownProduct = () => `product-${mintId()}`;

    it('shows a refused call as the history of its license does, with license, customer and product', async () => {
      const productId = ownProduct();
      const expiresAt = app.clock.at(30 * DAY_MS);
      const licenseKey = await app.license({ productId, maxMachines: 1, email: 'grace@example.com', expiresAt });
      const [bound, other] = ['bound', 'other'].map((name) => {
        const machine = new Machine(app, licenseKey, name);
        machine.productId = productId;
        return machine;
      }) as [Machine, Machine];
      await bound.activated();
      const refused = [await other.activate()];
      other.token = 'nonsense';
      for (const call of [() => other.heartbeat(), () => other.validate()]) {
        app.clock.move(1);
        refused.push(await call());
      }
      const history = await historyWithRefusals(app, licenseKey, 3);
      const { refusals, count } = await mustSucceed(app.admin('/listRefusals', { productId }));
      const license = { licenseKey, email: 'grace@example.com', productId };
      const kept = history.filter(({ kind }) => kind === 'refusal').map(({ refusal }) => ({ ...refusal, ...license }));
      assert.equal(count, 2);
      assert.deepEqual(refusals, kept);
      const [token, limit] = refusals;
      assert.deepEqual(
        [limit.code, limit.error, limit.hostname, limit.details, limit.firstAt, limit.requestId],
        [
          ...['machine_limit', refused[0]?.body.error, 'host of other', { limit: 1 }],
          ...[toTimestamp(app.clock.now() - 2), refused[0]?.headers['x-request-id']],
        ],
      );
      assert.deepEqual([token.code, token.count, token.error], ['invalid_token', 2, refused[2]?.body.error]);
      assert.deepEqual(token.details, {}, 'neither the product nor the end, which are no reasons here');
    });

    it('has the text that the app received, even if one code has two texts', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey, 'told');
      machine.token = 'nonsense';
      const { body } = await machine.heartbeat();
      await historyWithRefusals(app, licenseKey, 1);
      const { refusals } = await mustSucceed(app.admin('/listRefusals', { licenseKey }));
      assert.deepEqual([refusals[0].error, refusals[0].code], [body.error, 'invalid_token']);
    });

    it('answers the refusals that match every filter, newest first, in any combination', async () => {
      const began = app.clock.now() - 3 * DAY_MS;
      const owner = await Creator.of(app);
      const products = [await owner.product(), await owner.product(), ownProduct()];
      const keys: string[] = [];
      for (let index = 0; index < 9; index += 1)
        keys.push(await app.license({ productId: products[index % 3] as string }));
      const rows = Array.from({ length: 270 }, (_, index) =>
        predictRefusal(keys[(index * 7) % 9] as string, began + index * MINUTE_MS, {
          code: KEPT_REFUSAL_CODES[Math.floor(index / 4) % 4] as KeptRefusal['code'],
          fingerprint: index % 5 === 0 ? null : `combined ${index % 4}`,
          lastAt: toTimestamp(began + index * MINUTE_MS + (index % 3) * 25 * MINUTE_MS),
        }),
      );
      await add(rows);
      const productOf = new Map(keys.map((key, index) => [key, products[index % 3] as string]));
      const [since, until] = [began + 60 * MINUTE_MS, began + 150 * MINUTE_MS];
      const choices: Readonly<Record<string, readonly unknown[]>> = {
        productId: [undefined, products[1]],
        creatorId: [undefined, owner.creatorId],
        code: [undefined, 'machine_limit', ' license_expired, activation_rate,license_expired'],
        machineFingerprint: [undefined, 'combined 3'],
        licenseKey: [undefined, keys[4]],
        time: [undefined, { since, until }],
      };
      let combinations: Fields[] = [{}];
      for (const [name, values] of Object.entries(choices))
        combinations = combinations.flatMap((each) => values.map((value) => ({ ...each, [name]: value })));
      const stored = (await pages({ since: toTimestamp(began), until: toTimestamp(began + DAY_MS) })).flat();
      assert.ok(stored.length > 200);
      assert.equal((await app.admin('/listRefusals')).body.refusals.length, 100);
      for (const { time, ...filter } of combinations) {
        const { productId, creatorId, code, machineFingerprint, licenseKey } = filter as Record<string, string>;
        const [from, to] = time === undefined ? [began, began + DAY_MS] : [since, until];
        const at = { since: toTimestamp(from as number), until: toTimestamp(to as number) };
        const meant = stored.filter((row) => {
          const product = productOf.get(row.licenseKey) as string;
          return (
            (productId ?? product) === product &&
            (creatorId === undefined || products.indexOf(product) < 2) &&
            (code ?? row.code).includes(row.code) &&
            (machineFingerprint ?? row.machineFingerprint) === row.machineFingerprint &&
            (licenseKey ?? row.licenseKey) === row.licenseKey &&
            row.lastAt >= at.since &&
            row.firstAt < at.until
          );
        });
        assert.deepEqual(
          await idsOf({ ...filter, ...at, limit: 23 }),
          meant.map(({ id }) => id),
          JSON.stringify({ filter, time }),
        );
      }
      const firsts = stored.map(({ firstAt }) => firstAt);
      assert.deepEqual(firsts, firsts.toSorted().reverse());
    });

    it('includes refusals repeated within a period, and those begun before its end', async () => {
      const productId = ownProduct();
      const licenseKey = await app.license({ productId });
      const noon = app.clock.now() - DAY_MS;
      const at = (minutes: number) => toTimestamp(noon + minutes * MINUTE_MS);
      const [over, under, inside, later] = [
        predictRefusal(licenseKey, noon - 59 * MINUTE_MS, { lastAt: at(-1) }),
        predictRefusal(licenseKey, noon - 58 * MINUTE_MS, { lastAt: at(0), count: 2 }),
        predictRefusal(licenseKey, noon + 59 * MINUTE_MS, { lastAt: at(80) }),
        predictRefusal(licenseKey, noon + 60 * MINUTE_MS),
      ];
      await add([over, under, inside, later]);
      assert.deepEqual(await idsOf({ productId, since: at(0), until: at(60) }), newestFirst([under, inside]));
      assert.deepEqual(await idsOf({ licenseKey, since: at(0), until: at(60) }), newestFirst([under, inside]));
      assert.deepEqual(await idsOf({ productId, since: at(60) }), newestFirst([inside, later]));
      assert.deepEqual(await idsOf({ productId, until: at(0) }), newestFirst([over, under]));
    });

    it('lists each entry once while some are added to and others begin between pages', async () => {
      const productId = ownProduct();
      const licenseKey = await app.license({ productId });
      const began = app.clock.now() - 30 * MINUTE_MS;
      const rows = Array.from({ length: 12 }, (_, index) => predictRefusal(licenseKey, began + index));
      await add(rows);
      let next = 0;
      const found = await pagesOf(app.admin, '/listRefusals', { productId, limit: 5 }, 'refusals', async () => {
        const again = rows[next++] as KeptRefusal;
        const later = { refusalId: mintOrderedUuid(began + 1000), lastAt: toTimestamp(began + HOUR_MS / 2) };
        await add([{ ...again, ...later, firstAt: later.lastAt }, predictRefusal(licenseKey, began + 5000)]);
      });
      const ids = found.flat().map(({ id }) => id);
      assert.deepEqual(
        ids.filter((id) => rows.some(({ refusalId }) => refusalId === id)),
        newestFirst(rows),
      );
      assert.equal(new Set(ids).size, ids.length);
    });

    it('reads a bounded number of refusals: a page may be empty and have a next one', async () => {
      const productId = ownProduct();
      const began = app.clock.now() - 5 * DAY_MS;
      const rare = predictRefusal(await app.license({ productId }), began, { code: 'license_revoked' });
      const rows = [rare];
      for (let license = 0; license < 60; license += 1) {
        const key = await app.license({ productId });
        for (let index = 0; index < 45; index += 1) rows.push(predictRefusal(key, began + HOUR_MS + rows.length));
      }
      await add(rows);
      const found = await pages({ productId, code: 'license_revoked', limit: 10 });
      assert.ok(found.length > 1 && found.length < 5, String(found.length));
      assert.equal(found[0]?.length, 0);
      assert.deepEqual(
        found.flat().map(({ id }) => id),
        [rare.refusalId],
      );
      const rarest = { productId, code: 'license_revoked', limit: 1 };
      const passing = (others: number) =>
        mustSucceed(app.admin('/listRefusals', { ...rarest, until: rows[1 + others]?.firstAt }));
      assert.equal((await passing(2000)).count, 1);
      const beyond = await passing(2001);
      assert.deepEqual([beyond.count, typeof beyond.nextCursor], [0, 'string']);
      // The rare ones of all products are adjacent in a separate index.
      const [first] = await pages({ code: 'license_revoked', until: toTimestamp(began + 1), limit: 1 });
      assert.deepEqual(first?.[0]?.id, rare.refusalId);
    });

    it('shows a creator the refusals of the products that it owns today, and of no other', async () => {
      const [creator, stranger] = [await Creator.of(app), await Creator.of(app)];
      const [own, given, foreign] = [await creator.product(), await stranger.product(), await stranger.product()];
      const keys = {
        own: await creator.license(own),
        given: await stranger.license(given),
        foreign: await stranger.license(foreign),
      };
      const now = app.clock.now();
      const rows = Object.values(keys).map((key, index) =>
        predictRefusal(key, now + index, { fingerprint: 'shared machine' }),
      );
      const [ofOwn, ofGiven, ofForeign] = rows as [KeptRefusal, KeptRefusal, KeptRefusal];
      await add(rows);
      const mine: Send = (path, body) => creator.send(path, body);
      assert.deepEqual(await idsOf({}, mine), [ofOwn.refusalId]);
      await mustSucceed(app.admin('/updateProduct', { productId: given, creatorId: creator.creatorId }));
      assert.deepEqual(await idsOf({}, mine), newestFirst([ofOwn, ofGiven]));
      assert.deepEqual(await idsOf({ limit: 1 }, mine), newestFirst([ofOwn, ofGiven]));
      assert.deepEqual(await idsOf({ machineFingerprint: 'shared machine' }, mine), newestFirst([ofOwn, ofGiven]));
      assert.deepEqual(await idsOf({ code: 'machine_limit' }, mine), newestFirst([ofOwn, ofGiven]));
      assert.deepEqual(await idsOf({ productId: given }, mine), [ofGiven.refusalId]);
      assert.deepEqual(await idsOf({ licenseKey: keys.given }, mine), [ofGiven.refusalId]);
      assert.deepEqual(await idsOf({ productId: foreign }, mine), []);
      assert.deepEqual(await idsOf({ licenseKey: keys.foreign }, mine), []);
      assert.deepEqual(await idsOf({ licenseKey: keys.own, productId: given }, mine), []);
      // A creator's own id counts, even if the request names another one.
      const named = { creatorId: stranger.creatorId };
      assert.deepEqual(await idsOf(named, mine), newestFirst([ofOwn, ofGiven]));
      assert.deepEqual(await idsOf(named), [ofForeign.refusalId]);
      assert.deepEqual(await idsOf({ ...named, productId: own }), []);
      assert.deepEqual(await idsOf({ ...named, licenseKey: keys.own }), []);
    });

    it('asks an API key whose creator owns more than 30 products to name one or a license, and the operator not', async () => {
      const creator = await Creator.of(app);
      const productIds: string[] = [];
      for (let index = 0; index < 31; index += 1) productIds.push(await creator.product());
      const licenseKey = await creator.license(productIds[30] as string);
      const other = predictRefusal(await app.license(), app.clock.now());
      const own = predictRefusal(licenseKey, app.clock.now());
      await add([own, other]);
      const { status, body } = await creator.send('/listRefusals', { code: 'machine_limit' });
      assert.deepEqual([status, body.error], [400, 'You own more than 30 products: provide a productId']);
      const mine: Send = (path, fields) => creator.send(path, fields);
      assert.deepEqual(await idsOf({ licenseKey }, mine), [own.refusalId]);
      assert.deepEqual(await idsOf({ productId: productIds[30] }, mine), [own.refusalId]);
      for (const filter of [{}, { code: 'machine_limit' }, { machineFingerprint: own.fingerprint }])
        assert.deepEqual(await idsOf({ creatorId: creator.creatorId, ...filter }), [own.refusalId]);
    });

    it("shows the operator the first thousand of a creator's products", async () => {
      const { creatorId } = await Creator.of(app);
      const [name, at] = [ownProduct(), app.clock.at()];
      const products = Array.from({ length: 1001 }, (_, number) => `${name}-${1000 + number}`);
      const rows = products.map((each) => `('${each}', 'Product', '${creatorId}', 'live', '${at}', '${at}')`);
      await execute(app.database, `insert into product values ${rows.join(', ')}`);
      const [last, beyond] = await Promise.all(
        [999, 1000].map(async (number) =>
          predictRefusal(await app.license({ productId: products[number] }), app.clock.now()),
        ),
      );
      await add([last as KeptRefusal, beyond as KeptRefusal]);
      assert.deepEqual(await idsOf({ creatorId }), [last?.refusalId]);
      assert.deepEqual(await idsOf({ productId: products[1000] }), [beyond?.refusalId]);
    });

    it('goes on when a customer is forgotten, without the names of machines', async () => {
      const productId = ownProduct();
      const email = `${mintId().toLowerCase()}@example.com`;
      const licenseKey = await app.license({ productId, email });
      const row = predictRefusal(licenseKey, app.clock.now(), { hostname: 'Augusta at home' });
      await add([row]);
      await mustSucceed(app.admin('/forgetCustomer', { email }));
      const { refusals } = await mustSucceed(app.admin('/listRefusals', { productId }));
      assert.equal(refusals.length, 1);
      assert.deepEqual([refusals[0].id, refusals[0].licenseKey], [row.refusalId, licenseKey]);
      assert.match(refusals[0].email, /^forgotten-/);
      assert.doesNotMatch(JSON.stringify(refusals), /Augusta/);
    });

    it('takes its fields from the query of a GET', async () => {
      const productId = ownProduct();
      const row = predictRefusal(await app.license({ productId }), app.clock.now());
      await add([row]);
      const query = new URLSearchParams({ productId, code: 'machine_limit', limit: '1' });
      const headers = { 'X-Admin-Secret': ADMIN_SECRET };
      const { body } = await app.send(`/listRefusals?${query}`, undefined, { method: 'GET', headers });
      assert.equal(body.refusals[0].id, row.refusalId);
    });

    for (const [fields, error] of [
      [{ code: 'license_not_found' }, /^code must be a comma-separated list of machine_limit, .*request_id_reused$/],
      [{ code: 'machine_limit,' }, /^code must be a comma-separated list/],
      [{ since: 'yesterday' }, /^since must be/],
      [{ until: 1 }, /^until must be/],
      [{ limit: 1001 }, /^limit must be a whole number from 1 to 1000$/],
      [{ cursor: 'bogus' }, /^cursor is not the nextCursor of an earlier answer$/],
    ] as const)
      it(`400 for ${JSON.stringify(fields)}`, async () => {
        const { status, body } = await app.admin('/listRefusals', fields);
        assert.equal(status, 400);
        assert.match(body.error, error);
      });

    it('401 without a credential', async () => {
      const { status, body } = await app.send('/listRefusals', {});
      assert.deepEqual([status, body], [401, { success: false, error: 'Unauthorized' }]);
    });
  });
