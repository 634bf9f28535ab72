import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../support/answers.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedApp } from '../../support/started-app.ts';
import { creatorWithKey, product, unique } from './catalogue.ts';

for (const engine of engines)
  describe(`/listProducts on ${engine}`, () => {
    const app = startedApp(engine);

    /** A creator with a live, an unlisted and an archived product, in this order. */
    async function shop() {
      const { creatorId, apiKey } = await creatorWithKey(app);
      const ids = { live: '', unlisted: '', archived: '' };
      for (const status of ['live', 'unlisted', 'archived'] as const) {
        app.clock.move(1000);
        ids[status] = await product(app, { creatorId, status });
      }
      return { creatorId, apiKey, ...ids };
    }

    const idsOf = ({ body }: { body: { products: { productId: string }[] } }) =>
      body.products.map(({ productId }) => productId);

    it('shows live products only by default', async () => {
      const { creatorId, live } = await shop();
      const answer = await app.admin('/listProducts', { creatorId });
      assert.equal(answer.status, 200);
      assert.deepEqual(idsOf(answer), [live]);
      assert.equal(answer.body.count, 1);
    });

    it('shows the statuses of a comma-separated list, blanks and repeats allowed', async () => {
      const { creatorId, live, unlisted, archived } = await shop();
      for (const [status, expected] of [
        ['archived', [archived]],
        ['unlisted', [unlisted]],
        ['live,archived', [archived, live]],
        [' archived , live,live', [archived, live]],
        ['live,unlisted,archived', [archived, unlisted, live]],
      ] as const)
        assert.deepEqual(idsOf(await app.admin('/listProducts', { creatorId, status })), expected, status);
    });

    it('shows every status with includeAll, even beside status', async () => {
      const { creatorId, live, unlisted, archived } = await shop();
      for (const more of [{}, { status: 'live' }])
        assert.deepEqual(idsOf(await app.admin('/listProducts', { creatorId, includeAll: true, ...more })), [
          archived,
          unlisted,
          live,
        ]);
    });

    for (const status of ['draft', 'live,draft', 'live,', ',', 'Live', 'live unlisted'])
      it(`400 for the status ${JSON.stringify(status)}`, async () => {
        const answer = await app.admin('/listProducts', { status });
        assertRefused(answer, 400, 'status must be a comma-separated list of live, unlisted, archived');
      });

    it('shows adminSecret the products of every creator unless one is named', async () => {
      const one = await shop();
      const other = await shop();
      assert.deepEqual(idsOf(await app.admin('/listProducts')).slice(0, 2), [other.live, one.live]);
      assert.deepEqual(idsOf(await app.admin('/listProducts', { creatorId: one.creatorId })), [one.live]);
    });

    it('shows an API key its own products only, whichever creator it names', async () => {
      const { apiKey, live } = await shop();
      const other = await shop();
      for (const named of [{}, { creatorId: other.creatorId }])
        assert.deepEqual(idsOf(await app.send('/listProducts', { apiKey, ...named })), [live]);
    });

    it('shows nothing to an API key whose creator owns nothing', async () => {
      const { apiKey } = await creatorWithKey(app);
      const answer = await app.send('/listProducts', { apiKey, includeAll: true });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, { success: true, products: [], count: 0 });
    });

    it('shows the one product that is named, if it fits what else is given', async () => {
      const { creatorId, archived, live } = await shop();
      const find = async (fields: object) =>
        idsOf(await app.admin('/listProducts', { productId: archived, ...fields }));
      assert.deepEqual(await find({ includeAll: true }), [archived]);
      assert.deepEqual(await find({ status: 'archived', creatorId }), [archived]);
      assert.deepEqual(await find({}), [], 'it is not live');
      assert.deepEqual(await find({ includeAll: true, creatorId: unique('creator') }), []);
      assert.deepEqual(await find({ includeAll: true, productId: unique('product') }), []);
      const { body } = await app.admin('/listProducts', { creatorId, status: 'unlisted,live', limit: 1 });
      assert.deepEqual(await find({ includeAll: true, cursor: body.nextCursor }), [], 'it is on the page before');
      assert.deepEqual(await find({ productId: live, cursor: body.nextCursor }), [live]);
    });

    it('shows an API key no product of others, though it names it', async () => {
      const [mine, theirs] = [await shop(), await shop()];
      const find = (productId: string) => app.send('/listProducts', { apiKey: mine.apiKey, productId });
      assert.deepEqual(idsOf(await find(mine.live)), [mine.live]);
      const [foreign, absent] = [await find(theirs.live), await find(unique('product'))];
      assert.deepEqual(foreign.body, { success: true, products: [], count: 0 });
      assert.deepEqual(foreign.body, absent.body);
    });

    it('shows every field, status and active in step', async () => {
      const { creatorId, archived } = await shop();
      const answer = await app.admin('/listProducts', { creatorId, status: 'archived' });
      assert.deepEqual(answer.body.products, [
        {
          productId: archived,
          name: 'Product',
          slug: archived,
          creatorId,
          status: 'archived',
          active: false,
          createdAt: app.clock.at(),
          updatedAt: app.clock.at(),
        },
      ]);
    });

    it('pages through everything once, newest first, across statuses and products of one moment', async () => {
      const creatorId = unique('paged');
      const made: string[] = [];
      for (let moment = 0; moment < 3; moment += 1) {
        app.clock.move(1000);
        const statuses = ['live', 'unlisted', 'archived', 'live'];
        const twins = await Promise.all(statuses.map((status) => product(app, { creatorId, status })));
        made.unshift(...twins.sort().reverse());
      }
      const filter = { creatorId, includeAll: true, limit: 5 };
      const pages = await pagesOf(app.admin, '/listProducts', filter, 'products');
      const ids = pages.map((page) => page.map(({ productId }) => productId));
      assert.deepEqual(ids, [made.slice(0, 5), made.slice(5, 10), made.slice(10)]);
    });

    it('has no nextCursor when the last page is full', async () => {
      const { creatorId } = await shop();
      const answer = await app.admin('/listProducts', { creatorId, includeAll: true, limit: 3 });
      assert.equal(answer.body.count, 3);
      assert.equal(answer.body.nextCursor, undefined);
    });

    for (const [field, value] of [
      ['limit', 0],
      ['limit', 1001],
      ['includeAll', 'perhaps'],
      ['cursor', 'not-a-cursor'],
    ] as const)
      it(`400 names ${field} when it is ${value}`, async () => {
        const answer = await app.admin('/listProducts', { [field]: value });
        assert.equal(answer.status, 400);
        assert.ok(answer.body.error.startsWith(`${field} `), answer.body.error);
      });

    it('takes its parameters from the query of a GET', async () => {
      const { creatorId, live, unlisted } = await shop();
      const query = new URLSearchParams({ adminSecret: ADMIN_SECRET, creatorId, status: 'live,unlisted', limit: '2' });
      const answer = await app.send(`/listProducts?${query}`, undefined, { method: 'GET' });
      assert.equal(answer.status, 200);
      assert.deepEqual(idsOf(answer), [unlisted, live]);
    });

    it('401 without a credential', async () => {
      assert.equal((await app.send('/listProducts', {})).status, 401);
    });
  });
