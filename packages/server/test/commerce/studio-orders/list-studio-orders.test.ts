import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../support/answers.ts';
import { WEBHOOK_SECRET } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { ORDER, orderSeats, redeemed } from './orders.ts';

const FILTER_FAULT = { success: false, error: 'Provide buyerUserId, courseId, or creatorId' };

for (const engine of engines)
  describe(`/listStudioOrders on ${engine}`, () => {
    const app = startedApp(engine);

    const list = (fields: Readonly<Record<string, unknown>>) => app.webhook('/listStudioOrders', fields);
    const listedBy = async (fields: Readonly<Record<string, unknown>>): Promise<string[]> =>
      (await list(fields)).body.orders.map(({ id }: { id: string }) => id);

    /** This many orders of one buyer, oldest first. */
    async function ordersOf(buyerUserId: string, count: number): Promise<string[]> {
      const made: string[] = [];
      for (let number = 0; number < count; number += 1)
        made.push((await orderSeats(app, { buyerUserId, seatCount: 2 })).studioOrderId);
      return made;
    }

    it('answers exactly the stated fields, and no codes', async () => {
      const { studioOrderId, codes } = await orderSeats(app, { buyerUserId: 'summaries' });
      await redeemed(app, codes[0]!);
      const body = await mustSucceed(list({ buyerUserId: 'summaries' }));
      assert.deepEqual(body, {
        success: true,
        orders: [
          {
            id: studioOrderId,
            courseSlug: ORDER.courseSlug,
            courseTitle: ORDER.courseTitle,
            seatCount: 3,
            redeemedCount: 1,
            totalAmount: ORDER.totalAmount,
            status: 'active',
            createdAt: app.clock.at(),
          },
        ],
      });
    });

    it('lists by buyer, by course and by creator', async () => {
      const one = await orderSeats(app, { buyerUserId: 'b-1', courseId: 'c-1', creatorId: 'm-1' });
      app.clock.move(1000);
      const two = await orderSeats(app, { buyerUserId: 'b-1', courseId: 'c-2', creatorId: 'm-2' });
      app.clock.move(1000);
      const three = await orderSeats(app, { buyerUserId: 'b-2', courseId: 'c-1', creatorId: 'm-2' });
      assert.deepEqual(await listedBy({ buyerUserId: 'b-1' }), [two.studioOrderId, one.studioOrderId]);
      assert.deepEqual(await listedBy({ courseId: 'c-1' }), [three.studioOrderId, one.studioOrderId]);
      assert.deepEqual(await listedBy({ creatorId: 'm-2' }), [three.studioOrderId, two.studioOrderId]);
      assert.deepEqual(await listedBy({ creatorId: 'm-3' }), []);
    });

    it('takes the filter literally', async () => {
      await orderSeats(app, { buyerUserId: 'Literal' });
      for (const buyerUserId of ['literal', 'Liter%', 'L_teral', 'Literal '])
        assert.deepEqual(await listedBy({ buyerUserId }), []);
    });

    it('is newest first, also for orders made in one millisecond', async () => {
      const made = await ordersOf('quick', 5);
      app.clock.move(1);
      made.push(...(await ordersOf('quick', 2)));
      assert.deepEqual(await listedBy({ buyerUserId: 'quick' }), made.toReversed());
    });

    it('pages: nextCursor is there as long as more is', async () => {
      const made = await ordersOf('pages', 5);
      const listed: string[] = [];
      let cursor: string | undefined;
      const sizes: number[] = [];
      do {
        const { body } = await list({ buyerUserId: 'pages', limit: 2, cursor });
        listed.push(...body.orders.map(({ id }: { id: string }) => id));
        sizes.push(body.orders.length);
        cursor = body.nextCursor;
      } while (cursor !== undefined);
      assert.deepEqual(sizes, [2, 2, 1]);
      assert.deepEqual(listed, made.toReversed());
      const whole = await list({ buyerUserId: 'pages', limit: 5 });
      assert.equal('nextCursor' in whole.body, false);
    });

    it('GET takes filter, limit and cursor from the query', async () => {
      const made = await ordersOf('by get', 3);
      const get = (query: string) =>
        app.send(`/listStudioOrders?buyerUserId=by%20get&${query}`, undefined, {
          method: 'GET',
          headers: { 'x-webhook-secret': WEBHOOK_SECRET },
        });
      const body = await mustSucceed(get('limit=2'));
      const second = await get(`limit=2&cursor=${body.nextCursor}`);
      const listed = [...body.orders, ...second.body.orders].map(({ id }: { id: string }) => id);
      assert.deepEqual(listed, made.toReversed());
    });

    it('400 unless exactly one filter is given', async () => {
      const [buyerUserId, courseId, creatorId] = ['b', 'c', 'm'];
      for (const fields of [
        {},
        { buyerUserId: null, courseId: '' },
        { limit: 5 },
        { studioOrderId: 'so_1' },
        { buyerUserId, courseId },
        { courseId, creatorId },
        { buyerUserId, creatorId },
        { buyerUserId, courseId, creatorId },
      ]) {
        const answer = await list(fields);
        assert.equal(answer.status, 400, JSON.stringify(fields));
        assert.deepEqual(answer.body, FILTER_FAULT);
      }
    });

    it('a filter that is null or empty is no filter', async () => {
      const { studioOrderId } = await orderSeats(app, { courseId: 'lonely' });
      assert.deepEqual(await listedBy({ courseId: 'lonely', buyerUserId: null, creatorId: '' }), [studioOrderId]);
    });

    it('400 names an invalid filter, limit or cursor', async () => {
      for (const [field, value] of Object.entries({ courseId: 5, limit: 0, cursor: 'bm8gcGxhY2U' })) {
        const answer = await list({ buyerUserId: 'b', [field]: value });
        assert.equal(answer.status, 400);
        assert.match(answer.body.error, new RegExp(`^${field} `));
      }
      assert.equal((await list({ buyerUserId: 'b', limit: 1001 })).status, 400);
    });

    it('401 comes before 400, and an API key is no credential here', async () => {
      const { body } = await app.admin('/createApiKey', { creatorId: ORDER.creatorId, name: 'a key' });
      const headersShown: Record<string, string>[] = [
        {},
        { 'x-webhook-secret': 'not-the-webhook-secret' },
        { 'x-api-key': body.apiKey },
      ];
      for (const fields of [{ creatorId: ORDER.creatorId }, {}])
        for (const headers of headersShown)
          assertRefused(await app.send('/listStudioOrders', fields, { headers }), 401, 'Unauthorized');
    });
  });
