import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../../src/ground/base/clock.ts';
import { mintId } from '../../../../src/ground/base/random.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { pagesOf } from '../../../support/pages.ts';
import { startedApp } from '../../../support/started-app.ts';

type Fields = Readonly<Record<string, unknown>>;

for (const engine of engines)
  describe(`/listLicenses by purchaseId and variant on ${engine}`, () => {
    const app = startedApp(engine);

    /** The keys of a list, read in pages of one license, joined. */
    async function list(filter: Fields, ask = app.admin): Promise<string[]> {
      const pages = await pagesOf(ask, '/listLicenses', { ...filter, limit: 1 }, 'licenses');
      const keys = pages.flat().map(({ key }) => key);
      assert.deepEqual(
        (await mustSucceed(ask('/listLicenses', filter))).licenses.map(({ key }: { key: string }) => key),
        keys,
        'pages hold what one answer holds',
      );
      return keys;
    }

    /** Licenses made at successive moments, newest first. */
    async function issue(
      orders: readonly Fields[],
      make: (order: Fields) => Promise<string> = app.license,
    ): Promise<string[]> {
      const keys: string[] = [];
      for (const order of orders) {
        app.clock.move(1000);
        keys.unshift(await make(order));
      }
      return keys;
    }

    it('by purchaseId: its licenses of all products, as it is written', async () => {
      const purchaseId = `Order ${mintId()}`;
      const keys = await issue([
        { purchaseId, productId: 'one' },
        { purchaseId, productId: 'two' },
        { purchaseId, productId: 'one' },
      ]);
      await issue([{ purchaseId: `${purchaseId}0` }, { purchaseId: purchaseId.toUpperCase() }, {}]);
      assert.deepEqual(await list({ purchaseId }), keys);
      assert.deepEqual(await list({ purchaseId, productId: 'one' }), [keys[0], keys[2]]);
      assert.deepEqual(await list({ purchaseId: mintId() }), []);
    });

    it('by variant: its licenses of all products, as it is written', async () => {
      const variant = `Studio ${mintId()}`;
      const productId = `product-${mintId()}`;
      const keys = await issue([{ variant }, { variant, productId }, { variant, productId }]);
      await issue([{ variant: variant.toLowerCase(), productId }, { productId }]);
      assert.deepEqual(await list({ variant }), keys);
      assert.deepEqual(await list({ variant, productId }), keys.slice(0, 2));
    });

    it('by variant, once a license has another one', async () => {
      const [variant, other] = [mintId(), mintId()];
      const [licenseKey] = await issue([{ variant }]);
      await mustSucceed(app.admin('/updateLicense', { licenseKey, variant: other }));
      assert.deepEqual(await list({ variant }), []);
      assert.deepEqual(await list({ variant: other }), [licenseKey]);
    });

    it('by each together with every other filter: all must fit', async () => {
      const [purchaseId, variant, productId] = [mintId(), mintId(), `product-${mintId()}`];
      const email = `${mintId()}@example.com`;
      const all = { purchaseId, variant, productId, email };
      const [licenseKey] = await issue([all]);
      await issue([
        { ...all, purchaseId: mintId() },
        { ...all, variant: mintId() },
        { ...all, productId: 'another' },
        { ...all, email: 'another@example.com' },
      ]);
      const names = ['purchaseId', 'variant', 'productId', 'email'] as const;
      assert.deepEqual(await list({ ...all, email: email.toUpperCase(), status: 'active' }), [licenseKey]);
      // Every combination of filters finds the license that matches all of them, and the licenses that differ only in
      // other fields.
      for (let choice = 1; choice < 16; choice += 1) {
        const chosen = names.filter((_, index) => choice & (1 << index));
        const found = await list(Object.fromEntries(chosen.map((name) => [name, all[name]])));
        assert.equal(found.length, 1 + names.length - chosen.length, chosen.join(' and '));
        assert.ok(found.includes(licenseKey as string));
      }
    });

    it('by each with a status: that of this moment, marked or not', async () => {
      const [purchaseId, variant] = [mintId(), mintId()];
      const order = { purchaseId, variant };
      const soon = { ...order, expiresAt: app.clock.at(DAY_MS) };
      const [lapses, revoked, stays] = (await issue([order, order, soon])) as [string, string, string];
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: revoked }));
      const filters = [{ purchaseId }, { variant }, { ...order, productId: 'app' }, { variant, productId: 'app' }];
      for (const filter of filters) {
        const ofStatus = (status: string) => list({ ...filter, status });
        assert.deepEqual(await ofStatus('active'), [lapses, stays]);
        assert.deepEqual(await ofStatus('revoked'), [revoked]);
        assert.deepEqual(await ofStatus('expired'), []);
      }
      app.clock.move(DAY_MS);
      for (const filter of filters) {
        const ofStatus = (status: string) => list({ ...filter, status });
        assert.deepEqual(await ofStatus('active'), [stays]);
        assert.deepEqual(await ofStatus('expired'), [lapses]);
      }
    });

    it('to an API key: those of its own products alone', async () => {
      const [one, other] = [await Creator.of(app), await Creator.of(app)];
      const [own, second, foreign] = [await one.product(), await one.product(), await other.product()];
      const order = { purchaseId: mintId(), variant: mintId() };
      const keys = await issue([{ productId: own }, { productId: second }], ({ productId }) =>
        one.license(productId as string, order),
      );
      const [theirs] = await issue([{ productId: foreign }], () => other.license(foreign, order));
      for (const filter of [{ purchaseId: order.purchaseId }, { variant: order.variant }, order]) {
        const ask = one.send;
        assert.deepEqual(await list(filter, ask), keys);
        assert.deepEqual(await list({ ...filter, productId: own }, ask), [keys[1]]);
        assert.deepEqual(await list({ ...filter, productId: foreign }, ask), []);
        assert.deepEqual(await list(filter, other.send), [theirs]);
        assert.deepEqual(await list(filter), [theirs, ...keys]);
      }
    });

    it('400 names a filter that is no text or too long', async () => {
      for (const name of ['purchaseId', 'variant'])
        for (const value of [7, 'x'.repeat(256)]) {
          const { status, body } = await app.admin('/listLicenses', { [name]: value });
          assert.equal(status, 400);
          assert.match(body.error, new RegExp(name));
        }
    });
  });
