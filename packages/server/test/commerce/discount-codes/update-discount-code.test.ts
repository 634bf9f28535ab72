import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { product } from '../../licensing/products/catalogue.ts';
import { assertRefused } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { makeCode, makeCreator, readCode } from './creator.ts';

for (const engine of engines)
  describe(`/updateDiscountCode on ${engine}`, () => {
    const app = startedApp(engine);

    it('changes the given fields and leaves the rest', async () => {
      const code = await makeCode(app, { maxUses: 3, expiresAt: app.clock.at(DAY_MS) });
      const original = await readCode(app, code);
      const changes = [{ active: false }, { maxUses: 9 }, { expiresAt: app.clock.at(2 * DAY_MS) }, { active: true }];
      let expected = original;
      for (const change of changes) {
        const { status, body } = await app.admin('/updateDiscountCode', { code, ...change });
        assert.deepEqual([status, body], [200, { success: true }]);
        expected = { ...expected, ...change };
        assert.deepEqual(await readCode(app, code), expected);
      }
    });

    it('null lifts the limit and the expiry', async () => {
      const code = await makeCode(app, { maxUses: 3, expiresAt: app.clock.at(DAY_MS) });
      await app.admin('/updateDiscountCode', { code, maxUses: null, expiresAt: null });
      const { maxUses, expiresAt } = await readCode(app, code);
      assert.deepEqual([maxUses, expiresAt], [null, null]);
    });

    it('finds the code in any case', async () => {
      const code = await makeCode(app);
      assert.equal(
        (await app.admin('/updateDiscountCode', { code: ` ${code.toUpperCase()} `, active: false })).status,
        200,
      );
      const { code: kept, active } = await readCode(app, code);
      assert.deepEqual([kept, active], [code, false]);
    });

    it('404 for a code that does not exist', async () => {
      const { status, body } = await app.admin('/updateDiscountCode', { code: 'no such code', active: false });
      assert.deepEqual([status, body], [404, { success: false, error: 'Discount code not found' }]);
    });

    it('404 by API key for the codes of others and of the operator, which stay as they are', async () => {
      const [mine, theirs] = [await makeCreator(app), await makeCreator(app)];
      for (const code of [await makeCode(app, { apiKey: theirs.apiKey }), await makeCode(app)]) {
        const { status, body } = await app.send('/updateDiscountCode', { apiKey: mine.apiKey, code, active: false });
        assert.deepEqual([status, body], [404, { success: false, error: 'Discount code not found' }]);
        assert.equal((await readCode(app, code)).active, true);
      }
    });

    it('409 when its product has been archived', async () => {
      const productId = await product(app, { creatorId: 'ada' });
      const code = await makeCode(app, { productId });
      await app.admin('/updateProduct', { productId, status: 'archived' });
      assertRefused(await app.admin('/updateDiscountCode', { code, maxUses: 1 }), 409, 'Product is archived');
    });

    it('400 Missing code', async () => {
      assertRefused(await app.admin('/updateDiscountCode', { active: true }), 400, 'Missing code');
    });

    for (const [field, value] of [
      ['active', 'no'],
      ['maxUses', 0],
      ['expiresAt', 'never'],
    ] as const)
      it(`400 that names ${field} when it is ${value}`, async () => {
        const { status, body } = await app.admin('/updateDiscountCode', { code: await makeCode(app), [field]: value });
        assert.equal(status, 400);
        assert.match(body.error, new RegExp(`^${field} `));
      });
  });
