import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../support/answers.ts';
import { Creator } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';
import { creatorWithKey, product, shownProduct, tally, unique } from './catalogue.ts';

for (const engine of engines)
  describe(`/createProduct on ${engine}`, () => {
    const app = startedApp(engine);

    it('makes a live product whose id is its slug', async () => {
      const slug = unique('photo');
      const answer = await app.admin('/createProduct', { name: 'Photo', slug, creatorId: 'ada' });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, { success: true, productId: slug, status: 'live' });
      assert.deepEqual(await shownProduct(app, slug), {
        productId: slug,
        name: 'Photo',
        slug,
        creatorId: 'ada',
        status: 'live',
        active: true,
        createdAt: app.clock.at(),
        updatedAt: app.clock.at(),
      });
    });

    for (const [status, active] of [
      ['live', true],
      ['unlisted', true],
      ['archived', false],
    ] as const)
      it(`makes a product that is ${status}, with active ${active}, when asked to`, async () => {
        const slug = unique(status);
        const answer = await app.admin('/createProduct', { name: 'Any', slug, creatorId: 'ada', status });
        assert.deepEqual(answer.body, { success: true, productId: slug, status });
        assert.equal((await shownProduct(app, slug)).active, active);
      });

    it('400 for a name that a reader of a mail takes for an address or a link, and from an API key for that of a host', async () => {
      const creator = await Creator.of(app);
      for (const name of ['call@evil.example', 'Log in at https://evil.example', 'www.evil.example'])
        for (const send of [app.admin, creator.send])
          assertRefused(
            await send('/createProduct', { name, slug: unique('photo'), creatorId: creator.creatorId }),
            400,
            'name must not look like an e-mail address or a link',
          );
      const slug = unique('photo');
      const host = { name: 'Paint.example', slug };
      const error = 'name must not contain a name of a host, such as example.com; the operator can set one';
      assertRefused(await creator.send('/createProduct', host), 400, error);
      const made = await app.admin('/createProduct', { ...host, creatorId: creator.creatorId });
      assert.equal(made.status, 200);
      const renamed = (name: string) => creator.send('/updateProduct', { productId: slug, name });
      assert.equal((await renamed('Paint.example')).status, 200, 'the present name');
      assertRefused(await renamed('Photo.example'), 400, error);
      assert.equal((await renamed('Paint, version 2.0')).status, 200);
    });

    for (const field of ['name', 'slug', 'creatorId'])
      for (const value of [undefined, null, ''])
        it(`400 when ${field} is ${JSON.stringify(value) ?? 'absent'}`, async () => {
          const order = { name: 'Photo', slug: unique('photo'), creatorId: 'ada', [field]: value };
          assertRefused(await app.admin('/createProduct', order), 400, 'Missing name, slug or creatorId');
        });

    for (const slug of [
      'two words',
      'a/b',
      'a?b',
      'a#b',
      'a%20b',
      'ünlaut',
      '-a',
      '..',
      '.a',
      ' a',
      'a\n',
      'a'.repeat(256),
    ])
      it(`400 describes a valid slug instead of ${JSON.stringify(slug.slice(0, 12))}`, async () => {
        const answer = await app.admin('/createProduct', { name: 'Photo', slug, creatorId: 'ada' });
        assert.equal(answer.status, 400);
        assert.match(answer.body.error, /^slug must be URL-safe: .*letters.*digits.*hyphens/);
      });

    for (const slug of ['photo', 'photo-2', 'Photo_2.1~beta', '7', 'a'.repeat(255)])
      it(`takes the slug ${slug.slice(0, 20)}`, async () => {
        assert.equal(await product(app, { slug }), slug);
      });

    it('400 names a status that does not exist', async () => {
      const order = { name: 'Photo', slug: unique('photo'), creatorId: 'ada', status: 'draft' };
      assertRefused(await app.admin('/createProduct', order), 400, 'status must be one of live, unlisted, archived');
    });

    it('401 without a credential', async () => {
      const answer = await app.send('/createProduct', { name: 'Photo', slug: unique('photo'), creatorId: 'ada' });
      assert.deepEqual([answer.status, answer.body.error], [401, 'Unauthorized']);
    });

    it('409 for a slug that anybody has taken, and leaves the existing product unchanged', async () => {
      const { apiKey } = await creatorWithKey(app);
      const slug = await product(app, { name: 'First' });
      for (const answer of [
        await app.admin('/createProduct', { name: 'Second', slug, creatorId: 'grace' }),
        await app.send('/createProduct', { apiKey, name: 'Third', slug }),
      ])
        assertRefused(answer, 409, 'Slug already exists');
      assert.equal((await shownProduct(app, slug)).name, 'First');
    });

    it('gives one slug to exactly one of 20 who ask at once', async () => {
      const slug = unique('contested');
      await fillPool(app);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          app.admin('/createProduct', { name: `Product ${index}`, slug, creatorId: `creator ${index}` }),
        ),
      );
      assert.deepEqual(tally(answers), { 200: 1, 409: 19 });
      const winner = answers.findIndex(({ status }) => status === 200);
      assert.equal((await shownProduct(app, slug, `creator ${winner}`)).name, `Product ${winner}`);
    });

    it('an API key creates for its own creator, named or not', async () => {
      const { creatorId, apiKey } = await creatorWithKey(app);
      for (const named of [{}, { creatorId }]) {
        const slug = unique('keyed');
        const answer = await app.send('/createProduct', { apiKey, name: 'Keyed', slug, ...named });
        assert.equal(answer.status, 200);
        assert.equal((await shownProduct(app, slug, creatorId)).creatorId, creatorId);
      }
    });

    it('403 when an API key names another creator, and creates nothing', async () => {
      const { creatorId, apiKey } = await creatorWithKey(app);
      const slug = unique('foreign');
      const answer = await app.send('/createProduct', { apiKey, name: 'Foreign', slug, creatorId: 'ada' });
      assertRefused(answer, 403, 'An API key cannot act for another creator');
      assert.equal(await shownProduct(app, slug), undefined);
      assert.equal(await shownProduct(app, slug, creatorId), undefined);
    });

    it('409 when an API key claims a slug under which licenses exist, which adminSecret may', async () => {
      const { creatorId, apiKey } = await creatorWithKey(app);
      const slug = unique('sold');
      const licenseKey = await app.license({ productId: slug });
      assertRefused(await app.send('/createProduct', { apiKey, name: 'Claimed', slug }), 409, 'Slug already exists');
      assert.equal((await app.send('/getLicense', { apiKey, licenseKey })).status, 404);
      assert.equal(await product(app, { slug, creatorId }), slug);
      assert.equal((await app.send('/getLicense', { apiKey, licenseKey })).status, 200);
    });

    it('405 for GET', async () => {
      const answer = await app.send('/createProduct', undefined, { method: 'GET' });
      assert.deepEqual([answer.status, answer.headers.allow], [405, 'POST']);
    });
  });
