/** The brand of the pages for customers (rules 13.7). */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { assertRefused } from '../../support/answers.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { openRules } from '../../support/customers.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex').toString('base64');

/** SHA-256 of the bytes of a picture in base64, in hexadecimal digits. */
const digestOf = (picture: string) => hash('sha256', Buffer.from(picture, 'base64'));

for (const engine of engines)
  describe(`brands on ${engine}`, () => {
    const app = startedApp(engine);

    it('are made, changed field by field, and emptied by null', async () => {
      const missing = await app.admin('/updateBrand', { accent: '#1a5fb4' });
      assertRefused(missing, 400, 'Missing name, which a new brand needs');
      assert.deepEqual((await app.admin('/getBrand')).body, { success: true, brand: null });
      const whole = { name: 'Tapehead', supportAddress: 'help@example.com', supportUrl: 'https://example.com/help' };
      await app.admin('/updateBrand', { ...whole, accent: '#1A5FB4', logo: PNG });
      const changed = await app.admin('/updateBrand', { supportUrl: null });
      const brand = {
        ...{ creatorId: null, ...whole, supportUrl: null, accent: '#1a5fb4', allowsNewKeys: false, productLinks: [] },
        updatedAt: app.clock.at(),
      };
      const logo = { type: 'image/png', data: PNG };
      assert.deepEqual(changed.body, { success: true, brand: { ...brand, logo } });
      assert.deepEqual((await app.admin('/getBrand')).body.brand, changed.body.brand);
      const { events } = (await app.admin('/listEvents', { types: ['brand.updated'] })).body;
      assert.deepEqual(
        events.map(({ before: was, after: is }: { before: unknown; after: unknown }) => [was, is]),
        [
          [{ supportUrl: 'https://example.com/help' }, { supportUrl: null }],
          [
            null,
            {
              ...{ ...whole, accent: '#1a5fb4', logoBytes: 10, logoSha256: digestOf(PNG) },
              ...{ allowsNewKeys: false, linkedProducts: 0, productLinksSha256: null },
            },
          ],
        ],
      );
    });

    it('record another logo of the same size by its digest, and the same logo as no change', async () => {
      const { creatorId } = await Creator.of(app);
      const other = Buffer.from('89504e470d0a1a0a0001', 'hex').toString('base64');
      for (const logo of [PNG, other, other, null]) await app.admin('/updateBrand', { creatorId, name: 'Shop', logo });
      const { events } = (await app.admin('/listEvents', { types: ['brand.updated'] })).body;
      const own = events.filter(({ subject }: { subject: string }) => subject === creatorId);
      assert.deepEqual(
        own.slice(0, 2).map(({ before: was, after: is }: { before: unknown; after: unknown }) => [was, is]),
        [
          [
            { logoBytes: 10, logoSha256: digestOf(other) },
            { logoBytes: 0, logoSha256: null },
          ],
          [{ logoSha256: digestOf(PNG) }, { logoSha256: digestOf(other) }],
        ],
      );
      assert.equal(own.length, 3);
    });

    it('have a logo whose type its first bytes tell', async () => {
      const { creatorId } = await Creator.of(app);
      for (const [bytes, type] of [
        [Buffer.from('89504e470d0a1a0a0000', 'hex'), 'image/png'],
        [Buffer.from('ffd8ffe00010', 'hex'), 'image/jpeg'],
        [Buffer.from('RIFF\x1a\0\0\0WEBPVP8L', 'latin1'), 'image/webp'],
      ] as const) {
        const logo = bytes.toString('base64');
        const { body } = await app.admin('/updateBrand', { creatorId, name: 'Shop', logo });
        assert.deepEqual(body.brand?.logo, { type, data: logo });
      }
      for (const text of ['RIFF\x24\0\0\0WAVEfmt ', 'RIFX\x1a\0\0\0WEBPVP8L']) {
        const logo = Buffer.from(text, 'latin1').toString('base64');
        const refused = await app.admin('/updateBrand', { creatorId, name: 'Shop', logo });
        assertRefused(refused, 400, 'logo must be a PNG, JPEG or WebP picture');
      }
    });

    it('belong to creators as well, who reach their own only', async () => {
      const creator = await Creator.of(app);
      const made = await creator.send('/updateBrand', { name: 'Shop' });
      assert.equal(made.body.brand.creatorId, creator.creatorId);
      const other = await creator.send('/updateBrand', { name: 'Shop', creatorId: 'another' });
      assertRefused(other, 403, 'An API key cannot act for another creator');
      const seen = await app.admin('/getBrand', { creatorId: creator.creatorId });
      assert.equal(seen.body.brand.name, 'Shop');
    });

    it('have links of products, which replace the stored ones and are recorded by their number and digest', async () => {
      const { creatorId } = await Creator.of(app);
      const links = (productId: string, receipt: string | null = null) => ({
        ...{ productId, download: 'https://shop.example/get', renew: null, receipt },
      });
      const update = async (productLinks: object) =>
        (await mustSucceed(app.admin('/updateBrand', { creatorId, name: 'Shop', productLinks }))).brand.productLinks;
      assert.deepEqual(
        await update([
          { productId: 'a', download: 'https://shop.example/get' },
          { productId: 'empty', renew: null },
        ]),
        [links('a')],
      );
      assert.deepEqual(await update([links('b', 'https://shop.example/orders')]), [
        links('b', 'https://shop.example/orders'),
      ]);
      const { brand } = (await app.admin('/updateBrand', { creatorId, accent: '#1a5fb4' })).body;
      assert.equal(brand.productLinks.length, 1, 'another change keeps them');
      assert.deepEqual(await update([]), []);
      const { events } = (await app.admin('/listEvents', { types: ['brand.updated'] })).body;
      const own = events.filter(({ subject }: { subject: string }) => subject === creatorId);
      assert.deepEqual(
        own.map(({ after }: { after: { linkedProducts?: number } }) => after.linkedProducts),
        [0, undefined, undefined, 1],
      );
    });

    it('have names that no reader of a mail takes for an address or a link', async () => {
      const creator = await Creator.of(app);
      for (const name of ['security@bank.example', 'Shop https://evil.example', 'WWW.evil.example', 'a\uff20b'])
        for (const send of [app.admin, creator.send])
          assertRefused(
            await send('/updateBrand', { name }),
            400,
            'name must not look like an e-mail address or a link',
          );
      for (const name of ['bank.example', 'Log in at evil。example', 'Bank (bank.example/login)'])
        assertRefused(
          await creator.send('/updateBrand', { name }),
          400,
          'name must not contain a name of a host, such as example.com; the operator can set one',
        );
      await mustSucceed(app.admin('/updateBrand', { name: 'Booking.example', creatorId: creator.creatorId }));
      await mustSucceed(creator.send('/updateBrand', { accent: '#1a5fb4' }));
      await mustSucceed(creator.send('/updateBrand', { name: 'Dr. Brush & Co., version 2.0' }));
    });

    it('are refused with what no page can show, by the name of the field', async () => {
      const logoOf = (bytes: number) =>
        Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(bytes)])
          .subarray(0, bytes)
          .toString('base64');
      await mustSucceed(app.admin('/updateBrand', { name: 'x'.repeat(100), logo: logoOf(32 * 1024) }));
      for (const [fields, error] of [
        [{ name: 'x'.repeat(101) }, 'name must be a string of at most 100 characters'],
        [{ accent: '#ffff00' }, 'accent must have a contrast of at least 3 with white; it has 1.07'],
        [{ accent: '#000033' }, 'accent must have a contrast of at least 3 with black; it has 1.04'],
        [{ accent: 'blue' }, 'accent must be a colour such as #1a5fb4'],
        [{ logo: Buffer.from('<svg/>').toString('base64') }, 'logo must be a PNG, JPEG or WebP picture'],
        [{ logo: '<script>' }, 'logo must be base64'],
        [{ logo: logoOf(32 * 1024 + 1) }, 'logo must have at most 32 KiB'],
        [{ logo: logoOf(33 * 1024) }, 'logo must be a string of at most 43692 characters, or null'],
        [{ supportUrl: 'javascript:alert(1)' }, 'supportUrl must be an https address'],
        [
          { productLinks: [{ productId: 'a', renew: 'javascript:alert(1)' }] },
          'productLinks[0].renew must be an https address',
        ],
        [
          { productLinks: [{ productId: 'a', renew: 'https://shop.example/\u202e' }] },
          'productLinks[0].renew must be an https address',
        ],
        [
          { productLinks: [1, 2].map(() => ({ productId: 'a', renew: 'https://shop.example/' })) },
          'productLinks[1].productId names a product for the second time',
        ],
        [{ supportUrl: 'https://a:b@example.com' }, 'supportUrl must be an https address'],
        [{ supportAddress: 'victim<evil@example.com>' }, 'supportAddress must be a plain e-mail address'],
        [{ supportAddress: 'a@example.com\r\nBcc: b@example.com' }, 'supportAddress must be a plain e-mail address'],
        [
          { name: 'Shop \u202egro.live' },
          'name must have no control characters, no marks of writing direction, and no blanks at its ends',
        ],
      ] as const)
        assertRefused(await app.admin('/updateBrand', { name: 'Shop', ...fields }), 400, error);
    });
  });

describe('the brand of a page', () => {
  it('is that of the shop, else of the operator, else Latchkey', async (test) => {
    const rules = await openRules('sqlite');
    test.after(() => rules.close());
    const nameOf = async (fields: object) => (await rules.my('showShop', fields)).name;
    assert.equal(await nameOf({}), 'Latchkey');
    await rules.admin('/updateBrand', { name: 'Operator', logo: PNG });
    await rules.admin('/updateBrand', { creatorId: 'ada', name: 'Shop of Ada' });
    const names = [await nameOf({}), await nameOf({ shop: 'ada' }), await nameOf({ shop: 'unknown' })];
    assert.deepEqual(names, ['Operator', 'Shop of Ada', 'Operator']);
    assert.deepEqual(await rules.my('showLogo', {}), { type: 'image/png', data: PNG });
    assert.deepEqual(await rules.my('showLogo', { shop: 'ada' }), { refused: 'no_logo' });
  });
});
