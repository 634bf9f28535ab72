import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_VARIANT_TERMS } from '../../../src/licensing/products/terms.ts';
import type { Variant } from '../../../src/licensing/products/variant.ts';
import { saveVariant } from '../../../src/licensing/products/variant-store.ts';
import { assertRefused } from '../../support/answers.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { unrecorded } from '../../support/unrecorded.ts';
import { creatorWithKey, product, unique, variant } from './catalogue.ts';

const aVariant = (productId: string, name: string, unlockedProducts: readonly string[]): Variant => ({
  ...{
    variantId: `${productId}-${name}`,
    productId,
    name,
    licenseType: 'per-machine',
    maxMachines: 1,
    maxConcurrent: null,
    defaultTrialDays: null,
  },
  ...{ durationDays: null, price: null, active: true, terms: { ...NO_VARIANT_TERMS, unlockedProducts } },
});

for (const engine of engines)
  describe(`/listVariants on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);

    /** A product with variants of these names; `old` is made inactive. */
    async function productWith(...names: string[]): Promise<string> {
      const productId = await product(app);
      for (const name of names) {
        const variantId = await variant(app, { productId, name });
        if (name === 'old') await app.admin('/updateVariant', { variantId, active: false });
      }
      return productId;
    }

    const namesOf = ({ body }: { body: { variants: { name: string }[] } }) => body.variants.map(({ name }) => name);

    it('shows the active variants of the product by name', async () => {
      const productId = await productWith('pro', 'old', 'indie');
      await productWith('of another product');
      const answer = await app.admin('/listVariants', { productId });
      assert.equal(answer.status, 200);
      assert.deepEqual(namesOf(answer), ['indie', 'pro']);
      assert.equal(answer.body.count, 2);
    });

    it('shows inactive ones as well with includeInactive', async () => {
      const productId = await productWith('pro', 'old', 'indie');
      const answer = await app.admin('/listVariants', { productId, includeInactive: true });
      assert.deepEqual(namesOf(answer), ['indie', 'old', 'pro']);
      assert.deepEqual(
        answer.body.variants.map(({ active }: { active: boolean }) => active),
        [true, false, true],
      );
      assert.deepEqual(namesOf(await app.admin('/listVariants', { productId, includeInactive: false })), [
        'indie',
        'pro',
      ]);
    });

    it('ends a page of large variants at 8 MiB, and leads on to all others', async () => {
      const productId = await product(app);
      // 200 products of 250 characters, of which each has three bytes: some 150 KB.
      const unlockedProducts = Array.from({ length: 200 }, (_, index) => `${index}`.padEnd(250, '名'));
      const rows = Array.from({ length: 130 }, (_, index) => aVariant(productId, `v${index + 1000}`, unlockedProducts));
      await storage.transaction((tx) => Promise.all(rows.map((row) => saveVariant(unrecorded(tx), row))));
      const names: string[] = [];
      let pages = 0;
      for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages += 1) {
        const { status, body } = await app.admin('/listVariants', { productId, cursor });
        assert.equal(status, 200);
        assert.ok(Buffer.byteLength(JSON.stringify(body)) < 8.1 * 1024 ** 2);
        names.push(...namesOf({ body }));
        cursor = body.nextCursor;
      }
      assert.deepEqual([pages > 2, names], [true, rows.map(({ name }) => name)]);
    });

    it('pages through everything once', async () => {
      const productId = await productWith('名', 'a', 'old', 'é', 'z', 'Z');
      const pages = await pagesOf(app.admin, '/listVariants', { productId, limit: 2 }, 'variants');
      const names = pages.map((page) => page.map(({ name }) => name));
      assert.deepEqual(names, [['Z', 'a'], ['z', 'é'], ['名']]);
    });

    it('shows those of an archived product', async () => {
      const productId = await productWith('indie');
      await app.admin('/updateProduct', { productId, status: 'archived' });
      assert.deepEqual(namesOf(await app.admin('/listVariants', { productId })), ['indie']);
    });

    it('is empty for a product without variants', async () => {
      const answer = await app.admin('/listVariants', { productId: await product(app) });
      assert.deepEqual(answer.body, { success: true, variants: [], count: 0 });
    });

    it('takes its parameters from the query of a GET', async () => {
      const productId = await productWith('old', 'indie');
      const query = new URLSearchParams({ adminSecret: ADMIN_SECRET, productId, includeInactive: 'true' });
      const answer = await app.send(`/listVariants?${query}`, undefined, { method: 'GET' });
      assert.deepEqual(namesOf(answer), ['indie', 'old']);
    });

    it('shows an API key the variants of its own products', async () => {
      const { creatorId, apiKey } = await creatorWithKey(app);
      const productId = await product(app, { creatorId });
      await variant(app, { productId, name: 'indie' });
      assert.deepEqual(namesOf(await app.send('/listVariants', { apiKey, productId })), ['indie']);
    });

    it('404 answers an API key the same for a foreign product and an absent one', async () => {
      const { apiKey } = await creatorWithKey(app);
      for (const productId of [await productWith('indie'), unique('absent')])
        assertRefused(await app.send('/listVariants', { apiKey, productId }), 404, 'Product not found');
    });

    it('404 for adminSecret when there is no such product', async () => {
      assert.equal((await app.admin('/listVariants', { productId: unique('absent') })).status, 404);
    });

    it('400 when productId is absent', async () => {
      assertRefused(await app.admin('/listVariants', {}), 400, 'Missing productId');
    });

    it('401 without a credential', async () => {
      assert.equal((await app.send('/listVariants', { productId: 'any' })).status, 401);
    });
  });
