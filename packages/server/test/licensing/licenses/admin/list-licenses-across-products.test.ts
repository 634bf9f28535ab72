/** A creator's list is merged from one list for each of its products, and reads like a single list. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { pagesOf } from '../../../support/pages.ts';
import { startedApp } from '../../../support/started-app.ts';

const EMAIL = 'reseller@example.com';

/** The product of each license, by number, oldest first: one sells nearly all, sometimes others do. */
const SALES = [0, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 1, 4, 4, 4, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1];

for (const engine of engines)
  describe(`/listLicenses over a creator's products on ${engine}`, () => {
    const app = startedApp(engine);
    let creator: Creator;
    /** Newest first. */
    const made: { readonly key: string; readonly status: string }[] = [];
    before(async () => {
      creator = await Creator.of(app);
      const products = await Promise.all(Array.from({ length: 6 }, () => creator.product()));
      for (const [number, product] of SALES.entries()) {
        const productId = products[product]!;
        // Every third expired when it was made, and every third has lapsed since.
        const expiresAt = [undefined, app.clock.at(), app.clock.at(SALES.length)][number % 3];
        const key = await creator.license(productId, { email: EMAIL, expiresAt });
        made.unshift({ key, status: number % 3 === 0 ? 'active' : 'expired' });
        // Some are made in the same millisecond.
        if (number % 5 !== 0) app.clock.move(1);
      }
      app.clock.move(SALES.length);
    });

    async function keyPages(filter: Readonly<Record<string, unknown>>): Promise<string[][]> {
      const pages = await pagesOf(creator.send, '/listLicenses', filter, 'licenses');
      return pages.map((page) => page.map(({ key }) => key));
    }

    for (const email of [undefined, EMAIL])
      for (const status of [undefined, 'active', 'expired'])
        for (const limit of [1, 2, 3, 7, 11, 29, 1000])
          it(`pages in one order, each license once: ${JSON.stringify({ email, status, limit })}`, async () => {
            const wanted = made.filter((each) => status === undefined || each.status === status).map(({ key }) => key);
            const pages = await keyPages({ email, status, limit });
            assert.deepEqual(new Set(pages.flat()), new Set(wanted));
            assert.deepEqual(pages.flat(), (await keyPages({ email, status, limit: 1000 })).flat());
            assert.equal(pages.length, Math.ceil(wanted.length / limit));
          });

    it('lists the newest first', async () => {
      const { licenses } = await mustSucceed(creator.send('/listLicenses', { limit: 1000 }));
      const moments = licenses.map(({ createdAt, key }: { createdAt: string; key: string }) => `${createdAt} ${key}`);
      assert.equal(moments.length, SALES.length);
      assert.deepEqual(moments, moments.toSorted().reverse());
    });

    it('takes an e-mail filter with blanks around it, by key and by administrator', async () => {
      for (const list of [creator.send, app.admin])
        for (const email of [` ${EMAIL}`, `${EMAIL}  `, `\t${EMAIL.toUpperCase()} \n`])
          assert.equal(
            (await mustSucceed(list('/listLicenses', { email }))).count,
            SALES.length,
            JSON.stringify(email),
          );
    });
  });
