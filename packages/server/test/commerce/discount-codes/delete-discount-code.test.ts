import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { makeCode, makeCreator, readCode } from './creator.ts';

for (const engine of engines)
  describe(`/deleteDiscountCode on ${engine}`, () => {
    const app = startedApp(engine);

    it('deletes for good, in any case of the code', async () => {
      const code = await makeCode(app);
      const { status, body } = await app.admin('/deleteDiscountCode', { code: code.toUpperCase() });
      assert.deepEqual([status, body], [200, { success: true }]);
      assert.equal(await readCode(app, code), undefined);
      assert.equal((await app.admin('/deleteDiscountCode', { code })).status, 404);
    });

    it('takes a DELETE with its fields in the query string or in a body', async () => {
      const { apiKey } = await makeCreator(app);
      const [first, second] = [await makeCode(app, { apiKey }), await makeCode(app, { apiKey })];
      const query = `?apiKey=${apiKey}&code=${encodeURIComponent(first)}`;
      assert.equal((await app.send(`/deleteDiscountCode${query}`, undefined, { method: 'DELETE' })).status, 200);
      assert.equal((await app.send('/deleteDiscountCode', { apiKey, code: second }, { method: 'DELETE' })).status, 200);
      assert.deepEqual((await app.send('/listDiscountCodes', { apiKey })).body.codes, []);
    });

    it('a recreated code starts unused, and users of the old one may redeem it', async () => {
      const code = await makeCode(app, { maxUses: 1 });
      const redeem = () => app.send('/redeemTrialCode', { code, productId: 'app', email: 'ada@example.com' });
      const { licenseKey } = (await redeem()).body;
      assert.equal((await readCode(app, code)).usedCount, 1);
      await app.admin('/deleteDiscountCode', { code });
      await makeCode(app, { code, maxUses: 1 });
      assert.equal((await readCode(app, code)).usedCount, 0);
      const again = await redeem();
      assert.equal(again.status, 200);
      assert.notEqual(again.body.licenseKey, licenseKey);
      assert.equal((await new Machine(app, licenseKey).verify()).status, 200, 'the license of the old code stays');
    });

    it('404 by API key for the codes of others, which stay', async () => {
      const [mine, theirs] = [await makeCreator(app), await makeCreator(app)];
      const code = await makeCode(app, { apiKey: theirs.apiKey });
      const { status, body } = await app.send('/deleteDiscountCode', { apiKey: mine.apiKey, code });
      assert.deepEqual([status, body], [404, { success: false, error: 'Discount code not found' }]);
      assert.notEqual(await readCode(app, code), undefined);
    });

    it('400 Missing code', async () => {
      assertRefused(await app.admin('/deleteDiscountCode'), 400, 'Missing code');
    });
  });
