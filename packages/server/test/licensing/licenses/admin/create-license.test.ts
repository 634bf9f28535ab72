import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DAY_MS } from '../../../../src/ground/base/clock.ts';
import { assertRefused, inspect } from '../../../support/answers.ts';
import { ADMIN_SECRET } from '../../../support/app.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { startedApp } from '../../../support/started-app.ts';

const ORDER = { email: 'ada@example.com', productId: 'app' };

for (const engine of engines)
  describe(`/createLicense on ${engine}`, () => {
    let creator: Creator;
    const app = startedApp(engine);
    before(async () => {
      creator = await Creator.of(app);
    });

    /** The license of an order, as a later read returns it. */
    async function made(order: Readonly<Record<string, unknown>>) {
      const { licenseKey, license } = await mustSucceed(app.admin('/createLicense', { ...ORDER, ...order }));
      const read = (await inspect(app, licenseKey)).license;
      assert.deepEqual(license, read);
      return read;
    }

    it('fills in the stated defaults', async () => {
      const { key, ...license } = await made({});
      assert.match(key, /^[A-HJKMNP-Z2-9]{5}(-[A-HJKMNP-Z2-9]{5}){4}$/);
      assert.deepEqual(license, {
        email: 'ada@example.com',
        productId: 'app',
        variant: 'indie',
        licenseType: 'per-machine',
        status: 'active',
        maxMachines: 2,
        maxConcurrent: null,
        createdAt: app.clock.at(),
        purchasedAt: app.clock.at(),
        expiresAt: null,
        discountCode: null,
        purchaseId: null,
        bundleId: null,
        unlockedProducts: [],
        threatLevel: 0,
        disputeReason: null,
      });
    });

    it('keeps all that is given', async () => {
      const given = {
        email: 'Ada@Example.com',
        variant: 'studio',
        licenseType: 'floating',
        maxMachines: 7,
        maxConcurrent: 3,
        expiresAt: app.clock.at(30 * DAY_MS),
        discountCode: 'SPRING',
        purchaseId: 'purchase-1',
        bundleId: 'bundle-1',
        unlockedProducts: ['plugin', 'editor'],
      };
      const license = await made(given);
      for (const [name, value] of Object.entries(given)) assert.deepEqual(license[name], value, name);
    });

    it('lasts for the period of its variant on request', async () => {
      const product = { name: 'Brush', slug: `brush-${app.clock.at()}`.replace(/\W/g, '-').toLowerCase() };
      const { productId } = await mustSucceed(app.admin('/createProduct', { ...product, creatorId: 'ada' }));
      for (const variant of [{ name: 'indie', durationDays: 365 }, { name: 'studio' }])
        await mustSucceed(app.admin('/createVariant', { productId, ...variant }));
      const asked = { productId, duration: 'variant' };
      assert.equal((await made(asked)).expiresAt, app.clock.at(365 * DAY_MS));
      assert.equal((await made({ ...asked, variant: 'studio' })).expiresAt, null);
      assert.equal((await made({ productId })).expiresAt, null);
      for (const [fields, error] of [
        [{ expiresAt: '2040-01-31' }, 'expiresAt must not be given with duration'],
        [{ expiresAt: null }, 'expiresAt must not be given with duration'],
        [{ variant: 'team' }, 'duration needs a variant of the catalogue, and the product has no team'],
        [{ duration: '365' }, 'duration must be one of variant'],
      ] as const) {
        assertRefused(await app.admin('/createLicense', { ...ORDER, ...asked, ...fields }), 400, error);
      }
    });

    it('answers the key of the license that it describes', async () => {
      const { licenseKey, license, success } = await mustSucceed(app.admin('/createLicense', ORDER));
      assert.deepEqual([success, license.key], [true, licenseKey]);
    });

    it('gives every license another key', async () => {
      const keys = await Promise.all(Array.from({ length: 20 }, () => app.license()));
      assert.equal(new Set(keys).size, 20);
    });

    it('takes -1 machines for a site license without a limit', async () => {
      const { licenseType, maxMachines } = await made({ licenseType: 'site', maxMachines: -1 });
      assert.deepEqual([licenseType, maxMachines], ['site', -1]);
    });

    it('makes another license for a purchaseId that is in use', async () => {
      const first = await app.license({ purchaseId: 'twice' });
      const second = await app.license({ purchaseId: 'twice' });
      assert.notEqual(first, second);
    });

    it('accepts an expiry in the past: the license is expired', async () => {
      const expiresAt = app.clock.at(-1);
      const license = await made({ expiresAt });
      assert.deepEqual([license.expiresAt, license.status], [expiresAt, 'expired']);
    });

    it('counts a license as expired from the very millisecond of its expiry', async () => {
      assert.equal((await made({ expiresAt: app.clock.at() })).status, 'expired');
      assert.equal((await made({ expiresAt: app.clock.at(1) })).status, 'active');
    });

    for (const [given, kept] of [
      ['2040-02-29', '2040-02-29T23:59:59.999Z'],
      ['2040-01-31T12:30', '2040-01-31T12:30:00.000Z'],
      ['2040-01-31T12:30:15+02:00', '2040-01-31T10:30:15.000Z'],
      ['2040-01-31T12:30:15.123456Z', '2040-01-31T12:30:15.123Z'],
      [null, null],
      ['', null],
    ] as const)
      it(`keeps the expiry ${JSON.stringify(given)} as ${JSON.stringify(kept)}`, async () => {
        assert.equal((await made({ expiresAt: given })).expiresAt, kept);
      });

    it('inherits fields that the request leaves out from the variant', async () => {
      const productId = await creator.product();
      await creator.variant(productId, { name: 'team', licenseType: 'floating', maxMachines: 9, maxConcurrent: 4 });
      const license = await made({ productId, variant: 'team' });
      assert.deepEqual([license.licenseType, license.maxMachines, license.maxConcurrent], ['floating', 9, 4]);
    });

    it('inherits from a variant called indie when none is named', async () => {
      const productId = await creator.product();
      await creator.variant(productId, { name: 'indie', licenseType: 'site', maxMachines: -1 });
      const license = await made({ productId });
      assert.deepEqual([license.variant, license.licenseType, license.maxMachines], ['indie', 'site', -1]);
    });

    it("prefers the request's values to the variant's", async () => {
      const productId = await creator.product();
      await creator.variant(productId, { name: 'team', licenseType: 'floating', maxMachines: 9, maxConcurrent: 4 });
      const said = { licenseType: 'per-machine', maxMachines: 1, maxConcurrent: 2 };
      const license = await made({ productId, variant: 'team', ...said });
      assert.deepEqual([license.licenseType, license.maxMachines, license.maxConcurrent], ['per-machine', 1, 2]);
    });

    it('falls back to the stated defaults for a variant that the catalogue does not know', async () => {
      const [productId, another] = [await creator.product(), await creator.product()];
      await creator.variant(another, { name: 'team', licenseType: 'floating', maxMachines: 9, maxConcurrent: 4 });
      const license = await made({ productId, variant: 'team' });
      assert.equal(license.variant, 'team');
      assert.deepEqual([license.licenseType, license.maxMachines, license.maxConcurrent], ['per-machine', 2, null]);
    });

    it('is perpetual without expiresAt, even if the variant has a period', async () => {
      const productId = await creator.product();
      await creator.variant(productId, { name: 'monthly', durationDays: 30, defaultTrialDays: 7 });
      assert.equal((await made({ productId, variant: 'monthly' })).expiresAt, null);
    });

    it('409 for an archived product; an unlisted one is fine', async () => {
      const [archived, unlisted] = [
        await creator.product({ status: 'archived' }),
        await creator.product({ status: 'unlisted' }),
      ];
      for (const credential of [{ adminSecret: ADMIN_SECRET }, { apiKey: creator.apiKey }]) {
        const refused = await app.send('/createLicense', { ...credential, ...ORDER, productId: archived });
        assert.deepEqual([refused.status, refused.body], [409, { success: false, error: 'Product is archived' }]);
        await mustSucceed(app.send('/createLicense', { ...credential, ...ORDER, productId: unlisted }));
      }
      assert.equal((await mustSucceed(app.admin('/listLicenses', { productId: archived }))).count, 0);
    });

    describe('with an API key', () => {
      it('reaches the products of its creator', async () => {
        const productId = await creator.product();
        const licenseKey = await creator.license(productId);
        assert.equal((await mustSucceed(creator.send('/getLicense', { licenseKey }))).license.productId, productId);
      });

      it('404 for a product of another creator, and nothing is made', async () => {
        const productId = await (await Creator.of(app)).product();
        assertRefused(await creator.send('/createLicense', { ...ORDER, productId }), 404, 'Product not found');
        assert.equal((await mustSucceed(app.admin('/listLicenses', { productId }))).count, 0);
      });

      it('404 for a product that the catalogue does not know', async () => {
        const { status, body } = await creator.send('/createLicense', { ...ORDER, productId: 'unheard-of' });
        assert.deepEqual([status, body.error], [404, 'Product not found']);
      });

      it('unlocks products of its creator only', async () => {
        const [productId, hers] = [await creator.product(), await creator.product()];
        const foreign = await (await Creator.of(app)).product();
        const order = { ...ORDER, productId };
        for (const unlockedProducts of [[hers, foreign], [hers, 'unheard-of'], ['unheard-of']])
          assertRefused(await creator.send('/createLicense', { ...order, unlockedProducts }), 404, 'Product not found');
        assert.equal((await mustSucceed(app.admin('/listLicenses', { productId }))).count, 0);
        const { license } = await mustSucceed(creator.send('/createLicense', { ...order, unlockedProducts: [hers] }));
        assert.deepEqual(license.unlockedProducts, [hers]);
      });
    });

    for (const [what, order] of [
      ['email is absent', { productId: 'app' }],
      ['productId is absent', { email: 'ada@example.com' }],
      ['email is empty', { ...ORDER, email: '' }],
      ['productId is null', { ...ORDER, productId: null }],
    ] as const)
      it(`400 when ${what}`, async () => {
        assertRefused(await app.admin('/createLicense', order), 400, 'Missing email or productId');
      });

    for (const [field, value, errorText] of [
      ['email', 'ada.example.com', 'must be an e-mail address'],
      ['email', 'ada@', 'must be an e-mail address'],
      ['email', ['ada@example.com'], 'must be an e-mail address'],
      ['productId', 7, 'must be a string of at most 255 characters'],
      ['variant', 'x'.repeat(256), 'must be a string of at most 255 characters'],
      ['licenseType', 'node-locked', 'must be one of per-machine, floating, site'],
      ['maxMachines', 0, 'must be -1 (unlimited) or a whole number from 1 to 1000000000'],
      ['maxMachines', -2, 'must be -1 (unlimited) or a whole number from 1 to 1000000000'],
      ['maxMachines', 1.5, 'must be -1 (unlimited) or a whole number from 1 to 1000000000'],
      ['maxMachines', '2', 'must be -1 (unlimited) or a whole number from 1 to 1000000000'],
      ['maxMachines', 1_000_000_001, 'must be -1 (unlimited) or a whole number from 1 to 1000000000'],
      ['maxConcurrent', 1_000_000_001, 'must be a whole number from 1 to 1000000000'],
      ['maxConcurrent', 0, 'must be a whole number from 1 to 1000000000'],
      ['maxConcurrent', -1, 'must be a whole number from 1 to 1000000000'],
      ['expiresAt', 'tomorrow', 'must be an ISO 8601 timestamp, for example 2027-01-31T00:00:00Z, or null'],
      ['expiresAt', '2027-02-30', 'must be an ISO 8601 timestamp, for example 2027-01-31T00:00:00Z, or null'],
      ['expiresAt', 1893456000, 'must be an ISO 8601 timestamp, for example 2027-01-31T00:00:00Z, or null'],
      ['unlockedProducts', 'plugin', 'must be a list of at most 200 strings of 1 to 255 characters'],
      ['unlockedProducts', [7], 'must be a list of at most 200 strings of 1 to 255 characters'],
      ['discountCode', {}, 'must be a string of at most 255 characters'],
      ['purchaseId', true, 'must be a string of at most 255 characters'],
      ['bundleId', 'half \ud800', 'must not contain NUL or half of a surrogate pair'],
    ] as const)
      it(`400 for ${field} ${JSON.stringify(value).slice(0, 40)}`, async () => {
        assertRefused(await app.admin('/createLicense', { ...ORDER, [field]: value }), 400, `${field} ${errorText}`);
      });

    it('401 without a credential, before any other fault', async () => {
      assertRefused(await app.send('/createLicense', { maxMachines: 0 }), 401, 'Unauthorized');
    });
  });
