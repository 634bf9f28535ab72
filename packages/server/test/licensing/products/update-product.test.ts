import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { creatorWithKey, product, shownProduct, unique } from './catalogue.ts';

for (const engine of engines)
  describe(`/updateProduct on ${engine}`, () => {
    const app = startedApp(engine);

    it('changes the given fields, leaves the rest, and shows the time', async () => {
      const productId = await product(app, { name: 'Before', status: 'unlisted' });
      const createdAt = app.clock.at();
      app.clock.move(60_000);
      const answer = await app.admin('/updateProduct', { productId, name: 'After' });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, {
        success: true,
        product: {
          productId,
          name: 'After',
          slug: productId,
          creatorId: 'ada',
          status: 'unlisted',
          active: true,
          createdAt,
          updatedAt: app.clock.at(),
        },
      });
      assert.deepEqual(await shownProduct(app, productId), answer.body.product);
    });

    for (const [from, given, to] of [
      ['live', { status: 'unlisted' }, 'unlisted'],
      ['live', { status: 'archived' }, 'archived'],
      ['unlisted', { status: 'live' }, 'live'],
      ['archived', { status: 'live' }, 'live'],
      ['archived', { status: 'unlisted' }, 'unlisted'],
      ['live', { active: false }, 'archived'],
      ['archived', { active: true }, 'live'],
      ['unlisted', { active: true }, 'unlisted'],
      ['live', { status: 'unlisted', active: false }, 'unlisted'],
      ['live', { status: 'archived', active: true }, 'archived'],
    ] as const)
      it(`turns ${from} into ${to} with ${JSON.stringify(given)}, active in step`, async () => {
        const productId = await product(app, { status: from });
        const { body } = await app.admin('/updateProduct', { productId, ...given });
        assert.deepEqual([body.product.status, body.product.active], [to, to !== 'archived']);
        assert.deepEqual(await shownProduct(app, productId), body.product);
      });

    it('409 for another name or owner of an archived product, unless its status changes with it', async () => {
      const productId = await product(app, { name: 'Before', status: 'archived' });
      for (const change of [{ name: 'After' }, { creatorId: 'grace' }, { name: 'After', active: false }])
        assertRefused(await app.admin('/updateProduct', { productId, ...change }), 409, 'Product is archived');
      assert.equal((await shownProduct(app, productId)).name, 'Before');
      const revived = await app.admin('/updateProduct', { productId, name: 'After', status: 'live' });
      assert.deepEqual([revived.body.product.name, revived.body.product.status], ['After', 'live']);
    });

    it('repeating the present values succeeds, archived or not, and is no update', async () => {
      for (const status of ['live', 'archived']) {
        const productId = await product(app, { name: 'Same', status });
        const before = await shownProduct(app, productId);
        app.clock.move(60_000);
        const answer = await app.admin('/updateProduct', { productId, name: 'Same', status, creatorId: 'ada' });
        assert.equal(answer.status, 200);
        assert.deepEqual(answer.body.product, before);
      }
    });

    it('adminSecret hands a product to another creator, whose key then reaches it and whose former does not', async () => {
      const giver = await creatorWithKey(app);
      const taker = await creatorWithKey(app);
      const productId = await product(app, { creatorId: giver.creatorId });
      const handedOver = await app.admin('/updateProduct', { productId, creatorId: taker.creatorId });
      assert.equal(handedOver.body.product.creatorId, taker.creatorId);
      const rename = (apiKey: string) => app.send('/updateProduct', { apiKey, productId, name: 'Mine' });
      assert.equal((await rename(giver.apiKey)).status, 404);
      assert.equal((await rename(taker.apiKey)).status, 200);
    });

    it('403 when an API key hands its product to another creator; its own name is no change', async () => {
      const { creatorId, apiKey } = await creatorWithKey(app);
      const productId = await product(app, { creatorId });
      const answer = await app.send('/updateProduct', { apiKey, productId, name: 'Gone', creatorId: 'grace' });
      assertRefused(answer, 403, 'An API key cannot act for another creator');
      assert.equal((await shownProduct(app, productId, creatorId)).name, 'Product');
      assert.equal((await app.send('/updateProduct', { apiKey, productId, name: 'Kept', creatorId })).status, 200);
    });

    it('answers an API key with the same 404 for a foreign and a missing product', async () => {
      const { apiKey } = await creatorWithKey(app);
      const foreign = await product(app);
      const archived = await product(app, { status: 'archived' });
      for (const change of [{ name: 'Taken' }, { creatorId: 'grace' }, { status: 'archived' }, {}])
        for (const productId of [foreign, archived, unique('absent')])
          assertRefused(await app.send('/updateProduct', { apiKey, productId, ...change }), 404, 'Product not found');
      assert.equal((await shownProduct(app, foreign)).name, 'Product');
    });

    it('404 for adminSecret when there is no such product', async () => {
      const answer = await app.admin('/updateProduct', { productId: unique('absent'), name: 'Any' });
      assert.deepEqual([answer.status, answer.body.error], [404, 'Product not found']);
    });

    it('400 when productId is absent', async () => {
      assertRefused(await app.admin('/updateProduct', { name: 'Any' }), 400, 'Missing productId');
    });

    for (const [field, value, error] of [
      ['status', 'draft', 'status must be one of live, unlisted, archived'],
      ['active', 'no', 'active must be true or false'],
    ] as const)
      it(`400 names ${field} when it does not fit`, async () => {
        assertRefused(await app.admin('/updateProduct', { productId: await product(app), [field]: value }), 400, error);
      });

    it('loses neither of two changes made at once, on any of 10 products', async () => {
      const productIds = await Promise.all(Array.from({ length: 10 }, () => product(app, { name: 'Before' })));
      await fillPool(app);
      const answers = await Promise.all(
        productIds.flatMap((productId) => [
          app.admin('/updateProduct', { productId, name: 'After' }),
          app.admin('/updateProduct', { productId, status: 'unlisted' }),
        ]),
      );
      assert.ok(answers.every(({ status }) => status === 200));
      for (const productId of productIds) {
        const { name, status } = await shownProduct(app, productId);
        assert.deepEqual({ name, status }, { name: 'After', status: 'unlisted' });
      }
    });

    it('keeps issued licenses of an archived product working and issues no more', async () => {
      const productId = await product(app);
      const machine = new Machine(app, await app.license({ productId }), 'machine-1', productId);
      await app.admin('/updateProduct', { productId, status: 'archived' });
      assert.equal((await machine.activate()).status, 200);
      const refused = await app.admin('/createLicense', { email: 'ada@example.com', productId });
      assert.deepEqual([refused.status, refused.body.error], [409, 'Product is archived']);
    });

    it('keeps issued licenses of an unlisted product working', async () => {
      const productId = await product(app);
      const machine = new Machine(app, await app.license({ productId }), 'machine-1', productId);
      await app.admin('/updateProduct', { productId, status: 'unlisted' });
      await machine.activated();
      for (const answer of [await machine.verify(), await machine.validate(), await machine.heartbeat()])
        assert.equal(answer.status, 200);
    });

    it('401 without a credential', async () => {
      assert.equal((await app.send('/updateProduct', { productId: 'any' })).status, 401);
    });
  });
