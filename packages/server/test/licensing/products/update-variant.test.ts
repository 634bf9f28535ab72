import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../support/answers.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';
import { creatorWithKey, product, shownVariants, unique, variant } from './catalogue.ts';

const FULL = { licenseType: 'floating', maxMachines: 5, maxConcurrent: 3, defaultTrialDays: 7, durationDays: 30 };

for (const engine of engines)
  describe(`/updateVariant on ${engine}`, () => {
    const app = startedApp(engine);

    for (const change of [
      { maxMachines: -1 },
      { maxConcurrent: 8 },
      { defaultTrialDays: 21 },
      { durationDays: 90 },
      { price: 12.5 },
      { active: false },
      { maxConcurrent: null },
      { defaultTrialDays: null },
      { durationDays: null },
      { price: null },
    ])
      it(`changes ${JSON.stringify(change)} and leaves the rest`, async () => {
        const productId = await product(app);
        const variantId = await variant(app, { productId, name: 'pro', price: 900, ...FULL });
        const body = await mustSucceed(app.admin('/updateVariant', { variantId, ...change }));
        const expected = { variantId, productId, name: 'pro', price: 900, ...FULL, active: true, ...change };
        assert.deepEqual(body, { success: true, variant: expected });
        assert.deepEqual(await shownVariants(app, productId), [expected]);
      });

    it('changes nothing when nothing is given; null is no limit on machines, and a type is not for changing', async () => {
      const productId = await product(app);
      const variantId = await variant(app, { productId, ...FULL });
      const before = await shownVariants(app, productId);
      for (const given of [{}, { maxMachines: null }, { licenseType: 'site', name: 'other' }]) {
        const body = await mustSucceed(app.admin('/updateVariant', { variantId, ...given }));
        assert.deepEqual([body.variant], before);
      }
      assert.deepEqual(await shownVariants(app, productId), before);
    });

    it('brings an inactive variant back', async () => {
      const variantId = await variant(app, { productId: await product(app) });
      await app.admin('/updateVariant', { variantId, active: false });
      const answer = await app.admin('/updateVariant', { variantId, active: true });
      assert.equal(answer.body.variant.active, true);
    });

    it('leaves issued licenses as they are', async () => {
      const productId = await product(app);
      const variantId = await variant(app, { productId, name: 'pro', maxMachines: 5 });
      const licenseKey = await app.license({ productId, variant: 'pro' });
      await app.admin('/updateVariant', { variantId, maxMachines: 1 });
      assert.equal((await app.admin('/getLicense', { licenseKey })).body.license.maxMachines, 5);
    });

    it('loses nothing of changes to different fields made at once', async () => {
      const productId = await product(app);
      const variantId = await variant(app, { productId });
      const changes = [
        { maxMachines: 7 },
        { maxConcurrent: 6 },
        { defaultTrialDays: 5 },
        { durationDays: 4 },
        { price: 3 },
        { active: false },
      ];
      await fillPool(app);
      const answers = await Promise.all(
        [...changes, ...changes, ...changes].map((change) => app.admin('/updateVariant', { variantId, ...change })),
      );
      assert.ok(answers.every(({ status }) => status === 200));
      const [shown] = await shownVariants(app, productId);
      for (const change of changes) assert.deepEqual({ ...shown, ...change }, shown);
    });

    it('409 while the product is archived', async () => {
      const productId = await product(app);
      const variantId = await variant(app, { productId, price: 1 });
      await app.admin('/updateProduct', { productId, status: 'archived' });
      assertRefused(await app.admin('/updateVariant', { variantId, price: 2 }), 409, 'Product is archived');
      assert.equal((await shownVariants(app, productId))[0].price, 1);
      await app.admin('/updateProduct', { productId, active: true });
      assert.equal((await app.admin('/updateVariant', { variantId, price: 2 })).status, 200);
    });

    it('an API key changes variants of its own products', async () => {
      const { creatorId, apiKey } = await creatorWithKey(app);
      const variantId = await variant(app, { productId: await product(app, { creatorId }) });
      assert.equal((await app.send('/updateVariant', { apiKey, variantId, price: 2 })).status, 200);
    });

    it('404 answers an API key the same for a foreign variant, an archived one and an absent one', async () => {
      const { apiKey } = await creatorWithKey(app);
      const productId = await product(app);
      const foreign = await variant(app, { productId, price: 1 });
      const archivedId = await product(app);
      const archived = await variant(app, { productId: archivedId });
      await app.admin('/updateProduct', { productId: archivedId, status: 'archived' });
      for (const variantId of [foreign, archived, unique('absent')])
        assertRefused(await app.send('/updateVariant', { apiKey, variantId, price: 2 }), 404, 'Variant not found');
      assert.equal((await shownVariants(app, productId))[0].price, 1);
    });

    it('404 for adminSecret when there is no such variant', async () => {
      assertRefused(await app.admin('/updateVariant', { variantId: unique('absent') }), 404, 'Variant not found');
    });

    it('reaches a variant whose id is as long as ids get', async () => {
      const productId = await product(app, { slug: unique('long').padEnd(255, 'x') });
      const variantId = await variant(app, { productId, name: '𝄞'.repeat(255) });
      assert.equal((await app.admin('/updateVariant', { variantId, price: 2 })).status, 200);
    });

    it('400 when variantId is absent', async () => {
      assertRefused(await app.admin('/updateVariant', { price: 1 }), 400, 'Missing variantId');
    });

    for (const [field, value] of [
      ['maxMachines', 0],
      ['maxConcurrent', 0],
      ['defaultTrialDays', 0],
      ['durationDays', 0.5],
      ['price', -1],
      ['active', 'yes'],
    ] as const)
      it(`400 names ${field} when it is ${JSON.stringify(value)}`, async () => {
        const answer = await app.admin('/updateVariant', { variantId: 'any', [field]: value });
        assert.equal(answer.status, 400);
        assert.ok(answer.body.error.startsWith(`${field} must be `), answer.body.error);
      });

    it('401 without a credential', async () => {
      assert.equal((await app.send('/updateVariant', { variantId: 'any' })).status, 401);
    });
  });
