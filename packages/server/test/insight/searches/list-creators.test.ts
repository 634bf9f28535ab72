/** Creators for a person who types one: the owners of anything, each once. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { orderSeats } from '../../commerce/studio-orders/orders.ts';
import { assertRefused } from '../../support/answers.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedApp } from '../../support/started-app.ts';

/** In the order of the list: by bytes, so capitals come first. */
const CREATORS = ['Zoe', 'ada', 'adam', 'bo', 'cleo', '\u{1F3B8}'] as const;

for (const engine of engines)
  describe(`/listCreators on ${engine}`, () => {
    let apiKey: string;
    const app = startedApp(engine);
    before(async () => {
      for (const slug of ['one', 'two'])
        await mustSucceed(app.admin('/createProduct', { name: slug, slug, creatorId: 'bo' }));
      await mustSucceed(app.admin('/createProduct', { name: 'lute', slug: 'lute', creatorId: '\u{1F3B8}' }));
      await mustSucceed(app.admin('/createDiscountCode', { code: 'SPRING', trialDays: 14, creatorId: 'adam' }));
      for (const creatorId of ['Zoe', 'bo']) await orderSeats(app, { creatorId });
      await mustSucceed(app.admin('/createApiKey', { creatorId: 'cleo', name: 'key' }));
      ({ apiKey } = await mustSucceed(app.admin('/createApiKey', { creatorId: 'ada', name: 'key' })));
    });

    const creatorsOf = async (fields: Readonly<Record<string, unknown>>) =>
      (await pagesOf(app.admin, '/listCreators', fields, 'creators')).flat();

    it('answers the owners of products, keys, codes and orders, each once, in order', async () => {
      const creators = [...CREATORS];
      assert.deepEqual(await mustSucceed(app.admin('/listCreators')), { success: true, creators, count: 6 });
    });

    it('pages through them, each once', async () => {
      for (const limit of [1, 2, 3, 5, 6]) assert.deepEqual(await creatorsOf({ limit }), CREATORS);
      assert.deepEqual(await creatorsOf({ limit: 1, beginning: 'ada' }), ['ada', 'adam']);
    });

    it('finds those that begin with a text, in the same case', async () => {
      for (const [beginning, expected] of [
        ['ada', ['ada', 'adam']],
        ['adam', ['adam']],
        ['Z', ['Zoe']],
        ['z', []],
        ['\u{1F3B8}', ['\u{1F3B8}']],
      ] as const)
        assert.deepEqual(await creatorsOf({ beginning }), expected, beginning);
    });

    it('answers an API key its own creator only', async () => {
      const list = async (beginning?: string) =>
        (await mustSucceed(app.send('/listCreators', { apiKey, beginning }))).creators;
      assert.deepEqual(await list(), ['ada']);
      assert.deepEqual(await list('a'), ['ada']);
      assert.deepEqual(await list('bo'), []);
    });

    it('400 for a cursor that is none', async () => {
      const refused = await app.admin('/listCreators', { cursor: 'bogus' });
      assertRefused(refused, 400, 'cursor is not the nextCursor of an earlier answer');
    });
  });
