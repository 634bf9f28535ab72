import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintId } from '../../../src/ground/base/random.ts';
import { assertRefused } from '../../support/answers.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`/listRedemptions on ${engine}`, () => {
    const app = startedApp(engine);

    /** A code of a creator for a new product. */
    async function codeOf(creator: Creator): Promise<{ code: string; productId: string }> {
      const productId = await creator.product();
      const code = `Code-${mintId()}`;
      await mustSucceed(creator.send('/createDiscountCode', { code, productId, trialDays: 7 }));
      return { code, productId };
    }

    async function redeem({ code, productId }: { code: string; productId: string }, email: string): Promise<string> {
      return (await mustSucceed(app.webhook('/redeemTrialCode', { code, productId, email }))).licenseKey;
    }

    it('answers who redeemed a code, when, and the license that it gave, newest first', async () => {
      const creator = await Creator.of(app);
      const code = await codeOf(creator);
      const [firstAt, first] = [app.clock.at(), await redeem(code, 'Grace@Example.com')];
      app.clock.move(1);
      const [secondAt, second] = [app.clock.at(), await redeem(code, 'ada@example.com')];
      const answer = {
        success: true,
        redemptions: [
          { email: 'ada@example.com', licenseKey: second, redeemedAt: secondAt },
          { email: 'grace@example.com', licenseKey: first, redeemedAt: firstAt },
        ],
        count: 2,
      };
      assert.deepEqual(
        await mustSucceed(app.admin('/listRedemptions', { code: ` ${code.code.toUpperCase()} ` })),
        answer,
      );
      assert.deepEqual(await mustSucceed(creator.send('/listRedemptions', { code: code.code })), answer);
    });

    it('lists purchases that came with the code', async () => {
      const { code, productId } = await codeOf(await Creator.of(app));
      const { licenseKey } = await mustSucceed(
        app.webhook('/storefrontWebhook', {
          type: 'purchase.completed',
          email: 'ada@example.com',
          productId,
          purchaseId: mintId(),
          discountCode: code,
        }),
      );
      const { redemptions } = await mustSucceed(app.admin('/listRedemptions', { code }));
      assert.deepEqual(
        redemptions.map((each: { licenseKey: string }) => each.licenseKey),
        [licenseKey],
      );
    });

    it('pages through them, each once, also those of one millisecond, while others redeem it', async () => {
      const code = await codeOf(await Creator.of(app));
      const emails = Array.from({ length: 7 }, (_, index) => `customer-${index}@example.com`);
      await Promise.all(emails.map((email) => redeem(code, email)));
      let later = 0;
      const pages = await pagesOf(app.admin, '/listRedemptions', { code: code.code, limit: 3 }, 'redemptions', () => {
        app.clock.move(1);
        return redeem(code, `later-${later++}@example.com`);
      });
      const listed = pages.flat().map(({ email }) => email);
      assert.deepEqual(listed, emails.toReversed());
      assert.equal((await mustSucceed(app.admin('/listRedemptions', { code: code.code }))).count, 7 + later);
    });

    it('has none of a code that was made again after it was deleted', async () => {
      const creator = await Creator.of(app);
      const { code, productId } = await codeOf(creator);
      await redeem({ code, productId }, 'ada@example.com');
      await mustSucceed(creator.send('/deleteDiscountCode', { code }));
      await mustSucceed(creator.send('/createDiscountCode', { code, productId, trialDays: 7 }));
      assert.equal((await mustSucceed(app.admin('/listRedemptions', { code }))).count, 0);
    });

    it("404 for a code that there is not, and for another creator's", async () => {
      const { code } = await codeOf(await Creator.of(app));
      const stranger = await Creator.of(app);
      for (const named of [code, `absent-${mintId()}`])
        assertRefused(await stranger.send('/listRedemptions', { code: named }), 404, 'Discount code not found');
    });

    it('400 without a code or for a cursor that is none, 401 without a credential', async () => {
      assertRefused(await app.admin('/listRedemptions', {}), 400, 'Missing code');
      const bogus = await app.admin('/listRedemptions', { code: 'any', cursor: 'bogus' });
      assert.deepEqual([bogus.status, bogus.body.error], [400, 'cursor is not the nextCursor of an earlier answer']);
      assert.equal((await app.send('/listRedemptions', {})).status, 401);
    });
  });
