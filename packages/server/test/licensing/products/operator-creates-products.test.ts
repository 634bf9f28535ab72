import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertRefused } from '../../support/answers.ts';
import { Creator } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { product, shownProduct, unique } from './catalogue.ts';

for (const engine of engines)
  describe(`LATCHKEY_CREATORS_MAY_CREATE_PRODUCTS=off on ${engine}`, () => {
    let creator: Creator;
    const app = startedApp(engine, { LATCHKEY_CREATORS_MAY_CREATE_PRODUCTS: 'off' });
    before(async () => {
      creator = await Creator.of(app);
    });

    it('403 for an API key, whether the slug is free or taken, and nothing is created', async () => {
      const taken = await product(app);
      for (const slug of [unique('free'), taken]) {
        const answer = await creator.send('/createProduct', { name: 'Mine', slug });
        assertRefused(answer, 403, 'Only the operator creates products here');
        assert.equal(await shownProduct(app, slug, creator.creatorId), undefined);
      }
    });

    it('leaves creators the products that the operator makes for them', async () => {
      const { creatorId } = creator;
      const productId = await product(app, { creatorId });
      assert.equal((await creator.send('/updateProduct', { productId, name: 'Renamed' })).status, 200);
      await creator.variant(productId, { name: 'indie' });
      await creator.license(productId);
      assert.equal((await shownProduct(app, productId, creatorId)).name, 'Renamed');
    });

    it('refuses an API key beside the admin secret nothing', async () => {
      const slug = unique('beside');
      const order = { name: 'Beside', slug, creatorId: 'ada', apiKey: creator.apiKey };
      assert.equal((await app.admin('/createProduct', order)).status, 200);
    });
  });
