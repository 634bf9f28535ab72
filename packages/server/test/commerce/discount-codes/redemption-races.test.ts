import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';
import { makeCode, readCode } from './creator.ts';

for (const engine of engines)
  describe(`redemptions that arrive at once on ${engine}`, () => {
    const app = startedApp(engine);
    beforeEach(() => fillPool(app));

    const redeem = (code: string, email: string) => app.send('/redeemTrialCode', { code, productId: 'app', email });
    const buy = (discountCode: string, email: string) =>
      app.webhook('/storefrontWebhook', { type: 'purchase.completed', productId: 'app', email, discountCode });
    const times = <T>(count: number, send: (at: number) => Promise<T>) =>
      Promise.all(Array.from({ length: count }, (_, at) => send(at)));

    it('maxUses 5 lets exactly 5 of 20 customers redeem', async () => {
      const code = await makeCode(app, { maxUses: 5 });
      const answers = await times(20, (at) => redeem(code, `max-${at}@example.com`));
      assert.equal(answers.filter(({ status }) => status === 200).length, 5);
      assert.equal(answers.filter(({ body }) => body.error === 'max_uses').length, 15);
      assert.equal((await readCode(app, code)).usedCount, 5);
    });

    it('one e-mail address redeems once of 10 times', async () => {
      const code = await makeCode(app);
      const email = 'once@example.com';
      const answers = await times(10, () => redeem(code, email));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.equal(answers.filter(({ body }) => body.error === 'already_redeemed').length, 9);
      assert.equal((await readCode(app, code)).usedCount, 1);
      assert.equal((await app.admin('/listLicenses', { email })).body.count, 1);
    });

    it('redemptions and purchases share the uses of a code; every purchase gets its license', async () => {
      const code = await makeCode(app, { maxUses: 5 });
      const [redeemed, bought] = await Promise.all([
        times(10, (at) => redeem(code, `trial-${at}@example.com`)),
        times(10, (at) => buy(code, `buyer-${at}@example.com`)),
      ]);
      assert.deepEqual(new Set(bought.map(({ status }) => status)), new Set([200]));
      const expiries = await Promise.all(
        bought.map(async ({ body: { licenseKey } }) => (await app.admin('/getLicense', { licenseKey })).body.license),
      );
      const trials = expiries.filter(({ expiresAt }) => expiresAt !== null).length;
      assert.equal(redeemed.filter(({ status }) => status === 200).length + trials, 5);
      assert.equal((await readCode(app, code)).usedCount, 5);
    });

    it('a redemption and a purchase by one customer use a code once', async () => {
      const code = await makeCode(app);
      const email = 'both@example.com';
      await Promise.all([redeem(code, email), buy(code, email), redeem(code, email), buy(code, email)]);
      assert.equal((await readCode(app, code)).usedCount, 1);
    });

    it('a code that is deleted and recreated meanwhile never has more uses than redemptions', async () => {
      const code = await makeCode(app, { maxUses: 3 });
      const renew = async () => {
        await app.admin('/deleteDiscountCode', { code });
        await makeCode(app, { code, maxUses: 3 });
      };
      const [answers] = await Promise.all([times(20, (at) => redeem(code, `renewed-${at}@example.com`)), renew()]);
      const redeemed = answers.filter(({ status }) => status === 200).length;
      const { usedCount } = await readCode(app, code);
      assert.ok(usedCount <= 3 && redeemed <= 6 && usedCount <= redeemed, `${redeemed} redeemed, ${usedCount} counted`);
    });
  });
