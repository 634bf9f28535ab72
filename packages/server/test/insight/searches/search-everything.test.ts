/** One field that finds everything. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mintApiKey } from '../../../src/access/api-keys/api-key.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { mintGroups, mintId } from '../../../src/ground/base/random.ts';
import { newActivation } from '../../../src/licensing/client-endpoints/license-changes.ts';
import { insertMachines } from '../../../src/licensing/machines/activation-store.ts';
import type { KeptRefusal } from '../../../src/licensing/observed-calls/kept-refusal.ts';
import { addRefusals } from '../../../src/licensing/observed-calls/store.ts';
import { believingEvery } from '../../../src/platform/believed-time/believed-time.ts';
import type { Storage } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { ORDER, orderSeats } from '../../commerce/studio-orders/orders.ts';
import { predictRefusal } from '../../licensing/observed-calls/refusal-rows.ts';
import { assertRefused } from '../../support/answers.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { historyWithRefusals } from '../../support/kept-refusals.ts';
import { Machine } from '../../support/machine.ts';
import { execute, rowOf } from '../../support/own-connection.ts';
import { startedApp } from '../../support/started-app.ts';
import { tidy } from '../../support/tidy.ts';
import { unrecorded } from '../../support/unrecorded.ts';

interface Hit {
  readonly kind: string;
  readonly matchedBy: string;
  readonly title: string;
  readonly licenseKey: string | null;
  readonly id: string | null;
  readonly status: string | null;
  readonly at: string;
}

for (const engine of engines)
  describe(`/searchEverything on ${engine}`, () => {
    let creator: Creator;
    let stranger: Creator;
    let storage: Storage;
    // Before the app stops, which removes the database.
    after(() => storage.close());
    const app = startedApp(engine);
    before(async () => {
      [creator, stranger] = [await Creator.of(app), await Creator.of(app)];
      storage = await openStorage(app.database);
    });

    /** The whole answer to the operator, or to a creator. */
    const ask = (query: string, fields: object = {}, by?: Creator) => {
      const body = { query, ...fields };
      return mustSucceed(by === undefined ? app.admin('/searchEverything', body) : by.send('/searchEverything', body));
    };
    async function search(query: string, by?: Creator) {
      const { hits, count } = await ask(query, {}, by);
      assert.equal(count, hits.length);
      // The customer, the product and the last sign of life have tests of their own.
      return hits.map(
        ({ email: _email, productId: _productId, lastSeenAt: _lastSeenAt, ...hit }: Hit & Record<string, unknown>) =>
          hit,
      ) as Hit[];
    }
    const asCreator = (query: string) => search(query, creator);
    const asStranger = (query: string) => search(query, stranger);
    const keysOf = (hits: readonly Hit[]) => hits.map(({ licenseKey }) => licenseKey);

    /** Letters and digits that no other test uses. It ends with a digit: words of letters alone are a person's name. */
    const word = () => `${mintId().replace(/[^a-z0-9]/gi, 'x')}7`;

    it('finds a license by its key or the beginning of it, however it is typed', async () => {
      const createdAt = app.clock.at();
      const key = await creator.license(await creator.product(), { email: 'grace@example.com' });
      const hit = {
        kind: 'license',
        matchedBy: 'key',
        title: 'grace@example.com',
        licenseKey: key,
        id: null,
        status: 'active',
        at: createdAt,
      };
      const bare = key.replaceAll('-', '');
      const typed = [
        key,
        key.toLowerCase(),
        ` ${bare} `,
        bare.replace(/.{5}/g, '$& '),
        key.slice(0, 13),
        `${key.slice(0, 11)}-`,
      ];
      for (const query of [...typed, bare.slice(0, 7), key.slice(0, 17).replaceAll('-', ' ')]) {
        assert.deepEqual(await search(query), [hit], query);
        assert.deepEqual(await asCreator(query), [hit], query);
        assert.deepEqual(await asStranger(query), [], query);
      }
      assert.deepEqual(await search(`${key}A`), []);
      assert.deepEqual(await search(key.slice(0, 4)), []);
    });

    it('shows the status of this moment', async () => {
      const key = await app.license({ expiresAt: app.clock.at(DAY_MS) });
      app.clock.move(DAY_MS);
      const statuses = async () => (await search(key)).map(({ status }) => status);
      assert.deepEqual(await statuses(), ['expired']);
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: key }));
      assert.deepEqual(await statuses(), ['revoked']);
    });

    it('finds licenses by the e-mail address, for the operator also by its beginning', async () => {
      const email = `${word()}.Ada@Example.com`;
      const own = await creator.license(await creator.product(), { email });
      const foreign = await stranger.license(await stranger.product(), { email });
      for (const query of [email.toUpperCase(), email.slice(0, -4), email.slice(0, 12)])
        assert.deepEqual(keysOf(await search(query)).sort(), [own, foreign].sort(), query);
      assert.deepEqual(keysOf(await asCreator(` ${email} `)), [own]);
      assert.deepEqual(await asCreator(email.slice(0, -4)), []);
      assert.deepEqual(keysOf(await asStranger(email.toLowerCase())), [foreign]);
      const [{ kind, matchedBy, title } = {} as Hit] = await asCreator(email);
      assert.deepEqual([kind, matchedBy, title], ['license', 'email', email]);
    });

    it('finds the licenses of a purchase', async () => {
      const purchaseId = `order ${word()}`;
      const own = await creator.license(await creator.product(), { purchaseId });
      const foreign = await stranger.license(await stranger.product(), { purchaseId });
      const seen = (hits: readonly Hit[]) => hits.map((hit) => [hit.kind, hit.matchedBy, hit.id, hit.licenseKey]);
      const hitOf = (key: string) => ['purchase', 'purchaseId', purchaseId, key];
      assert.deepEqual(seen(await search(purchaseId)).sort(), [hitOf(own), hitOf(foreign)].sort());
      assert.deepEqual(seen(await asCreator(purchaseId)), [hitOf(own)]);
      assert.deepEqual(await search(purchaseId.toUpperCase()), []);
    });

    it('covers the first thousand products of a creator', async () => {
      const owner = await Creator.of(app);
      const [name, purchaseId, at] = [word(), `order ${word()}`, app.clock.at()];
      const products = Array.from({ length: 1001 }, (_, number) => `${name}-${1000 + number}`);
      const rows = products.map((each) => `('${each}', '${name}', '${owner.creatorId}', 'live', '${at}', '${at}')`);
      await execute(app.database, `insert into product values ${rows.join(', ')}`);
      const [last, beyond] = [
        await owner.license(products[999] as string, { purchaseId }),
        await owner.license(products[1000] as string, { purchaseId }),
      ];
      assert.deepEqual(keysOf(await search(purchaseId, owner)), [last]);
      assert.deepEqual(keysOf(await search(purchaseId)).sort(), [last, beyond].sort());
    });

    it('finds studio orders by their id, and seats by their code', async () => {
      const { studioOrderId, codes } = await orderSeats(app, { creatorId: creator.creatorId });
      const order = { title: ORDER.courseTitle, licenseKey: null, id: studioOrderId, at: app.clock.at() };
      const found = [{ kind: 'order', matchedBy: 'orderId', status: 'active', ...order }];
      assert.deepEqual(await search(` ${studioOrderId} `), found);
      assert.deepEqual(await asCreator(studioOrderId), found);
      assert.deepEqual(await asStranger(studioOrderId), []);
      const [code = ''] = codes;
      const seat = [{ kind: 'seat', matchedBy: 'seatCode', status: 'available', ...order }];
      assert.deepEqual(await search(code.toLowerCase()), seat);
      assert.deepEqual(await asCreator(code), seat);
      assert.deepEqual(await asStranger(code), []);
    });

    it('finds what a pasted mail names, with the customer and the product of each hit', async () => {
      const [productId, tag] = [await creator.product(), word()];
      const email = `${tag}@example.com`.toLowerCase();
      const key = await creator.license(productId, { email, purchaseId: `Order-${tag}` });
      const other = await creator.license(productId, { email: `second.${email}` });
      const mail = `From: <${email}>\n\nHello, order #Order-${tag} gave me ${other.replaceAll('-', '\n')}. Thanks!`;
      for (const by of [undefined, creator]) {
        const found = await ask(mail, {}, by);
        assert.deepEqual(found.searchedFor, [other, email, `Order-${tag}`]);
        assert.deepEqual(
          found.hits.map((hit: Hit & Record<string, unknown>) => [hit.kind, hit.licenseKey, hit.email, hit.productId]),
          [
            ['license', other, `second.${email}`, productId],
            ['license', key, email, productId],
            ['purchase', key, email, productId],
          ],
        );
        assert.equal(found.isMore, false);
      }
      assert.deepEqual(await asStranger(mail), []);
      assert.deepEqual((await ask(`It is ${key}.`)).searchedFor, [key]);
    });

    it('shows customer, product and last sign of life with each kind of hit', async () => {
      const [productId, tag] = [await creator.product(), word()];
      const email = `${tag}@example.com`.toLowerCase();
      const licenseKey = await creator.license(productId, { email, purchaseId: `Order-${tag}`, maxMachines: 1 });
      const unused = await creator.license(productId, { email });
      const machine = new Machine(app, licenseKey, `Print ${tag}`, productId);
      const refused = new Machine(app, licenseKey, `Refused ${tag}`, productId);
      await machine.activated();
      app.clock.move(DAY_MS);
      const seenAt = app.clock.at();
      assert.equal((await machine.validate()).status, 200);
      app.clock.move(MINUTE_MS);
      assert.equal((await refused.activate()).status, 403);
      await historyWithRefusals(app, licenseKey, 1);
      const code = `CODE${tag}`;
      await mustSucceed(creator.send('/createDiscountCode', { code, productId, trialDays: 14 }));
      const noted = await app.admin('/addNote', { licenseKey: unused, text: 'A note' });
      const requestId = String(noted.headers['x-request-id']);
      const shown = async (query: string) =>
        (await ask(query)).hits.map(
          ({ kind, email: customer, productId: product, lastSeenAt }: Hit & Record<string, unknown>) => [
            ...[kind, customer, product, lastSeenAt],
          ],
        );
      assert.deepEqual(await shown(licenseKey), [['license', email, productId, seenAt]]);
      assert.deepEqual(await shown(unused), [['license', email, productId, null]]);
      assert.deepEqual(await shown(`Order-${tag}`), [['purchase', email, productId, seenAt]]);
      assert.deepEqual(await shown(machine.fingerprint), [['machine', email, productId, seenAt]]);
      assert.deepEqual(await shown(refused.fingerprint), [['machine', email, productId, null]]);
      assert.deepEqual(await shown(productId), [['product', null, productId, null]]);
      assert.deepEqual(await shown(code), [['code', null, productId, null]]);
      assert.deepEqual(await shown(requestId), [['request', email, productId, null]]);
    });

    it('reads fifty machines of a license for its last sign of life', async () => {
      const productId = await creator.product();
      const licenseKey = await creator.license(productId, { maxMachines: -1 });
      const now = app.clock.now();
      const machines = Array.from({ length: 60 }, (_, number) => ({
        ...newActivation({ licenseKey }, String(number).padStart(2, '0'), 'host', `${licenseKey} ${number}`, now),
        lastSeen: app.clock.at(number),
      }));
      await storage.transaction((tx) => insertMachines(unrecorded(tx), machines));
      const { hits } = await ask(licenseKey);
      assert.equal(hits[0].lastSeenAt, app.clock.at(49));
    });

    it('shows refused machines before bound ones of their name, also where not all fit', async () => {
      const [productId, tag] = [await creator.product(), word()];
      const licenseKey = await creator.license(productId, { maxMachines: 2 });
      const machines = ['a', 'b', 'z'].map((name) => new Machine(app, licenseKey, `${tag}-${name}`, productId));
      const [first, second, last] = machines;
      await first?.activated();
      await second?.activated();
      assert.equal((await last?.activate())?.status, 403);
      await historyWithRefusals(app, licenseKey, 1);
      const found = async (limit: number) =>
        (await ask(`host of ${tag}`, { limit })).hits.map(({ id, status }: Hit) => [id, status]);
      const all = [
        [`${tag}-z`, 'refused'],
        [`${tag}-a`, null],
        [`${tag}-b`, null],
      ];
      assert.deepEqual(await found(20), all);
      assert.deepEqual(await found(1), all.slice(0, 1));
    });

    it('looks for twenty of 500 pasted keys, and says which', async () => {
      const key = await creator.license(await creator.product());
      const others = Array.from({ length: 499 }, () => mintGroups(5, 5));
      const pasted = [others[0], key, ...others.slice(1)];
      const found = await ask(pasted.join('\n'));
      assert.deepEqual(found.searchedFor, pasted.slice(0, 20));
      assert.deepEqual(keysOf(found.hits), [key]);
    });

    it('looks for five pasted keys in the products of a creator who has a thousand, and for twenty of 250', async () => {
      const owner = await Creator.of(app);
      const pasted = Array.from({ length: 20 }, () => mintGroups(5, 5));
      const addProducts = (from: number, to: number) => {
        const [name, at] = [word(), app.clock.at()];
        const rows = Array.from(
          { length: to - from },
          (_, each) => `('${name}-${from + each}', '${name}', '${owner.creatorId}', 'live', '${at}', '${at}')`,
        );
        return execute(app.database, `insert into product values ${rows.join(', ')}`);
      };
      const searchedFor = async () => (await ask(pasted.join('\n'), {}, owner)).searchedFor;
      assert.deepEqual(await searchedFor(), pasted);
      await addProducts(0, 250);
      assert.deepEqual(await searchedFor(), pasted);
      await addProducts(250, 1001);
      assert.deepEqual(await searchedFor(), pasted.slice(0, 5));
      assert.deepEqual((await ask(pasted.join('\n'))).searchedFor, pasted);
    });

    it('finds a key among marks of writing direction, and blanks of no width within it', async () => {
      const key = await creator.license(await creator.product());
      const marked = `\u202e\u2067${[...key].join('\u200f\u200b')}\u2069\n${'\u202e'.repeat(9000)}`;
      const found = await ask(marked);
      assert.deepEqual(found.searchedFor, [key]);
      assert.equal(found.hits[0].licenseKey, key);
      const nothing = await ask(`\n${'\u202e'.repeat(9000)}.`);
      assert.deepEqual([nothing.searchedFor, nothing.hits], [[], []]);
    });

    it('takes a text of 320 characters for a name, and looks for names in a longer one', async () => {
      const key = await app.license();
      const ofLength = (length: number) => key.replace('-', '-'.repeat(length - key.length + 1));
      assert.deepEqual(keysOf(await search(ofLength(320))), [key]);
      assert.deepEqual(await search(ofLength(321)), []);
    });

    it('takes a text of 20,000 characters, and refuses a longer one, and more than 64 KiB', async () => {
      const longest = 'ab-1@'.repeat(4000);
      assert.deepEqual((await ask(longest)).hits, []);
      const longer = await app.admin('/searchEverything', { query: `${longest}a` });
      const error = 'query must be a string of at most 20000 characters';
      assert.deepEqual([longer.status, longer.body.error], [400, error]);
      assert.equal((await app.admin('/searchEverything', { query: 'a'.repeat(65_536) })).status, 413);
    });

    it('finds a license by the end of its key, as lists show it', async () => {
      const key = await creator.license(await creator.product());
      const end = key.slice(-5);
      for (const query of [end, `…${end}`, `${key.slice(0, 5)} … ${end}`.toLowerCase()]) {
        const own = (hits: readonly Hit[]) => hits.filter(({ licenseKey }) => licenseKey === key);
        for (const find of [search, asCreator])
          assert.deepEqual(
            own(await find(query)).map(({ matchedBy }) => matchedBy),
            ['keyEnd'],
          );
        assert.deepEqual(own(await asStranger(query)), []);
      }
    });

    it('finds a license by the last two groups of its key', async () => {
      const key = await creator.license(await creator.product());
      const [, , , fourth, last] = key.split('-');
      for (const query of [`${fourth}-${last}`, `${fourth} ${last}`.toLowerCase(), `…-${fourth}-${last}`]) {
        const own = (hits: readonly Hit[]) => hits.filter(({ licenseKey }) => licenseKey === key);
        for (const find of [search, asCreator])
          assert.deepEqual(
            own(await find(query)).map(({ matchedBy }) => matchedBy),
            ['keyEnd'],
            query,
          );
        assert.deepEqual(own(await asStranger(query)), []);
      }
      const other = `${fourth![0] === 'A' ? 'B' : 'A'}${fourth!.slice(1)}-${last}`;
      assert.deepEqual(await search(other), []);
    });

    it('finds licenses by the domain of the address, for the operator also by its beginning', async () => {
      const domain = `${word().toLowerCase()}.example`;
      const key = await creator.license(await creator.product(), { email: `Ada@${domain.toUpperCase()}` });
      const foreign = await stranger.license(await stranger.product(), { email: `bob@${domain}` });
      const seen = (hits: readonly Hit[]) => hits.map(({ matchedBy, licenseKey }) => [matchedBy, licenseKey]);
      for (const query of [domain, `@${domain}`, domain.toUpperCase()]) {
        assert.deepEqual(seen(await search(query)).sort(), seen(await search(domain)).sort());
        assert.deepEqual(new Set(keysOf(await search(query))), new Set([key, foreign]));
        assert.deepEqual(seen(await asCreator(query)), [['domain', key]]);
        assert.deepEqual(seen(await asStranger(query)), [['domain', foreign]]);
      }
      assert.equal((await search(domain.slice(0, -3))).length, 2);
      assert.deepEqual(await asCreator(domain.slice(0, -3)), []);
      assert.deepEqual(await search(`x${domain}`), []);
    });

    it('finds licenses by the last name in the address, however first names are separated', async () => {
      const name = mintId()
        .replace(/[^a-z]/gi, 'x')
        .toLowerCase();
      const product = await creator.product();
      const keys = new Set<string>();
      for (const local of [`ada.${name}`, `a_${name}`, `Ada-Maria.${name.toUpperCase()}`, name])
        keys.add(await creator.license(product, { email: `${local}@example.com` }));
      await creator.license(product, { email: `${name}.x@example.com` });
      for (const query of [name, `Ada ${name}`, name.toUpperCase()]) {
        const named = (hits: readonly Hit[]) =>
          new Set(keysOf(hits.filter(({ matchedBy }) => matchedBy === 'lastName')));
        assert.deepEqual(named(await asCreator(query)), keys, query);
        assert.deepEqual(await asStranger(query), []);
      }
      assert.ok((await search(name.slice(0, -2))).some(({ matchedBy }) => matchedBy === 'lastName'));
      assert.deepEqual(await asCreator(name.slice(0, -2)), []);
    });

    it('finds purchases by the number of the order without its prefix', async () => {
      const product = await creator.product();
      const seen = (hits: readonly Hit[]) => hits.map(({ kind, matchedBy, id }) => [kind, matchedBy, id]);
      for (const prefix of ['shop:', 'ORD-', 'EU_2026#']) {
        const number = word();
        const purchaseId = `${prefix}${number}`;
        const key = await creator.license(product, { purchaseId });
        for (const query of [number, `#${number}`]) {
          assert.deepEqual(seen(await asCreator(query)), [['purchase', 'orderNumber', purchaseId]]);
          assert.deepEqual(keysOf(await search(query)), [key]);
          assert.deepEqual(await asStranger(query), []);
        }
      }
    });

    it('finds a studio order by its id without the prefix, for the operator also by the first group', async () => {
      const { studioOrderId } = await orderSeats(app, { creatorId: creator.creatorId });
      const bare = studioOrderId.slice('so_'.length);
      for (const find of [search, asCreator])
        assert.deepEqual(
          (await find(bare)).map(({ id }) => id),
          [studioOrderId],
        );
      assert.deepEqual(await asStranger(bare), []);
      assert.ok((await search(bare.slice(0, 8))).some(({ id }) => id === studioOrderId));
    });

    it('finds purchases and studio orders by their beginning, for the operator only', async () => {
      const purchaseId = `order ${word()}`;
      const key = await creator.license(await creator.product(), { purchaseId });
      const seen = (hits: readonly Hit[]) => hits.map(({ matchedBy, id, licenseKey }) => [matchedBy, id, licenseKey]);
      assert.deepEqual(seen(await search(purchaseId.slice(0, -2))), [['purchaseId', purchaseId, key]]);
      assert.deepEqual(await asCreator(purchaseId.slice(0, -2)), []);
      const { studioOrderId } = await orderSeats(app, { creatorId: creator.creatorId });
      const orders = (await search(studioOrderId.slice(0, -1))).map(({ id }) => id);
      assert.ok(orders.includes(studioOrderId));
      assert.deepEqual(await asCreator(studioOrderId.slice(0, -1)), []);
    });

    it('finds purchases by three characters of their beginning, and not by two', async () => {
      const purchaseId = `Ω9ß ${word()}`;
      const key = await creator.license(await creator.product(), { purchaseId });
      assert.deepEqual(keysOf(await search(purchaseId.slice(0, 3))), [key]);
      assert.deepEqual(await search(purchaseId.slice(0, 2)), []);
    });

    it('says whether there are more hits than it shows', async () => {
      const [productId, email] = [await creator.product(), `${word()}@example.com`];
      for (let number = 1; number <= 3; number++) await creator.license(productId, { email });
      const counted = async (limit: number) => {
        const { count, isMore } = await ask(email, { limit });
        return [count, isMore];
      };
      assert.deepEqual(await counted(2), [2, true]);
      assert.deepEqual(await counted(3), [3, false]);
    });

    it('finds products by the beginning of slug or name, each once', async () => {
      const slug = `Slug-${word()}`;
      const name = `Tapehead ${word()}`;
      await creator.product({ slug, name });
      const seen = (hits: readonly Hit[]) =>
        hits.map((hit) => [hit.kind, hit.matchedBy, hit.id, hit.title, hit.status]);
      for (const find of [search, asCreator]) {
        assert.deepEqual(seen(await find(slug.slice(0, 14))), [['product', 'slug', slug, name, 'live']]);
        assert.deepEqual(seen(await find(name.toUpperCase().slice(0, 18))), [['product', 'name', slug, name, 'live']]);
        assert.deepEqual(seen(await find(slug.slice(1))), []);
      }
      assert.deepEqual(await asStranger(slug), []);
      assert.deepEqual(await asStranger(name), []);
      const twin = `Twin-${word()}`;
      await creator.product({ slug: twin, name: twin });
      assert.equal((await search(twin)).length, 1);
    });

    it('finds a discount code in any case', async () => {
      const code = `Spring-${word()}`;
      await mustSucceed(
        creator.send('/createDiscountCode', { code, productId: await creator.product(), trialDays: 7 }),
      );
      const hit = {
        kind: 'code',
        matchedBy: 'code',
        title: code,
        licenseKey: null,
        id: code,
        status: 'active',
        at: app.clock.at(),
      };
      for (const find of [search, asCreator]) assert.deepEqual(await find(code.toUpperCase()), [hit]);
      assert.deepEqual(await asStranger(code), []);
      await mustSucceed(creator.send('/updateDiscountCode', { code, active: false }));
      assert.deepEqual(await search(code), [{ ...hit, status: 'inactive' }]);
    });

    it('finds the changes of a request by its id', async () => {
      const productId = await creator.product();
      const answer = await creator.send('/createLicense', { email: 'ada@example.com', productId });
      const { licenseKey } = answer.body;
      const requestId = String(answer.headers['x-request-id']);
      const hit = {
        kind: 'request',
        matchedBy: 'requestId',
        title: 'license.created',
        licenseKey,
        id: requestId,
        status: null,
        at: app.clock.at(),
      };
      for (const find of [search, asCreator]) assert.deepEqual(await find(requestId), [hit]);
      assert.deepEqual(await asStranger(requestId), []);
    });

    it('finds machines by fingerprint or the beginning of the hostname, for the operator only', async () => {
      const [productId, fingerprint] = [await creator.product(), `Print ${word()}`];
      const licenseKey = await creator.license(productId);
      const machine = await new Machine(app, licenseKey, fingerprint, productId).activated();
      const hit = {
        kind: 'machine',
        title: `host of ${fingerprint}`,
        licenseKey,
        id: fingerprint,
        status: null,
        at: app.clock.at(),
      };
      assert.deepEqual(await search(fingerprint), [{ ...hit, matchedBy: 'fingerprint' }]);
      assert.deepEqual(await search(fingerprint.toUpperCase()), []);
      assert.deepEqual(await search(`HOST OF ${fingerprint.slice(0, 12)}`), [{ ...hit, matchedBy: 'hostname' }]);
      for (const query of [fingerprint, `host of ${fingerprint}`]) assert.deepEqual(await asCreator(query), []);
      await mustSucceed(machine.deactivate());
      assert.deepEqual(await search(fingerprint), []);
    });

    /** On PostgreSQL, lets machines wait for the search indexes, as nodes of earlier versions do. */
    async function letWait(condition: string): Promise<void> {
      if (engine === 'postgres')
        await execute(app.database, `update activation set unindexed_since = first_seen where ${condition}`);
    }

    it('lets new machines wait for the search indexes on SQLite alone', async () => {
      const fingerprint = `Print ${word()}`;
      const productId = await creator.product();
      await new Machine(app, await creator.license(productId), fingerprint, productId).activated();
      const waiting = await rowOf(
        app.database,
        `select unindexed_since from activation where fingerprint = '${fingerprint}' and unindexed_since is not null`,
      );
      assert.equal(waiting !== null, engine === 'sqlite');
      assert.equal((await search(fingerprint)).length, 1);
    });

    it('finds the same machines before the indexes have taken them in and afterwards', async () => {
      const [productId, name] = [await creator.product(), word()];
      const licenseKey = await creator.license(productId, { maxMachines: 3 });
      const tidied = () => {
        app.clock.move(MINUTE_MS);
        return tidy(storage, believingEvery(app.clock.now), { pauseMs: 0 });
      };
      const activated = (fingerprint: string) => new Machine(app, licenseKey, fingerprint, productId).activated();
      const [early, gone] = [await activated(`${name} 1`), await activated(`${name} 2`)];
      await letWait(`license_key = '${licenseKey}'`);
      assert.ok((await tidied()) >= 2, 'both were new');
      assert.equal(await tidied(), 0, 'nothing is new any more');
      const late = await activated(`${name} 0`);
      await letWait(`fingerprint = '${late.fingerprint}'`);
      const hosts = async (query: string) => (await search(query)).map(({ title }) => title);
      const found = async () => [await hosts(`host of ${name}`), await hosts(`${name} 0`), await hosts(`${name} 1`)];
      const all = [0, 1, 2].map((number) => `host of ${name} ${number}`);
      assert.deepEqual(await found(), [all, [all[0]], [all[1]]]);
      assert.equal(await tidied(), 1);
      assert.deepEqual(await found(), [all, [all[0]], [all[1]]], 'each is found once');

      const { fingerprint: machineFingerprint } = late;
      const renamed = { licenseKey, productId, machineFingerprint, hostname: `Renamed ${name}` };
      await mustSucceed(app.send('/activate', renamed));
      await mustSucceed(early.deactivate());
      await mustSucceed(gone.deactivate());
      assert.deepEqual(await hosts(`host of ${name}`), []);
      assert.deepEqual(await hosts(`renamed ${name}`), [`Renamed ${name}`]);
      await mustSucceed(app.admin('/resetActivations', { licenseKey }));
      assert.deepEqual(await hosts(`renamed ${name}`), []);
    });

    it('finds a machine that was only refused, by hostname and fingerprint, for the operator only', async () => {
      const [productId, fingerprint] = [await creator.product(), `Print ${word()}`];
      const licenseKey = await creator.license(productId, { maxMachines: 1 });
      await new Machine(app, licenseKey, 'Other', productId).activated();
      const refused = new Machine(app, licenseKey, fingerprint, productId);
      assert.equal((await refused.activate()).status, 403);
      await historyWithRefusals(app, licenseKey, 1);
      const title = `host of ${fingerprint}`;
      const hit = { kind: 'machine', title, licenseKey, id: fingerprint, status: 'refused', at: app.clock.at() };
      assert.deepEqual(await search(fingerprint), [{ ...hit, matchedBy: 'fingerprint' }]);
      assert.deepEqual(await search(fingerprint.toUpperCase()), []);
      assert.deepEqual(await search(`HOST OF ${fingerprint.slice(0, 12)}`), [{ ...hit, matchedBy: 'hostname' }]);
      for (const query of [fingerprint, title]) assert.deepEqual(await asCreator(query), []);

      // Once it is bound it is a machine like any other, and is found once.
      await mustSucceed(app.admin('/updateLicense', { licenseKey, maxMachines: 2 }));
      await refused.activated();
      for (const [query, matchedBy] of [
        [fingerprint, 'fingerprint'],
        [title, 'hostname'],
      ] as const)
        assert.deepEqual(await search(query), [{ ...hit, matchedBy, status: null }]);
    });

    it('finds a refused machine once for each license, by the last of its names and by those before', async () => {
      const name = word();
      const now = app.clock.now();
      const keys = [await app.license({ maxMachines: 1 }), await app.license()].sort() as [string, string];
      const known = { licenseKey: keys[0], fingerprint: `${name}-1` };
      const rows = [
        predictRefusal(keys[0], now - 3, {
          fingerprint: known.fingerprint,
          hostname: `Old ${name}`,
          code: 'license_expired',
        }),
        predictRefusal(keys[0], now - 2, { fingerprint: known.fingerprint, hostname: `New ${name}` }),
        predictRefusal(keys[0], now - 1, { fingerprint: known.fingerprint, hostname: null, code: 'invalid_token' }),
        predictRefusal(keys[1], now, { fingerprint: known.fingerprint, hostname: `new ${name} B` }),
        predictRefusal(keys[1], now, { fingerprint: `${name}-2`, hostname: null }),
        predictRefusal(keys[1], now, { fingerprint: null, hostname: null, endpoint: '/verify' }),
      ];
      await storage.transaction((tx) => addRefusals(tx, rows));
      const seen = async (query: string) =>
        (await search(query)).map(({ title, licenseKey, id, status }) => [title, licenseKey, id, status]);
      const [first, second] = [
        [`New ${name}`, keys[0], known.fingerprint, 'refused'],
        [`new ${name} B`, keys[1], known.fingerprint, 'refused'],
      ];
      assert.deepEqual(await seen(known.fingerprint), [first, second]);
      assert.deepEqual(await seen(`new ${name}`), [first, second]);
      assert.deepEqual(await seen(`old ${name}`), [[`Old ${name}`, keys[0], known.fingerprint, 'refused']]);
      assert.deepEqual(await seen(`${name}-2`), [[`${name}-2`, keys[1], `${name}-2`, 'refused']]);

      // A machine that is bound under another name is still known by the one under which it was refused.
      const given = { machineFingerprint: known.fingerprint, hostname: `Bound ${name}`, productId: 'app' };
      await mustSucceed(app.send('/activate', { licenseKey: keys[0], ...given }));
      assert.deepEqual(await seen(known.fingerprint), [second, [`Bound ${name}`, keys[0], known.fingerprint, null]]);
      assert.deepEqual(await seen(`old ${name}`), [[`Old ${name}`, keys[0], known.fingerprint, null]]);
      // A thing that is found twice takes one place.
      const { hits } = await ask(known.fingerprint, { limit: 2 });
      assert.deepEqual(keysOf(hits), keys.toReversed());
    });

    it('finds twenty licenses of a refused machine, however often each has refused it', async () => {
      const [fingerprint, hostname] = [`print ${word()}`, `host ${word()}`];
      const began = app.clock.now() - 30 * DAY_MS;
      const rows: KeptRefusal[] = [];
      for (let license = 0; license < 21; license += 1) {
        const key = await app.license();
        for (let index = 0; index < 50; index += 1)
          rows.push(predictRefusal(key, began + index * DAY_MS * 0.1, { fingerprint, hostname }));
      }
      for (let first = 0; first < rows.length; first += 350)
        await storage.transaction((tx) => addRefusals(tx, rows.slice(first, first + 350)));
      for (const query of [fingerprint, hostname.toUpperCase()]) {
        const found = await search(query);
        assert.equal(new Set(keysOf(found)).size, 20, query);
      }
    });

    it('forgets the names of refused machines with their customer', async () => {
      const [hostname, email] = [`host ${word()}`, `${word().toLowerCase()}@example.com`];
      const licenseKey = await app.license({ email });
      await storage.transaction((tx) => addRefusals(tx, [predictRefusal(licenseKey, app.clock.now(), { hostname })]));
      assert.equal((await search(hostname)).length, 1);
      await mustSucceed(app.admin('/forgetCustomer', { email }));
      assert.deepEqual(await search(hostname), []);
    });

    it('reads the thousand newest machines outside the indexes, and all others by index', async () => {
      const name = word();
      const licenseKey = await app.license({ licenseType: 'site' });
      const now = app.clock.now();
      const machine = (number: number) =>
        newActivation({ licenseKey }, `${name}-${number}-`, `host-${name}-${number}-`, mintId(), now + number);
      const newest = Array.from({ length: 1001 }, (_, number) => machine(number));
      await storage.transaction((tx) => insertMachines(unrecorded(tx), newest));
      await letWait(`license_key = '${licenseKey}'`);
      const found = async (number: number) => [
        await search(`${name}-${number}-`),
        await search(`host-${name}-${number}-`),
      ];
      const numbers = async () => (await Promise.all([0, 1, 1000].map(found))).flat().map(({ length }) => length);
      assert.deepEqual(await numbers(), [0, 0, 1, 1, 1, 1]);
      app.clock.move(MINUTE_MS);
      await tidy(storage, believingEvery(app.clock.now), { pauseMs: 0 });
      assert.deepEqual(await numbers(), [1, 1, 1, 1, 1, 1]);
    });

    it('answers 20 hits at most, and as many as are asked for', async () => {
      const purchaseId = `order ${word()}`;
      const productId = await creator.product();
      for (let index = 0; index < 22; index++) await creator.license(productId, { purchaseId });
      assert.equal((await search(purchaseId)).length, 20);
      const { hits } = await ask(purchaseId, { limit: 3 }, creator);
      assert.equal(hits.length, 3);
      for (const limit of [0, 21]) {
        const refused = await app.admin('/searchEverything', { query: purchaseId, limit });
        assertRefused(refused, 400, 'limit must be a whole number from 1 to 20');
      }
    });

    it('takes a text literally, not as a pattern', async () => {
      for (const query of ['%', '_____', '*', "' or 1=1 --", '\\', '["a"]', '%ada%', '-----', '\u{10FFFF}', '.....'])
        assert.deepEqual(await search(query), [], query);
    });

    it('400 for a text that looks like a credential, without repeating it', async () => {
      const { apiKey } = creator;
      const key = await app.license();
      const { token } = await new Machine(app, key).activated();
      const secrets = [apiKey, mintApiKey(), token, `lka_${'a'.repeat(43)}`, `Authorization: ${ADMIN_SECRET}`];
      for (const query of secrets) {
        assertRefused(
          await app.admin('/searchEverything', { query: ` ${query}`.slice(0, 320) }),
          400,
          'This looks like a credential. Search for what it belongs to; /listApiKeys finds an API key by its hash.',
        );
      }
    });

    it('400 without a query, 401 without a credential', async () => {
      for (const query of [undefined, null, ''])
        assertRefused(await app.admin('/searchEverything', { query }), 400, 'Missing query');
      assert.deepEqual(await search('   '), []);
      assert.equal((await app.send('/searchEverything', { query: 'ada' })).status, 401);
    });
  });
