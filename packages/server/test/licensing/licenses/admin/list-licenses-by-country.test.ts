/** A country leads to the licenses that were used from it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addCountriesOfLicenses } from '../../../../src/licensing/observed-calls/license-country-store.ts';
import { assertRefused } from '../../../support/answers.ts';
import type { Answer } from '../../../support/app.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { pagesOf } from '../../../support/pages.ts';
import { startedWithStorage } from '../../../support/started-app.ts';

for (const engine of engines)
  describe(`/listLicenses by country on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);

    const use = (licenseKey: string, ...countries: string[]) =>
      storage.transaction((tx) =>
        addCountriesOfLicenses(
          tx,
          countries.map((country) => ({ country, licenseKey })),
        ),
      );
    const keysOf = async (answer: Promise<Answer>): Promise<string[]> =>
      (await mustSucceed(answer)).licenses.map(({ key }: { key: string }) => key);

    it('lists each license that was used from there once, the newest first', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const keys: string[] = [];
      for (const countries of [['DE'], ['NZ', 'DE'], ['NZ'], [], ['DE']]) {
        const key = await creator.license(productId);
        keys.unshift(key);
        await use(key, ...countries);
        app.clock.move(1);
      }
      const [fifth, , third, second, first] = keys;
      await use(second!, 'DE', 'NZ');
      for (const send of [creator.send, app.admin]) {
        const list = (country: string) => keysOf(send('/listLicenses', { productId, country }));
        assert.deepEqual(await list('DE'), [fifth, second, first]);
        assert.deepEqual(await list('nz'), [third, second]);
        assert.deepEqual(await list('FR'), []);
      }
      // Another test may have licenses in this country.
      const ofAll = await keysOf(app.admin('/listLicenses', { country: 'DE', limit: 1000 }));
      assert.deepEqual(
        ofAll.filter((key) => keys.includes(key)),
        [fifth, second, first],
      );
    });

    it('shows the same of a license as the other lists', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const key = await creator.license(productId, { expiresAt: app.clock.at(1) });
      await use(key, 'AT');
      app.clock.move(1);
      const { licenses } = await mustSucceed(creator.send('/listLicenses', { productId, detail: true }));
      assert.equal(licenses[0].status, 'expired');
      const byCountry = await mustSucceed(creator.send('/listLicenses', { productId, country: 'AT', detail: true }));
      assert.deepEqual(byCountry.licenses, licenses);
    });

    it('pages over the products of an API key, each license once', async () => {
      const creator = await Creator.of(app);
      const products = await Promise.all(Array.from({ length: 3 }, () => creator.product()));
      const made: string[] = [];
      for (let number = 0; number < 12; number += 1) {
        const key = await creator.license(products[number % 5 === 0 ? 0 : number % 3]!);
        await use(key, 'CH', ...(number % 2 === 0 ? ['LI'] : []));
        made.unshift(key);
        app.clock.move(1);
      }
      for (const limit of [1, 5, 12]) {
        const pages = await pagesOf(creator.send, '/listLicenses', { country: 'CH', limit }, 'licenses');
        for (const page of pages) assert.ok(page.length <= limit);
        const listed = pages.flat().map(({ key }) => key);
        assert.deepEqual(listed, made, String(limit));
      }
    });

    it('shows an API key nothing of others', async () => {
      const [owner, stranger] = [await Creator.of(app), await Creator.of(app)];
      const [productId, own] = [await owner.product(), await stranger.product()];
      await use(await owner.license(productId), 'JP');
      await use(await stranger.license(own), 'FR');
      for (const fields of [{}, { productId }, { productId: own }, { productId: 'absent' }])
        assert.deepEqual(await keysOf(stranger.send('/listLicenses', { ...fields, country: 'JP' })), []);
    });

    it('400 for anything but the code of a country, with the name of the field', async () => {
      for (const country of ['Germany', 'D', '49', 'QQ', 'xx', 'ZZ', 'T1', 49]) {
        const answer = await app.admin('/listLicenses', { country });
        assertRefused(answer, 400, 'country must be the two-letter code of a country, for example DE');
      }
    });

    it('400 together with a filter that its index does not have, or with a view', async () => {
      const refused = [
        { purchaseId: 'p' },
        { email: 'ada@example.com' },
        { variant: 'indie' },
        { status: 'active' },
      ] as const;
      for (const fields of refused) {
        const { status, body } = await app.admin('/listLicenses', { country: 'DE', ...fields });
        const [field] = Object.keys(fields);
        assert.deepEqual([status, body.error], [400, `${field} cannot be given together with country`]);
      }
      const { status, body } = await app.admin('/listLicenses', { country: 'DE', view: 'expiring' });
      assert.deepEqual([status, body.error], [400, 'country cannot be given together with view']);
    });
  });
