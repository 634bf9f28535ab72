import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';
import { creatorWithKey, product, shownVariants, tally, unique, variant } from './catalogue.ts';

for (const engine of engines)
  describe(`/createVariant on ${engine}`, () => {
    const app = startedApp(engine);

    it('makes an active, perpetual per-machine variant for two machines without a price by default', async () => {
      const productId = await product(app);
      const answer = await app.admin('/createVariant', { productId, name: 'indie' });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, { success: true, variantId: `${productId}-indie` });
      assert.deepEqual(await shownVariants(app, productId), [
        {
          variantId: `${productId}-indie`,
          productId,
          name: 'indie',
          licenseType: 'per-machine',
          maxMachines: 2,
          maxConcurrent: null,
          defaultTrialDays: null,
          durationDays: null,
          price: null,
          active: true,
        },
      ]);
    });

    it('keeps everything that is given', async () => {
      const productId = await product(app);
      const given = {
        name: 'Studio Édition (5)',
        licenseType: 'floating',
        maxMachines: -1,
        maxConcurrent: 5,
        defaultTrialDays: 14,
        durationDays: 365,
        price: 4900,
      };
      const variantId = await variant(app, { productId, ...given });
      assert.deepEqual(await shownVariants(app, productId), [{ variantId, productId, ...given, active: true }]);
    });

    for (const price of [0, 19.99, 0.1 + 0.2, 1e-7, 123456789.01, 999999999999999])
      it(`keeps the price ${price} exactly`, async () => {
        const productId = await product(app);
        await variant(app, { productId, price });
        assert.equal((await shownVariants(app, productId))[0].price, price);
      });

    it('replaces a variant of the same name as a whole: missing fields get their default', async () => {
      const productId = await product(app);
      const first = { licenseType: 'site', maxMachines: -1, maxConcurrent: 3, defaultTrialDays: 7, durationDays: 30 };
      const variantId = await variant(app, { productId, name: 'pro', price: 900, ...first });
      await app.admin('/updateVariant', { variantId, active: false });
      assert.equal(await variant(app, { productId, name: 'pro', maxMachines: 4 }), variantId);
      assert.deepEqual(await shownVariants(app, productId), [
        {
          variantId,
          productId,
          name: 'pro',
          licenseType: 'per-machine',
          maxMachines: 4,
          maxConcurrent: null,
          defaultTrialDays: null,
          durationDays: null,
          price: null,
          active: true,
        },
      ]);
    });

    it('leaves a variant of another product as it is that has the same variantId', async () => {
      const short = await product(app);
      const long = await product(app, { slug: `${short}-pro` });
      const first = await variant(app, { productId: short, name: 'pro-max', price: 1 });
      const second = await variant(app, { productId: long, name: 'max', price: 2 });
      assert.equal(first, second);
      assert.partialDeepStrictEqual(await shownVariants(app, short), [{ name: 'pro-max', price: 1 }]);
      assert.partialDeepStrictEqual(await shownVariants(app, long), [{ name: 'max', price: 2 }]);
      await variant(app, { productId: short, name: 'pro-max', price: 3 });
      assert.equal((await shownVariants(app, short))[0].price, 3);
      assert.equal((await shownVariants(app, long))[0].price, 2);
    });

    it('gives each of two products its variant when both ask for one variantId 10 times at once', async () => {
      const short = await product(app);
      const long = await product(app, { slug: `${short}-pro` });
      const orders = Array.from({ length: 20 }, (_, index) =>
        index % 2 ? { productId: short, name: 'pro-max' } : { productId: long, name: 'max' },
      );
      await fillPool(app);
      const answers = await Promise.all(orders.map((order) => app.admin('/createVariant', order)));
      assert.deepEqual(tally(answers), { 200: 20 });
      for (const productId of [short, long]) assert.equal((await shownVariants(app, productId)).length, 1);
    });

    it('makes one whole variant of 20 that are given the same name at once', async () => {
      const productId = await product(app);
      await fillPool(app);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          app.admin('/createVariant', { productId, name: 'pro', price: index + 1, durationDays: index + 1 }),
        ),
      );
      assert.deepEqual(tally(answers), { 200: 20 });
      const [only, ...others] = await shownVariants(app, productId);
      assert.deepEqual(others, []);
      assert.equal(only.price, only.durationDays);
    });

    it('new licenses inherit from the replaced variant; earlier ones keep their values', async () => {
      const productId = await product(app);
      const order = { productId, variant: 'team' };
      await variant(app, { productId, name: 'team', licenseType: 'floating', maxMachines: 9, maxConcurrent: 3 });
      const before = await app.license(order);
      await variant(app, { productId, name: 'team' });
      const after = await app.license(order);
      const limitsOf = async (licenseKey: string) => {
        const { license } = (await app.admin('/getLicense', { licenseKey })).body;
        return [license.licenseType, license.maxMachines, license.maxConcurrent];
      };
      assert.deepEqual(await limitsOf(before), ['floating', 9, 3]);
      assert.deepEqual(await limitsOf(after), ['per-machine', 2, null]);
    });

    it('409 for an archived product, until its status changes', async () => {
      const productId = await product(app, { status: 'archived' });
      assertRefused(await app.admin('/createVariant', { productId, name: 'indie' }), 409, 'Product is archived');
      assert.deepEqual(await shownVariants(app, productId), []);
      await app.admin('/updateProduct', { productId, status: 'unlisted' });
      assert.equal((await app.admin('/createVariant', { productId, name: 'indie' })).status, 200);
    });

    it('an API key adds variants to its own products', async () => {
      const { creatorId, apiKey } = await creatorWithKey(app);
      const productId = await product(app, { creatorId });
      assert.equal((await app.send('/createVariant', { apiKey, productId, name: 'indie' })).status, 200);
    });

    it('404 answers an API key the same for a foreign product, an archived one and an absent one', async () => {
      const { apiKey } = await creatorWithKey(app);
      const foreign = await product(app);
      const archived = await product(app, { status: 'archived' });
      for (const productId of [foreign, archived, unique('absent')])
        assertRefused(await app.send('/createVariant', { apiKey, productId, name: 'indie' }), 404, 'Product not found');
      assert.deepEqual(await shownVariants(app, foreign), []);
    });

    it('404 for adminSecret when the catalogue does not know the product', async () => {
      const answer = await app.admin('/createVariant', { productId: unique('absent'), name: 'indie' });
      assert.deepEqual([answer.status, answer.body.error], [404, 'Product not found']);
    });

    for (const field of ['productId', 'name'])
      it(`400 when ${field} is absent`, async () => {
        const answer = await app.admin('/createVariant', { productId: 'any', name: 'indie', [field]: undefined });
        assert.deepEqual([answer.status, answer.body.error], [400, 'Missing productId or name']);
      });

    for (const [field, value] of [
      ['licenseType', 'per-seat'],
      ['maxMachines', 0],
      ['maxMachines', -2],
      ['maxMachines', 1.5],
      ['maxConcurrent', 0],
      ['defaultTrialDays', 0],
      ['durationDays', -1],
      ['durationDays', '30'],
      ['price', -0.01],
      ['price', '9.99'],
    ] as const)
      it(`400 names ${field} when it is ${JSON.stringify(value)}`, async () => {
        const answer = await app.admin('/createVariant', { productId: 'any', name: 'indie', [field]: value });
        assert.equal(answer.status, 400);
        assert.ok(answer.body.error.startsWith(`${field} must be `), answer.body.error);
      });

    it('401 without a credential', async () => {
      assert.equal((await app.send('/createVariant', { productId: 'any', name: 'indie' })).status, 401);
    });
  });
