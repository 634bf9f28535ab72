/** Two variants with the same variantId: `b-c` of product `a`, and `c` of product `a-b` (rules 2.5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Creator } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { shownVariants, unique } from './catalogue.ts';

for (const engine of engines)
  describe(`variants of one variantId on ${engine}`, () => {
    const app = startedApp(engine);

    /** A product of each creator, and their variants with the same variantId, returned with the products. */
    async function alike(first: Creator, second: Creator) {
      const short = await first.product({ slug: unique('short') });
      const long = await second.product({ slug: `${short}-b` });
      const variantId = await first.variant(short, { name: 'b-c', price: 1 });
      assert.equal(await second.variant(long, { name: 'c', price: 2 }), variantId);
      return { short, long, variantId };
    }
    const priceOf = async (productId: string) => (await shownVariants(app, productId))[0].price;

    it('are changed by their creators, each its own', async () => {
      const [one, other] = [await Creator.of(app), await Creator.of(app)];
      const { short, long, variantId } = await alike(one, other);
      const answer = await one.send('/updateVariant', { variantId, price: 10 });
      assert.equal(answer.status, 200);
      assert.equal(answer.body.variant.productId, short);
      assert.equal((await other.send('/updateVariant', { variantId, price: 20 })).body.variant.productId, long);
      assert.deepEqual([await priceOf(short), await priceOf(long)], [10, 20]);
    });

    it('409 names both to an administrator, and nothing is changed', async () => {
      const { short, long, variantId } = await alike(await Creator.of(app), await Creator.of(app));
      const { status, body } = await app.admin('/updateVariant', { variantId, price: 10 });
      const error = `variantId is ambiguous: ${short} + b-c or ${long} + c`;
      assert.deepEqual([status, body], [409, { success: false, error }]);
      assert.deepEqual([await priceOf(short), await priceOf(long)], [1, 2]);
    });

    it('409 for an API key whose creator owns both products', async () => {
      const creator = await Creator.of(app);
      const { short, long, variantId } = await alike(creator, creator);
      const { status, body } = await creator.send('/updateVariant', { variantId, price: 10 });
      assert.deepEqual([status, body.error], [409, `variantId is ambiguous: ${short} + b-c or ${long} + c`]);
    });

    it('are distinguished by productId, which is ignored if only one exists', async () => {
      const creator = await Creator.of(app);
      const { short, long, variantId } = await alike(creator, creator);
      assert.equal((await app.admin('/updateVariant', { variantId, productId: long, price: 10 })).status, 200);
      assert.equal((await creator.send('/updateVariant', { variantId, productId: short, price: 20 })).status, 200);
      assert.deepEqual([await priceOf(short), await priceOf(long)], [20, 10]);
      assert.equal((await app.admin('/updateVariant', { variantId, productId: 'neither', price: 3 })).status, 409);
      const only = await creator.variant(await creator.product(), { name: 'only' });
      assert.equal((await creator.send('/updateVariant', { variantId: only, productId: 'other' })).status, 200);
    });

    it('five are named, however many there are', async () => {
      const creator = await Creator.of(app);
      let slug = unique('many');
      const variantId = `${slug}${'-x'.repeat(8)}`;
      for (let hyphens = 1; hyphens <= 8; hyphens += 1) {
        const productId = await creator.product({ slug });
        const name = variantId.slice(slug.length + 1);
        assert.equal(await creator.variant(productId, { name }), variantId);
        slug += '-x';
      }
      const { status, body } = await app.admin('/updateVariant', { variantId });
      assert.equal(status, 409);
      assert.equal(body.error.split(' or ').length, 5);
    });
  });
