import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../support/answers.ts';
import { ADMIN_SECRET, WEBHOOK_SECRET } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { ORDER, readOrder } from './orders.ts';

const SEAT_COUNT_FAULT = { success: false, error: 'seatCount must be between 2 and 50' };

for (const engine of engines)
  describe(`/createStudioOrder on ${engine}`, () => {
    const app = startedApp(engine);

    const create = (fields: Readonly<Record<string, unknown>> = {}) =>
      app.webhook('/createStudioOrder', { ...ORDER, ...fields });

    it('201 with one code per seat, all available', async () => {
      const { status, body } = await create({ seatCount: 7 });
      assert.equal(status, 201);
      assert.match(body.studioOrderId, /^so_[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      const codes: string[] = body.seats.map(({ code }: { code: string }) => code);
      assert.equal(new Set(codes).size, 7);
      for (const code of codes) assert.match(code, /^STUDIO(-[ABCDEFGHJKMNPQRSTUVWXYZ23456789]{4}){2}$/);
      assert.deepEqual(body, {
        success: true,
        studioOrderId: body.studioOrderId,
        seats: codes.map((code) => ({ code, status: 'available' })),
        seatCount: 7,
        redeemedCount: 0,
      });
    });

    it('keeps the fields of the request, with the currency in lower case', async () => {
      const { body } = await create({ currency: 'EUR', pricePerSeat: 0, totalAmount: Number.MAX_SAFE_INTEGER });
      assert.deepEqual(await readOrder(app, body.studioOrderId), {
        ...ORDER,
        id: body.studioOrderId,
        currency: 'eur',
        pricePerSeat: 0,
        totalAmount: Number.MAX_SAFE_INTEGER,
        redeemedCount: 0,
        status: 'active',
        createdAt: app.clock.at(),
        seats: body.seats,
      });
    });

    it('takes 2 and 50 seats', async () => {
      for (const seatCount of [2, 50]) {
        const { status, body } = await create({ seatCount });
        assert.equal(status, 201);
        assert.equal(body.seats.length, seatCount);
        assert.equal(body.seatCount, seatCount);
      }
    });

    it('400 for any seatCount that is not a whole number from 2 to 50', async () => {
      for (const seatCount of [1, 51, 0, -2, 2.5, 1e308, '3', 'many', true, [3], { seats: 3 }]) {
        const answer = await create({ seatCount });
        assert.equal(answer.status, 400, JSON.stringify(seatCount));
        assert.deepEqual(answer.body, SEAT_COUNT_FAULT);
      }
    });

    it('400 when a required field is absent, null or empty', async () => {
      for (const field of Object.keys(ORDER))
        for (const nothing of [undefined, null, '']) {
          const answer = await create({ [field]: nothing });
          assert.equal(answer.status, 400, field);
          assert.deepEqual(answer.body, { success: false, error: 'Missing required fields' });
        }
    });

    it('says that a field is missing before it says that seatCount is out of range', async () => {
      const answer = await create({ seatCount: 1, courseTitle: undefined });
      assert.equal(answer.body.error, 'Missing required fields');
    });

    it('400 names the invalid field', async () => {
      const wrong: [string, unknown][] = [
        ['buyerEmail', 'nobody'],
        ['buyerUserId', 7],
        ['courseTitle', ['a', 'b']],
        ['creatorId', 'x'.repeat(256)],
        ['pricePerSeat', -1],
        ['pricePerSeat', 49.5],
        ['totalAmount', '14700'],
        ['totalAmount', Number.MAX_SAFE_INTEGER + 1],
        ['currency', 'dollars'],
        ['currency', 'u$d'],
        ['externalOrderId', 12],
        ['purchaseId', {}],
      ];
      for (const [field, value] of wrong) {
        const answer = await create({ [field]: value });
        assert.equal(answer.status, 400, field);
        assert.match(answer.body.error, new RegExp(`^${field} must be`));
      }
    });

    it('401 comes before any 400', async () => {
      const headersShown: Record<string, string>[] = [
        {},
        { 'x-webhook-secret': 'not-the-webhook-secret' },
        { 'x-webhook-secret': ADMIN_SECRET },
        { 'x-admin-secret': ADMIN_SECRET },
      ];
      for (const headers of headersShown)
        for (const fields of [ORDER, { seatCount: 1 }, {}])
          assertRefused(await app.send('/createStudioOrder', fields, { headers }), 401, 'Unauthorized');
    });

    it('401 for the webhook secret as a body field, which only /storefrontWebhook takes', async () => {
      const answer = await app.send('/createStudioOrder', { ...ORDER, webhookSecret: WEBHOOK_SECRET });
      assert.equal(answer.status, 401);
    });

    it('makes a separate order each time, even for the same externalOrderId', async () => {
      const externalOrderId = 'cs_test_1';
      const first = await create({ externalOrderId });
      const second = await create({ externalOrderId });
      assert.equal(second.status, 201);
      assert.notEqual(second.body.studioOrderId, first.body.studioOrderId);
    });

    it('answers the same order to a retry with the same Idempotency-Key', async () => {
      const headers = { 'Idempotency-Key': 'cs_test_2' };
      const buyerUserId = 'careful buyer';
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => app.webhook('/createStudioOrder', { ...ORDER, buyerUserId }, { headers })),
      );
      for (const { status, body } of answers) {
        assert.equal(status, 201);
        assert.deepEqual(body, answers[0]!.body);
      }
      const listed = await app.webhook('/listStudioOrders', { buyerUserId });
      assert.equal(listed.body.orders.length, 1);
    });

    it('405 for anything but POST', async () => {
      const answer = await app.send('/createStudioOrder', undefined, { method: 'GET' });
      assert.equal(answer.status, 405);
      assert.equal(answer.headers.allow, 'POST');
    });
  });
