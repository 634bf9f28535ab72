/** The orders of /listLicenses, its ranges of time, and its list by the beginning of an address. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../../src/ground/base/clock.ts';
import { mintId } from '../../../../src/ground/base/random.ts';
import { Customer, makeProductWithVariant } from '../../../commerce/storefront/storefront.ts';
import { assertRefused } from '../../../support/answers.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { Machine } from '../../../support/machine.ts';
import { pagesOf } from '../../../support/pages.ts';
import { startedApp } from '../../../support/started-app.ts';

for (const engine of engines)
  describe(`sorted lists of licenses on ${engine}`, () => {
    const app = startedApp(engine);

    const ownProduct = () => `product-${mintId()}`;
    const keysOf = async (fields: Readonly<Record<string, unknown>>, send = app.admin) =>
      (await pagesOf(send, '/listLicenses', fields, 'licenses')).flat().map(({ key }) => key as string);

    /** Licenses of a product, a day apart, the oldest first, with the time of each. */
    async function daily(productId: string, count: number) {
      const made: { readonly key: string; readonly at: string }[] = [];
      for (let day = 0; day < count; day += 1) {
        const key = await app.license({
          productId,
          email: `buyer${day}@example.com`,
          variant: day % 2 ? 'odd' : 'even',
        });
        made.push({ key, at: app.clock.at(0) });
        app.clock.move(DAY_MS);
      }
      return made;
    }

    it('list the oldest first, in pages of any size, with every filter of the list', async () => {
      const productId = ownProduct();
      const made = (await daily(productId, 7)).map(({ key }) => key);
      for (const limit of [1, 3, 1000])
        assert.deepEqual(await keysOf({ productId, sort: 'oldest', limit }), made, `by ${limit}`);
      assert.deepEqual(await keysOf({ productId, sort: 'newest', limit: 2 }), made.toReversed());
      const odd = made.filter((_, day) => day % 2 === 1);
      assert.deepEqual(await keysOf({ productId, sort: 'oldest', variant: 'odd', limit: 2 }), odd);
      assert.deepEqual(await keysOf({ productId, sort: 'oldest', email: 'BUYER3@example.com' }), [made[3]]);
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: made[2] as string }));
      assert.deepEqual(await keysOf({ productId, sort: 'oldest', status: 'revoked' }), [made[2]]);
      assert.deepEqual(await keysOf({ productId, sort: 'oldest', status: 'active', limit: 2 }), made.toSpliced(2, 1));
    });

    it('list the oldest first of those that have expired, marked and not marked yet', async () => {
      const productId = ownProduct();
      const made: string[] = [];
      for (const days of [1, 2, 3, 9]) {
        made.push(await app.license({ productId, expiresAt: app.clock.at(days * DAY_MS) }));
        app.clock.move(1);
      }
      app.clock.move(4 * DAY_MS);
      for (const limit of [1, 1000])
        assert.deepEqual(await keysOf({ productId, sort: 'oldest', status: 'expired', limit }), made.slice(0, 3));
    });

    it('list between two times of creation, both included, in both orders and pages of any size', async () => {
      const productId = ownProduct();
      const made = await daily(productId, 7);
      const [from, to] = [made[2]!.at, made[5]!.at];
      const within = made.slice(2, 6).map(({ key }) => key);
      for (const limit of [1, 2, 4, 1000]) {
        const fields = { productId, createdFrom: from, createdTo: to, limit };
        assert.deepEqual(await keysOf(fields), within.toReversed(), `newest by ${limit}`);
        assert.deepEqual(await keysOf({ ...fields, sort: 'oldest' }), within, `oldest by ${limit}`);
      }
      assert.deepEqual(
        await keysOf({ productId, createdFrom: to }),
        made
          .slice(5)
          .map(({ key }) => key)
          .toReversed(),
      );
      assert.deepEqual(
        await keysOf({ productId, createdTo: from, sort: 'oldest' }),
        made.slice(0, 3).map(({ key }) => key),
      );
      assert.deepEqual(await keysOf({ productId, createdFrom: to, createdTo: from }), []);
      assert.deepEqual(
        await keysOf({ productId, createdTo: made[1]!.at.slice(0, 10), sort: 'oldest' }),
        made.slice(0, 2).map(({ key }) => key),
      );
    });

    it('go on at the range when a cursor points beyond it', async () => {
      const productId = ownProduct();
      const made = await daily(productId, 4);
      const { nextCursor: cursor } = await mustSucceed(app.admin('/listLicenses', { productId, limit: 1 }));
      const { licenses } = await mustSucceed(app.admin('/listLicenses', { productId, cursor, createdTo: made[1]!.at }));
      assert.deepEqual(
        licenses.map(({ key }: { key: string }) => key),
        [made[1]!.key, made[0]!.key],
      );
    });

    it('list by expiry, the soonest first, of any status and of each, and nothing that never expires', async () => {
      const productId = ownProduct();
      const issue = (days: number) => app.license({ productId, expiresAt: app.clock.at(days * DAY_MS) });
      const [late, soon, past, lifted] = [await issue(30), await issue(5), await issue(1), await issue(9)];
      await app.license({ productId });
      const graced = await issue(2);
      await mustSucceed(app.admin('/updateLicense', { licenseKey: graced, graceDays: 10 }));
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: lifted }));
      app.clock.move(3 * DAY_MS);
      for (const limit of [1, 2, 1000]) {
        const list = (fields: object) => keysOf({ productId, sort: 'expiry', limit, ...fields });
        assert.deepEqual(await list({}), [past, graced, soon, lifted, late], `by ${limit}`);
        assert.deepEqual(await list({ status: 'active' }), [graced, soon, late]);
        assert.deepEqual(await list({ status: 'expired' }), [past]);
        assert.deepEqual(await list({ status: 'revoked' }), [lifted]);
        assert.deepEqual(await list({ expiresFrom: app.clock.at(2 * DAY_MS), expiresTo: app.clock.at(6 * DAY_MS) }), [
          soon,
          lifted,
        ]);
      }
    });

    it('list addresses by their beginning in any case, in their order and the oldest first within one', async () => {
      const [productId, tag] = [ownProduct(), mintId().toLowerCase()];
      const issue = async (email: string) => {
        app.clock.move(1);
        return app.license({ productId, email: `${tag}${email}` });
      };
      const second = await issue('b@example.com');
      const first = await issue('A@example.com');
      const third = await issue('b@example.com');
      const fourth = await issue('bz@example.com');
      for (const limit of [1, 3, 1000]) {
        assert.deepEqual(await keysOf({ beginning: tag.toUpperCase(), limit }), [first, second, third, fourth]);
        assert.deepEqual(await keysOf({ beginning: `${tag}B`, productId, limit }), [second, third, fourth]);
      }
      assert.deepEqual(await keysOf({ beginning: `${tag}b@` }), [second, third]);
      assert.deepEqual(await keysOf({ beginning: `${tag}c` }), []);
    });

    it('list across the products of an API key, in one order, and nothing of others', async () => {
      const [creator, stranger] = [await Creator.of(app), await Creator.of(app)];
      const products = [await creator.product(), await creator.product()] as const;
      const foreign = await stranger.product();
      const tag = mintId().toLowerCase();
      const made: string[] = [];
      for (let number = 0; number < 6; number += 1) {
        const order = { email: `${tag}${number}@example.com`, expiresAt: app.clock.at((number + 1) * DAY_MS) };
        made.push(await creator.license(products[number % 2]!, order));
        await stranger.license(foreign, order);
        app.clock.move(1);
      }
      for (const fields of [{ sort: 'oldest' }, { sort: 'expiry' }, { beginning: tag }])
        for (const limit of [1, 4, 1000])
          assert.deepEqual(await keysOf({ ...fields, limit }, creator.send), made, JSON.stringify(fields));
      assert.deepEqual(await keysOf({ beginning: tag, productId: foreign }, creator.send), []);
    });

    it('refuse what no index has, and name the field', async () => {
      const refused = async (fields: Readonly<Record<string, unknown>>, message: string) =>
        assertRefused(await app.admin('/listLicenses', fields), 400, message);
      await refused({ sort: 'address' }, 'sort must be one of newest, oldest, expiry');
      await refused({ sort: 'oldest', view: 'threat' }, 'sort cannot be given together with view');
      await refused({ createdFrom: '2027-01-01', view: 'expiring' }, 'createdFrom cannot be given together with view');
      await refused({ beginning: 'ada', view: 'expiring' }, 'beginning cannot be given together with view');
      await refused({ beginning: 'ada', country: 'DE' }, 'beginning cannot be given together with country');
      await refused({ sort: 'expiry', country: 'DE' }, 'sort cannot be given together with country');
      await refused({ beginning: 'ada', status: 'active' }, 'status cannot be given together with beginning');
      await refused({ beginning: 'ada', createdTo: '2027-01-01' }, 'createdTo cannot be given together with beginning');
      await refused({ sort: 'oldest', metadata: { seat: '1' } }, 'sort cannot be given together with metadata');
      await refused({ sort: 'expiry', email: 'ada@example.com' }, 'email cannot be given together with sort expiry');
      await refused({ sort: 'expiry', createdTo: '2027-01-01' }, 'createdTo cannot be given together with sort expiry');
      await refused({ expiresFrom: '2027-01-01' }, 'expiresFrom goes with sort expiry only');
      await refused({ sort: 'oldest', expiresTo: '2027-01-01' }, 'expiresTo goes with sort expiry only');
      await refused(
        { createdFrom: 'yesterday' },
        'createdFrom must be an ISO 8601 timestamp, for example 2027-01-31T00:00:00Z',
      );
      for (const fields of [{ beginning: 'ada' }, { sort: 'expiry' }, { sort: 'oldest' }])
        await refused({ ...fields, cursor: 'mine' }, 'cursor is not the nextCursor of an earlier answer');
    });

    it('mark licenses whose length begins with their first activation, until it has begun', async () => {
      const customer = new Customer(app);
      const variant = { durationStarts: 'activation', durationDays: 365, maxMachines: 2 };
      const productId = await makeProductWithVariant(app, variant);
      customer.productId = productId;
      const { key } = await customer.bought();
      const shown = async (fields: object) =>
        (await mustSucceed(app.admin('/listLicenses', { productId, ...fields }))).licenses[0];
      const before = await shown({ detail: true });
      assert.deepEqual([before.waiting, before.expiresAt], [true, null]);
      assert.equal('waiting' in (await shown({})), false);
      await new Machine(app, key, 'machine-1', productId).activated();
      const after = await shown({ detail: true });
      assert.deepEqual(['waiting' in after, after.expiresAt], [false, app.clock.at(365 * DAY_MS)]);
    });
  });
