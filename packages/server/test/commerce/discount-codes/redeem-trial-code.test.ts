import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { product } from '../../licensing/products/catalogue.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { makeCode, makeCreator, readCode } from './creator.ts';

for (const engine of engines)
  describe(`/redeemTrialCode on ${engine}`, () => {
    const app = startedApp(engine);

    const redeem = (code: string, fields: Readonly<Record<string, unknown>> = {}) =>
      app.send('/redeemTrialCode', { code, productId: 'app', email: 'ada@example.com', ...fields });

    const refusals = { invalid: 404, expired: 400, not_applicable: 400, already_redeemed: 409, max_uses: 400 } as const;
    async function assertRefused(
      code: string,
      error: keyof typeof refusals,
      fields: Readonly<Record<string, unknown>> = {},
      status: number = refusals[error],
    ): Promise<void> {
      const answer = await redeem(code, fields);
      assert.deepEqual([answer.status, answer.body], [status, { success: false, error }]);
    }

    it('issues a license that works and lasts the trial days', async () => {
      const code = await makeCode(app, { trialDays: 14 });
      const { status, body } = await redeem(code.toLowerCase(), { email: 'Grace@Example.com' });
      const expiresAt = app.clock.at(14 * DAY_MS);
      const { licenseKey, ...rest } = body;
      assert.deepEqual([status, rest], [200, { success: true, trialDays: 14, expiresAt }]);
      await new Machine(app, licenseKey).activated();
      const { license } = (await app.admin('/getLicense', { licenseKey })).body;
      assert.partialDeepStrictEqual(license, {
        email: 'Grace@Example.com',
        productId: 'app',
        variant: 'indie',
        status: 'active',
        expiresAt,
        discountCode: code,
      });
    });

    it('counts a use', async () => {
      const code = await makeCode(app);
      await redeem(code, { email: 'one@example.com' });
      await redeem(code, { email: 'two@example.com' });
      assert.equal((await readCode(app, code)).usedCount, 2);
    });

    it('ends with the year 9999 when the trial is longer than that', async () => {
      const { body } = await redeem(await makeCode(app, { trialDays: 1_000_000_000 }));
      assert.equal(body.expiresAt, '9999-12-31T23:59:59.999Z');
    });

    it('404 invalid for a code that does not exist', async () => {
      await assertRefused('no such code', 'invalid');
      await assertRefused('   ', 'invalid');
    });

    it('400 invalid for a deactivated code', async () => {
      const code = await makeCode(app);
      await app.admin('/updateDiscountCode', { code, active: false });
      await assertRefused(code, 'invalid', {}, 400);
    });

    it('400 expired from the moment of its expiry on', async () => {
      const code = await makeCode(app, { expiresAt: app.clock.at(1000) });
      assert.equal((await redeem(code)).status, 200);
      app.clock.move(1000);
      await assertRefused(code, 'expired', { email: 'late@example.com' });
    });

    it('400 max_uses when every use is taken, and a higher limit opens it again', async () => {
      const code = await makeCode(app, { maxUses: 1 });
      assert.equal((await redeem(code)).status, 200);
      await assertRefused(code, 'max_uses', { email: 'second@example.com' });
      await app.admin('/updateDiscountCode', { code, maxUses: 2 });
      assert.equal((await redeem(code, { email: 'second@example.com' })).status, 200);
    });

    it('409 already_redeemed for the same e-mail in another case', async () => {
      const code = await makeCode(app);
      assert.equal((await redeem(code, { email: 'ada@example.com' })).status, 200);
      await assertRefused(code, 'already_redeemed', { email: 'ADA@example.COM' });
      assert.equal((await redeem(await makeCode(app), { email: 'ada@example.com' })).status, 200, 'another code');
    });

    it('names the first of several reasons', async () => {
      const { productId } = await makeCreator(app);
      const code = await makeCode(app, { productId, maxUses: 1 });
      assert.equal((await redeem(code, { productId })).status, 200);
      await assertRefused(code, 'already_redeemed', { productId });
      await assertRefused(code, 'max_uses', { productId, email: 'other@example.com' });
      await assertRefused(code, 'not_applicable', { productId: 'other' });
      await app.admin('/updateDiscountCode', { code, expiresAt: app.clock.at() });
      await assertRefused(code, 'expired', { productId: 'other' });
      await app.admin('/updateDiscountCode', { code, active: false });
      await assertRefused(code, 'invalid', { productId: 'other' }, 400);
    });

    it('400 not_applicable for any product but the one a code is restricted to', async () => {
      const code = await makeCode(app, { productId: 'only-this' });
      await assertRefused(code, 'not_applicable', { productId: 'not-that' });
      assert.equal((await redeem(code, { productId: 'only-this' })).status, 200);
    });

    it("a creator's code without a product is for all of the creator's products and for no other", async () => {
      const [one, other] = [await makeCreator(app), await makeCreator(app)];
      const second = await product(app, { creatorId: one.creatorId });
      const code = await makeCode(app, { apiKey: one.apiKey });
      for (const [at, productId] of [one.productId, second].entries())
        assert.equal((await redeem(code, { productId, email: `${at}@example.com` })).status, 200);
      for (const productId of [other.productId, 'unknown-to-the-catalogue'])
        await assertRefused(code, 'not_applicable', { productId, email: 'more@example.com' });
    });

    it("a creator's code does not follow a product to its next owner", async () => {
      const [seller, buyer] = [await makeCreator(app), await makeCreator(app)];
      const { productId } = seller;
      const code = await makeCode(app, { apiKey: seller.apiKey, productId });
      await app.admin('/updateProduct', { productId, creatorId: buyer.creatorId });
      await assertRefused(code, 'not_applicable', { productId });
    });

    it("an operator's code without a product is for every product", async () => {
      const code = await makeCode(app);
      const { productId } = await makeCreator(app);
      assert.equal((await redeem(code, { productId, email: 'one@example.com' })).status, 200);
      assert.equal((await redeem(code, { productId: 'unknown', email: 'two@example.com' })).status, 200);
    });

    it('400 not_applicable for an archived product; an unlisted one still gives trials', async () => {
      const productId = await product(app, { creatorId: 'ada' });
      const code = await makeCode(app, { productId });
      await app.admin('/updateProduct', { productId, status: 'archived' });
      await assertRefused(code, 'not_applicable', { productId });
      await app.admin('/updateProduct', { productId, status: 'unlisted' });
      assert.equal((await redeem(code, { productId })).status, 200);
    });

    it('a refused redemption is not counted and makes no license', async () => {
      const code = await makeCode(app, { productId: 'only-this' });
      const email = 'nothing@example.com';
      await assertRefused(code, 'not_applicable', { email });
      assert.equal((await readCode(app, code)).usedCount, 0);
      assert.equal((await app.admin('/listLicenses', { email })).body.count, 0);
    });

    it('400 when a field is missing or no e-mail address', async () => {
      const code = await makeCode(app);
      for (const missing of ['code', 'productId', 'email']) {
        const answer = await redeem(code, { [missing]: null });
        assert.deepEqual([answer.status, answer.body.error], [400, 'Missing code, productId or email']);
      }
      const { status, body } = await redeem(code, { email: 'nobody' });
      assert.deepEqual([status, body.error], [400, 'email must be an e-mail address']);
    });
  });
