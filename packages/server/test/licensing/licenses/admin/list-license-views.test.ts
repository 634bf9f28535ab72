/** The views of /listLicenses and its details. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../../src/ground/base/clock.ts';
import { mintId } from '../../../../src/ground/base/random.ts';
import { assertRefused } from '../../../support/answers.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { Machine } from '../../../support/machine.ts';
import { pagesOf } from '../../../support/pages.ts';
import { startedApp } from '../../../support/started-app.ts';

for (const engine of engines)
  describe(`the views of /listLicenses on ${engine}`, () => {
    const app = startedApp(engine);

    const ownProduct = () => `product-${mintId()}`;
    const keysIn = (pages: readonly { key: string }[][]) => pages.flat().map(({ key }) => key);
    const keysOf = async (fields: Readonly<Record<string, unknown>>, send = app.admin) =>
      keysIn(await pagesOf(send, '/listLicenses', fields, 'licenses'));

    /** Licenses of one product that expire after these numbers of days, in that order. */
    async function expiringIn(productId: string, days: readonly number[]): Promise<string[]> {
      const made: string[] = [];
      for (const each of days) made.push(await app.license({ productId, expiresAt: app.clock.at(each * DAY_MS) }));
      return made;
    }

    /** A license of this level: 1 by one machine too many, 4 by a revocation for fraud. */
    async function threatened(productId: string, level: 1 | 4): Promise<string> {
      const key = await app.license({ productId, maxMachines: 1 });
      if (level === 4) await mustSucceed(app.admin('/revokeLicense', { licenseKey: key, reason: 'fraud' }));
      else
        for (const fingerprint of ['first', 'second']) await new Machine(app, key, fingerprint, productId).activate();
      app.clock.move(1);
      return key;
    }

    it('show five fields more with detail, and not one without', async () => {
      const productId = ownProduct();
      const expiresAt = app.clock.at(DAY_MS);
      const key = await app.license({
        productId,
        licenseType: 'floating',
        maxMachines: 9,
        maxConcurrent: 5,
        expiresAt,
      });
      await new Machine(app, key, 'machine-1', productId).activated();
      const [plain] = (await mustSucceed(app.admin('/listLicenses', { productId }))).licenses;
      const [detailed] = (await mustSucceed(app.admin('/listLicenses', { productId, detail: true }))).licenses;
      const details = { licenseType: 'floating', expiresAt, machinesUsed: 1, maxConcurrent: 5, threatLevel: 0 };
      assert.deepEqual(detailed, { ...plain, ...details });
      assert.equal(Object.keys(plain).length, 7);
      const [without] = (await mustSucceed(app.admin('/listLicenses', { productId, detail: false }))).licenses;
      assert.equal(JSON.stringify(without), JSON.stringify(plain));
    });

    it('expiring lists licenses that expire within the given days, the soonest first', async () => {
      const productId = ownProduct();
      const [, later, soon, last] = await expiringIn(productId, [31, 20, 2, 30]);
      await app.license({ productId });
      await mustSucceed(
        app.admin('/revokeLicense', { licenseKey: (await expiringIn(productId, [3]))[0] as string, reason: 'refund' }),
      );
      assert.deepEqual(await keysOf({ productId, view: 'expiring' }), [soon, later, last]);
      assert.deepEqual(await keysOf({ productId, view: 'expiring', withinDays: 2 }), [soon]);
      assert.deepEqual(await keysOf({ productId, view: 'expiring', withinDays: 1 }), []);
      app.clock.move(2 * DAY_MS);
      assert.deepEqual(await keysOf({ productId, view: 'expiring', withinDays: 18 }), [later]);
    });

    it('expiring lists each license once, also of many that expire at one moment', async () => {
      const productId = ownProduct();
      const made = await expiringIn(productId, [5, 5, 5, 5, 5, 6, 6]);
      const all = await keysOf({ productId, view: 'expiring', limit: 1000 });
      assert.deepEqual(all.toSorted(), made.toSorted());
      for (const limit of [1, 2, 3])
        assert.deepEqual(await keysOf({ productId, view: 'expiring', limit }), all, `by ${limit}`);
    });

    it('expiring neither repeats nor misses what was there when licenses are added between pages', async () => {
      const productId = ownProduct();
      const made = await expiringIn(productId, [2, 4, 6, 8]);
      const pages = await pagesOf(
        app.admin,
        '/listLicenses',
        { productId, view: 'expiring', limit: 1 },
        'licenses',
        () => expiringIn(productId, [1]),
      );
      assert.deepEqual(
        keysIn(pages).filter((key) => made.includes(key)),
        made,
      );
    });

    it('threat lists licenses with a level, the most severe first and within a level the newest', async () => {
      const productId = ownProduct();
      await app.license({ productId });
      const mild = await threatened(productId, 1);
      const grave = await threatened(productId, 4);
      const newer = await threatened(productId, 1);
      assert.deepEqual(await keysOf({ productId, view: 'threat' }), [grave, newer, mild]);
      assert.deepEqual(await keysOf({ productId, view: 'threat', minimum: 2 }), [grave]);
      const { licenses } = await mustSucceed(app.admin('/listLicenses', { productId, view: 'threat', detail: true }));
      assert.deepEqual(
        licenses.map(({ threatLevel }: { threatLevel: number }) => threatLevel),
        [4, 1, 1],
      );
      for (const limit of [1, 2])
        assert.deepEqual(await keysOf({ productId, view: 'threat', limit }), [grave, newer, mild], `by ${limit}`);
      const everywhere = await keysOf({ view: 'threat', minimum: 4, limit: 1000 });
      assert.ok(everywhere.includes(grave) && !everywhere.includes(mild));
    });

    it('list across the products of an API key, in one order, and nothing of others', async () => {
      const [creator, stranger] = [await Creator.of(app), await Creator.of(app)];
      const products = [await creator.product(), await creator.product(), await stranger.product()] as const;
      const [own, other, foreign] = products;
      const expiring: string[] = [];
      for (let day = 1; day <= 6; day++) expiring.push(...(await expiringIn(day % 2 === 0 ? own : other, [day])));
      await expiringIn(foreign, [1, 2]);
      const mild = await threatened(own, 1);
      const grave = await threatened(other, 4);
      await threatened(foreign, 4);
      const mine = creator.send;
      for (const limit of [1, 2, 100]) {
        assert.deepEqual(await keysOf({ view: 'expiring', limit }, mine), expiring);
        assert.deepEqual(await keysOf({ view: 'threat', limit }, mine), [grave, mild]);
      }
      assert.deepEqual(await keysOf({ view: 'expiring', productId: foreign }, mine), []);
      assert.deepEqual(await keysOf({ view: 'threat', productId: foreign }, mine), []);
      assert.ok((await keysOf({ view: 'expiring', limit: 1000 })).length >= 8);
    });

    for (const [fields, error] of [
      [{ view: 'expiring', email: 'ada@example.com' }, 'email cannot be given together with view'],
      [{ view: 'expiring', status: 'active' }, 'status cannot be given together with view'],
      [{ view: 'threat', purchaseId: 'order-1' }, 'purchaseId cannot be given together with view'],
      [{ view: 'threat', variant: 'indie' }, 'variant cannot be given together with view'],
      [{ withinDays: 3 }, 'withinDays goes with view expiring only'],
      [{ view: 'threat', withinDays: 3 }, 'withinDays goes with view expiring only'],
      [{ minimum: 2 }, 'minimum goes with view threat only'],
      [{ view: 'expiring', minimum: 2 }, 'minimum goes with view threat only'],
      [{ view: 'newest' }, 'view must be one of expiring, threat'],
      [{ view: 'threat', minimum: 5 }, 'minimum must be a whole number from 1 to 4'],
      [{ view: 'expiring', withinDays: 0 }, 'withinDays must be a whole number from 1 to 36500'],
      [{ view: 'threat', cursor: 'bogus' }, 'cursor is not the nextCursor of an earlier answer'],
      [{ view: 'expiring', cursor: 'bogus' }, 'cursor is not the nextCursor of an earlier answer'],
    ] as const)
      it(`400 for ${JSON.stringify(fields)}`, async () => {
        assertRefused(await app.admin('/listLicenses', fields), 400, error);
      });
  });
