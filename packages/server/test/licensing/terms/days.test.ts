import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from '../../support/answers.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

const DAY = '2031-05-31';
const LAST = '2031-05-31T23:59:59.999Z';

for (const engine of engines)
  describe(`a day without a time on ${engine}`, () => {
    const app = startedApp(engine);

    it('is the end of that day in UTC where a license ends', async () => {
      const licenseKey = await app.license({
        expiresAt: DAY,
        updatesUntil: DAY,
        features: { export: { value: true, until: DAY } },
      });
      const { license } = await inspect(app, licenseKey);
      assert.deepEqual([license.expiresAt, license.updatesUntil, license.ownFeatures.export.until], [LAST, LAST, LAST]);
      const changed = { licenseKey, expiresAt: '2032-02-29', wasExpiresAt: DAY, updatesUntil: null };
      const { license: after } = await mustSucceed(app.admin('/updateLicense', changed));
      assert.equal(after.expiresAt, '2032-02-29T23:59:59.999Z');
    });

    it('is the end of that day where a code stops working', async () => {
      const code = `DAY-${engine}`;
      await mustSucceed(app.admin('/createDiscountCode', { code, creatorId: 'ada', trialDays: 7, expiresAt: DAY }));
      const read = async () => (await mustSucceed(app.admin('/listDiscountCodes', {}))).codes[0].expiresAt;
      assert.equal(await read(), LAST);
      await mustSucceed(app.admin('/updateDiscountCode', { code, expiresAt: '2031-06-01', wasExpiresAt: DAY }));
      assert.equal(await read(), '2031-06-01T23:59:59.999Z');
    });

    it('is its first moment where a build was made: a build of the last covered day is covered', async () => {
      const licenseKey = await app.license({ updatesUntil: DAY });
      const verify = (buildDate: string) => app.send('/verify', { licenseKey, productId: 'app', buildDate });
      assert.equal((await verify(DAY)).status, 200);
      assert.equal((await verify('2031-05-31 23:59:59')).status, 200);
      assert.equal((await verify('2031-06-01')).status, 403);
    });

    it('lets a list of events begin with it, as before', async () => {
      const { body } = await app.admin('/listEvents', { since: app.clock.at().slice(0, 10), limit: 1 });
      assert.equal(body.success, true);
      assert.equal(body.events.length, 1);
    });
  });
