import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { product } from '../../licensing/products/catalogue.ts';
import { assertRefused } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';
import { makeCode, makeCreator, readCode } from './creator.ts';

for (const engine of engines)
  describe(`/createDiscountCode on ${engine}`, () => {
    const app = startedApp(engine);

    it('keeps every field as it was given, the code as it was written', async () => {
      const { creatorId, productId } = await makeCreator(app);
      const expiresAt = app.clock.at(DAY_MS);
      const code = await makeCode(app, {
        code: 'Sommer-Ä 2027',
        trialDays: 30,
        productId,
        creatorId,
        maxUses: 7,
        expiresAt,
      });
      assert.equal(code, 'Sommer-Ä 2027');
      assert.deepEqual(await readCode(app, code), {
        code,
        productId,
        creatorId,
        trialDays: 30,
        maxUses: 7,
        usedCount: 0,
        active: true,
        createdAt: app.clock.at(),
        expiresAt,
      });
    });

    it('answers nothing but success and the code', async () => {
      const { status, body } = await app.admin('/createDiscountCode', { code: 'PLAIN', trialDays: 1 });
      assert.deepEqual([status, body], [200, { success: true, code: 'PLAIN' }]);
    });

    it('leaves missing fields open: any product, nobody, unlimited, for ever', async () => {
      const { productId, creatorId, maxUses, expiresAt } = await readCode(app, await makeCode(app));
      assert.deepEqual([productId, creatorId, maxUses, expiresAt], [null, null, null, null]);
    });

    it('409 for a code that differs in case only, also of another creator', async () => {
      const { apiKey } = await makeCreator(app);
      await makeCode(app, { code: 'TakenCode', trialDays: 3 });
      const again = await app.send('/createDiscountCode', { apiKey, code: ' tAKENcODE ', trialDays: 9 });
      assert.deepEqual([again.status, again.body], [409, { success: false, error: 'Discount code already exists' }]);
      assert.equal((await readCode(app, 'TakenCode')).trialDays, 3);
    });

    it('makes one code of twenty that ask for the same at once', async () => {
      await fillPool(app);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => app.admin('/createDiscountCode', { code: 'Contested', trialDays: 1 })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 409)]);
    });

    it('gives a code for a known product to the owner of the product', async () => {
      const { creatorId, productId } = await makeCreator(app);
      assert.equal((await readCode(app, await makeCode(app, { productId }))).creatorId, creatorId);
    });

    it('400 when the creator named does not own the product named', async () => {
      const { productId } = await makeCreator(app);
      const answer = await app.admin('/createDiscountCode', { code: 'X1', trialDays: 1, productId, creatorId: 'else' });
      assert.equal(answer.status, 400);
      assert.match(answer.body.error, /^creatorId /);
    });

    it('accepts a product that the catalogue does not know from the operator', async () => {
      const code = await makeCode(app, { productId: 'known-to-the-storefront-only' });
      assert.equal((await readCode(app, code)).productId, 'known-to-the-storefront-only');
    });

    it('makes codes of its creator by API key', async () => {
      const { apiKey, creatorId, productId } = await makeCreator(app);
      for (const fields of [{ apiKey }, { apiKey, productId }, { apiKey, creatorId }])
        assert.equal((await readCode(app, await makeCode(app, fields))).creatorId, creatorId);
    });

    it('404 by API key for the product of another creator as for one that does not exist', async () => {
      const [mine, theirs] = [await makeCreator(app), await makeCreator(app)];
      for (const productId of [theirs.productId, 'does-not-exist']) {
        const answer = await app.send('/createDiscountCode', {
          apiKey: mine.apiKey,
          code: 'X2',
          trialDays: 1,
          productId,
        });
        assert.deepEqual([answer.status, answer.body], [404, { success: false, error: 'Product not found' }]);
      }
      assert.equal(await readCode(app, 'X2'), undefined);
    });

    it('403 by API key for another creator', async () => {
      const { apiKey } = await makeCreator(app);
      const answer = await app.send('/createDiscountCode', { apiKey, code: 'X3', trialDays: 1, creatorId: 'else' });
      assert.equal(answer.status, 403);
    });

    it('409 when the product is archived', async () => {
      const productId = await product(app, { creatorId: 'ada', status: 'archived' });
      const answer = await app.admin('/createDiscountCode', { code: 'X4', trialDays: 1, productId });
      assert.deepEqual([answer.status, answer.body.error], [409, 'Product is archived']);
    });

    it('401 without a credential, before any other fault of the request', async () => {
      assert.equal((await app.send('/createDiscountCode', {})).status, 401);
    });

    for (const fields of [
      {},
      { code: 'X5' },
      { trialDays: 1 },
      { code: '', trialDays: 1 },
      { code: 'X5', trialDays: null },
    ])
      it(`400 Missing code or trialDays: ${JSON.stringify(fields)}`, async () => {
        assertRefused(await app.admin('/createDiscountCode', fields), 400, 'Missing code or trialDays');
      });

    for (const [field, value] of [
      ['code', '   '],
      ['code', 'x'.repeat(101)],
      ['trialDays', 0],
      ['trialDays', 1.5],
      ['trialDays', '14'],
      ['maxUses', 0],
      ['expiresAt', 'tomorrow'],
      ['productId', 7],
    ] as const)
      it(`400 that names ${field} when it is ${JSON.stringify(value).slice(0, 20)}`, async () => {
        const answer = await app.admin('/createDiscountCode', { code: 'X6', trialDays: 1, [field]: value });
        assert.equal(answer.status, 400);
        assert.match(answer.body.error, new RegExp(`^${field} `));
      });
  });
