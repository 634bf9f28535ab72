/** The daily quotas of creators; the operator has none. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { statusCounts } from '../../support/behind-proxy.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';

const QUOTAS = {
  LATCHKEY_CREATOR_SAVES: '40',
  LATCHKEY_CREATOR_PRODUCTS: '2',
  LATCHKEY_CREATOR_VARIANTS: '3',
  LATCHKEY_CREATOR_CODES: '4',
  LATCHKEY_CREATOR_LICENSES: '5',
  LATCHKEY_CREATOR_NOTES: '6',
};

for (const engine of engines)
  describe(`quotas of a creator on ${engine}`, () => {
    const app = startedApp(engine, QUOTAS);
    let creator: Creator;
    let productId: string;
    let licenseKey: string;
    before(async () => {
      creator = await Creator.of(app);
      productId = await creator.product();
      licenseKey = await creator.license(productId);
    });
    let made = 0;
    const name = () => `thing-${++made}`;

    /** The calls that use a quota, by the name of the quota in the refusal, with the quota and its use so far. */
    const adding = {
      'new products': { max: 2, used: 1, path: '/createProduct', fields: () => ({ name: name(), slug: name() }) },
      'new variants': {
        max: 3,
        used: 0,
        path: '/createVariant',
        fields: () => ({ productId, name: name(), licenseType: 'per-machine' }),
      },
      'new codes': {
        max: 4,
        used: 0,
        path: '/createDiscountCode',
        fields: () => ({ code: name(), productId, trialDays: 7 }),
      },
      'new licenses': {
        max: 5,
        used: 1,
        path: '/createLicense',
        fields: () => ({ email: 'ada@example.com', productId }),
      },
      'notes on a license': { max: 6, used: 0, path: '/addNote', fields: () => ({ licenseKey, text: name() }) },
    } as const;

    for (const [quota, { max, used, path, fields }] of Object.entries(adding))
      it(`bound ${quota} within 24 hours, however many calls come at once, and not those of others`, async () => {
        await fillPool(app);
        const answers = await Promise.all(Array.from({ length: 12 }, () => creator.send(path, fields())));
        const refused = answers.filter(({ status }) => status === 429);
        assert.equal(refused.length, 12 - (max - used), JSON.stringify(statusCounts(answers)));
        const { headers, body } = refused[0] ?? assert.fail();
        assert.equal(body.error, `This creator has used its quota of ${max} ${quota} a day. Try again later.`);
        assert.equal(headers['latchkey-code'], 'quota_used');
        assert.ok(Number(headers['retry-after']) > 80_000, String(headers['retry-after']));
        for (let count = 0; count <= max; count += 1)
          await mustSucceed(
            app.admin(path, { ...fields(), ...(path === '/createProduct' ? { creatorId: 'operated' } : {}) }),
          );
      });

    it('bound all changes, also those of a refused kind only where they succeed, and are free again after a day', async () => {
      const other = await Creator.of(app);
      const own = await other.product();
      const update = (fields = {}) => other.send('/updateProduct', { productId: own, name: name(), ...fields });
      for (let count = 0; count < 50; count += 1)
        assert.equal((await other.send('/updateProduct', { productId: 'unknown', name: 'x' })).status, 404);
      await fillPool(app);
      const answers = await Promise.all(Array.from({ length: 60 }, () => update()));
      assert.deepEqual(statusCounts(answers), { 200: 39, 429: 21 });
      const { body } = await update();
      assert.equal(body.error, 'This creator has used its quota of 40 changes a day. Try again later.');
      await mustSucceed(other.send('/listProducts'));
      await mustSucceed(app.admin('/updateProduct', { productId: own, name: name() }));
      app.clock.move(DAY_MS + 3_600_000);
      await mustSucceed(update());
    });
  });

for (const engine of engines)
  describe(`quotas that are off on ${engine}`, () => {
    const app = startedApp(engine, Object.fromEntries(Object.keys(QUOTAS).map((each) => [each, 'off'])));
    it('count nothing', async () => {
      const creator = await Creator.of(app);
      for (let count = 0; count < 4; count += 1) await creator.product();
    });
  });
