import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DAY_MS } from '../../../../src/ground/base/clock.ts';
import { mintId } from '../../../../src/ground/base/random.ts';
import { assertRefused } from '../../../support/answers.ts';
import { ADMIN_SECRET } from '../../../support/app.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { pagesOf } from '../../../support/pages.ts';
import { startedApp } from '../../../support/started-app.ts';

type Filter = Readonly<Record<string, unknown>>;

for (const engine of engines)
  describe(`/listLicenses on ${engine}`, () => {
    const app = startedApp(engine);

    /** A product outside the catalogue, for the licenses of one test. */
    const ownProduct = () => `product-${mintId()}`;

    async function keysOf(filter: Filter, list = app.admin): Promise<string[]> {
      const { licenses, count } = await mustSucceed(list('/listLicenses', filter));
      assert.equal(count, licenses.length);
      return licenses.map((license: { key: string }) => license.key);
    }

    /** The keys of all pages. */
    async function keyPages(filter: Filter, list = app.admin): Promise<string[][]> {
      const pages = await pagesOf(list, '/listLicenses', filter, 'licenses');
      return pages.map((page) => page.map(({ key }) => key));
    }

    it('answers seven fields of each license', async () => {
      const productId = ownProduct();
      const key = await app.license({ productId, variant: 'studio', maxMachines: 5 });
      assert.deepEqual(await mustSucceed(app.admin('/listLicenses', { productId })), {
        success: true,
        licenses: [
          {
            key,
            email: 'ada@example.com',
            productId,
            variant: 'studio',
            status: 'active',
            maxMachines: 5,
            createdAt: app.clock.at(),
          },
        ],
        count: 1,
      });
    });

    it('lists the newest first', async () => {
      const productId = ownProduct();
      const made: string[] = [];
      for (let index = 0; index < 4; index++) {
        made.unshift(await app.license({ productId }));
        app.clock.move(1);
      }
      assert.deepEqual(await keysOf({ productId }), made);
    });

    it('lists the licenses of all products and customers without a filter', async () => {
      app.clock.move(1);
      const made = [await app.license({ productId: ownProduct() }), await app.license({ email: 'grace@example.com' })];
      assert.deepEqual((await keysOf({ limit: 2 })).sort(), made.sort());
    });

    it('filters by e-mail without case', async () => {
      const email = `${mintId()}@Example.com`;
      const made = [await app.license({ email }), await app.license({ email: email.toLowerCase() })];
      await app.license({ email: `x${email}` });
      assert.deepEqual((await keysOf({ email: email.toUpperCase() })).sort(), made.sort());
    });

    it('filters by product and e-mail together', async () => {
      const [productId, email] = [ownProduct(), `${mintId()}@example.com`];
      const key = await app.license({ productId, email });
      await app.license({ productId });
      await app.license({ email });
      assert.deepEqual(await keysOf({ productId, email }), [key]);
    });

    it('lists by product the licenses for it, not the bundles that unlock it', async () => {
      const productId = ownProduct();
      await app.license({ unlockedProducts: [productId] });
      assert.deepEqual(await keysOf({ productId }), []);
    });

    it('filters by the status that the clock gives', async () => {
      const productId = ownProduct();
      const perpetual = await app.license({ productId });
      const bornExpired = await app.license({ productId, expiresAt: app.clock.at(-DAY_MS) });
      const lapsing = await app.license({ productId, expiresAt: app.clock.at(DAY_MS) });
      const revoked = await app.license({ productId, expiresAt: app.clock.at(DAY_MS) });
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: revoked }));
      const byStatus = async () => ({
        active: (await keysOf({ productId, status: 'active' })).sort(),
        expired: (await keysOf({ productId, status: 'expired' })).sort(),
        revoked: await keysOf({ productId, status: 'revoked' }),
      });
      app.clock.move(DAY_MS - 1);
      assert.deepEqual(await byStatus(), {
        active: [perpetual, lapsing].sort(),
        expired: [bornExpired],
        revoked: [revoked],
      });
      app.clock.move(1);
      assert.deepEqual(await byStatus(), {
        active: [perpetual],
        expired: [bornExpired, lapsing].sort(),
        revoked: [revoked],
      });
      await mustSucceed(app.admin('/updateLicense', { licenseKey: bornExpired, expiresAt: app.clock.at(DAY_MS) }));
      await mustSucceed(app.admin('/reinstateLicense', { licenseKey: revoked }));
      assert.deepEqual(await byStatus(), {
        active: [perpetual, bornExpired].sort(),
        expired: [lapsing, revoked].sort(),
        revoked: [],
      });
    });

    it('shows the same status that it filters by', async () => {
      const productId = ownProduct();
      await app.license({ productId, expiresAt: app.clock.at(1) });
      app.clock.move(1);
      const { licenses } = await mustSucceed(app.admin('/listLicenses', { productId, status: 'expired' }));
      assert.deepEqual(
        licenses.map((license: { status: string }) => license.status),
        ['expired'],
      );
    });

    for (const [name, filter] of [
      ['e-mail', (_: string, email: string) => ({ email })],
      ['product and e-mail', (productId: string, email: string) => ({ productId, email })],
    ] as const)
      it(`filters by status together with ${name}`, async () => {
        const [productId, email] = [ownProduct(), `${mintId()}@example.com`];
        const active = await app.license({ productId, email });
        const expired = await app.license({ productId, email, expiresAt: app.clock.at() });
        const lapsed = await app.license({ productId, email, expiresAt: app.clock.at(1) });
        await app.license({ productId: ownProduct(), expiresAt: app.clock.at() });
        app.clock.move(1);
        assert.deepEqual(await keysOf({ ...filter(productId, email), status: 'active' }), [active]);
        assert.deepEqual(
          (await keysOf({ ...filter(productId, email), status: 'expired' })).sort(),
          [expired, lapsed].sort(),
        );
        assert.deepEqual(await keysOf({ ...filter(productId, email), status: 'revoked' }), []);
      });

    it('pages by cursor, each license once, also among those made in the same millisecond', async () => {
      const productId = ownProduct();
      await Promise.all(Array.from({ length: 7 }, () => app.license({ productId })));
      const all = await keysOf({ productId });
      assert.equal(new Set(all).size, 7);
      for (const limit of [1, 2, 3, 7]) {
        const pages = await keyPages({ productId, limit });
        assert.equal(pages.length, Math.ceil(7 / limit));
        assert.deepEqual(pages.flat(), all);
      }
    });

    it('pages in one order through licenses that expired before and after they were last written', async () => {
      const productId = ownProduct();
      const made: string[] = [];
      for (let index = 0; index < 6; index++) {
        made.unshift(await app.license({ productId, expiresAt: app.clock.at(index % 2 === 0 ? 0 : DAY_MS) }));
        app.clock.move(1);
      }
      app.clock.move(DAY_MS);
      assert.deepEqual((await keyPages({ productId, status: 'expired', limit: 2 })).flat(), made);
    });

    it('neither repeats nor misses existing licenses when others are added between two pages', async () => {
      const productId = ownProduct();
      const made: string[] = [];
      for (let index = 0; index < 4; index++) {
        made.unshift(await app.license({ productId }));
        app.clock.move(1);
      }
      const first = await mustSucceed(app.admin('/listLicenses', { productId, limit: 2 }));
      await app.license({ productId });
      const rest = await keysOf({ productId, limit: 2, cursor: first.nextCursor });
      assert.deepEqual([...first.licenses.map((license: { key: string }) => license.key), ...rest], made);
    });

    it('answers 100 entries by default', async () => {
      const productId = ownProduct();
      await Promise.all(Array.from({ length: 101 }, () => app.license({ productId })));
      assert.deepEqual(
        (await keyPages({ productId })).map((page) => page.length),
        [100, 1],
      );
      assert.equal((await keysOf({ productId, limit: 1000 })).length, 101);
    });

    for (const limit of [0, -1, 1001, 2.5, '10'])
      it(`400 for a limit of ${JSON.stringify(limit)}`, async () => {
        assertRefused(await app.admin('/listLicenses', { limit }), 400, 'limit must be a whole number from 1 to 1000');
      });

    it('400 for a status that there is none of', async () => {
      const { status, body } = await app.admin('/listLicenses', { status: 'suspended' });
      assert.deepEqual([status, body.error], [400, 'status must be one of active, revoked, expired']);
    });

    for (const cursor of ['bogus', 'MjAyNg', Buffer.from('2026-01-01T00:00:00.000Z a\0b').toString('base64url')])
      it(`400 for the cursor ${cursor}`, async () => {
        const { status, body } = await app.admin('/listLicenses', { cursor });
        assert.deepEqual([status, body.error], [400, 'cursor is not the nextCursor of an earlier answer']);
      });

    it('takes its fields from the query of a GET', async () => {
      const productId = ownProduct();
      await app.license({ productId });
      const revoked = await app.license({ productId });
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: revoked }));
      const path = `/listLicenses?productId=${productId}&status=revoked&limit=1&adminSecret=${ADMIN_SECRET}`;
      const { status, body } = await app.send(path, undefined, { method: 'GET' });
      assert.deepEqual([status, body.count, body.licenses[0].key], [200, 1, revoked]);
    });

    for (const limit of ['0', '1001', '1e2', 'ten'])
      it(`400 for ?limit=${limit}`, async () => {
        const path = `/listLicenses?limit=${limit}&adminSecret=${ADMIN_SECRET}`;
        const { status, body } = await app.send(path, undefined, { method: 'GET' });
        assert.deepEqual([status, body.error], [400, 'limit must be a whole number from 1 to 1000']);
      });

    it('401 without a credential, before any other fault', async () => {
      assertRefused(await app.send('/listLicenses', { limit: 0 }), 401, 'Unauthorized');
    });

    describe('with an API key', () => {
      let creator: Creator;
      let stranger: Creator;
      before(async () => {
        [creator, stranger] = [await Creator.of(app), await Creator.of(app)];
      });

      it('lists the licenses of the own products only, newest first across them', async () => {
        const [one, other, foreign] = [await creator.product(), await creator.product(), await stranger.product()];
        const made: string[] = [];
        for (const productId of [one, other, one, other]) {
          made.unshift(await creator.license(productId));
          await stranger.license(foreign);
          app.clock.move(1);
        }
        assert.deepEqual(await keysOf({}, creator.send), made);
        assert.deepEqual(await keyPages({ limit: 3 }, creator.send), [made.slice(0, 3), made.slice(3)]);
      });

      it('lists nothing of a foreign product, and nothing of one that there is not', async () => {
        const foreign = await stranger.product();
        await stranger.license(foreign);
        for (const productId of [foreign, 'unheard-of'])
          for (const filter of [{}, { email: 'ada@example.com' }, { status: 'active' }])
            assert.deepEqual(await keysOf({ productId, ...filter }, creator.send), []);
      });

      it("lists a customer's licenses for the creator's own products by e-mail", async () => {
        const email = `${mintId()}@example.com`;
        const key = await creator.license(await creator.product(), { email });
        await stranger.license(await stranger.product(), { email });
        assert.deepEqual(await keysOf({ email }, creator.send), [key]);
        assert.deepEqual(await keysOf({ email, status: 'expired' }, creator.send), []);
      });

      it('lists nothing for a creator without products', async () => {
        const newcomer = await Creator.of(app);
        assert.deepEqual(await keysOf({}, newcomer.send), []);
      });
    });

    it('wants a productId from an API key whose creator owns more than 30 products', async () => {
      const creator = await Creator.of(app);
      const list = creator.send;
      const products: string[] = [];
      for (let index = 0; index < 30; index++) products.push(await creator.product());
      const [productId = ''] = products;
      const key = await creator.license(productId);
      assert.deepEqual(await keysOf({}, list), [key]);
      await creator.product({ status: 'archived' });
      for (const filter of [{}, { email: 'ada@example.com' }, { status: 'active' }]) {
        const answer = await creator.send('/listLicenses', filter);
        assertRefused(answer, 400, 'You own more than 30 products: provide a productId');
      }
      assert.deepEqual(await keysOf({ productId }, list), [key]);
      assert.deepEqual(await keysOf({ productId }), [key]);
    });
  });
