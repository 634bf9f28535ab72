import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';
import { ORDER, orderSeats, readOrder, redeem, redeemed } from './orders.ts';

const REDEMPTION = {
  code: 'STUDIO-AAAA-AAAA',
  redeemerEmail: 'pupil@school.example',
  redeemerUserId: 'pupil-1',
  storefrontPurchaseId: 'record-1',
};

for (const engine of engines)
  describe(`/redeemSeatCode on ${engine}`, () => {
    const app = startedApp(engine);

    it('binds the seat to the redeemer and answers course, seat and count', async () => {
      const { studioOrderId, codes } = await orderSeats(app);
      app.clock.move(60_000);
      const { status, body } = await app.webhook('/redeemSeatCode', { ...REDEMPTION, code: codes[1] });
      assert.equal(status, 200);
      assert.deepEqual(body, {
        success: true,
        studioOrderId,
        courseId: ORDER.courseId,
        courseSlug: ORDER.courseSlug,
        courseTitle: ORDER.courseTitle,
        creatorId: ORDER.creatorId,
        seatNumber: 2,
        totalSeats: 3,
        redeemedCount: 1,
        buyerEmail: ORDER.buyerEmail,
      });
      const order = await readOrder(app, studioOrderId);
      assert.equal(order.redeemedCount, 1);
      assert.deepEqual(order.seats, [
        { code: codes[0], status: 'available' },
        {
          code: codes[1],
          status: 'redeemed',
          redeemedBy: 'pupil@school.example',
          redeemerUserId: 'pupil-1',
          redeemedAt: app.clock.at(),
          storefrontPurchaseId: 'record-1',
        },
        { code: codes[2], status: 'available' },
      ]);
    });

    it('counts up to the last seat, which can be redeemed, too', async () => {
      const { codes } = await orderSeats(app);
      for (const [index, code] of codes.entries()) assert.equal((await redeemed(app, code)).redeemedCount, index + 1);
    });

    it('takes a code in any case, with blanks around it, and says so when it is used again', async () => {
      const [code] = (await orderSeats(app)).codes;
      assert.equal((await redeem(app, ` ${code!.toLowerCase()} `)).status, 200);
      assert.equal((await redeem(app, code!)).status, 409);
    });

    it('409 with who used the code and when, for another user', async () => {
      const { studioOrderId, codes } = await orderSeats(app);
      await redeemed(app, codes[0]!, 'first');
      const redeemedAt = app.clock.at();
      app.clock.move(1000);
      const { status, body } = await redeem(app, codes[0]!, 'second');
      assert.deepEqual(
        [status, body],
        [409, { success: false, error: 'Code already redeemed', redeemedBy: 'first@school.example', redeemedAt }],
      );
      assert.equal((await readOrder(app, studioOrderId)).redeemedCount, 1);
    });

    it('409 the same for the same user again', async () => {
      const { codes } = await orderSeats(app);
      await redeemed(app, codes[0]!, 'forgetful');
      const answer = await redeem(app, codes[0]!, 'forgetful');
      assert.equal(answer.status, 409);
      assert.equal(answer.body.error, 'Code already redeemed');
      assert.equal(answer.body.redeemedBy, 'forgetful@school.example');
    });

    it('409 for a second code of the same order, which stays available', async () => {
      const { studioOrderId, codes } = await orderSeats(app);
      await redeemed(app, codes[0]!, 'greedy');
      assertRefused(await redeem(app, codes[1]!, 'greedy'), 409, 'User already has a seat in this studio order');
      const order = await readOrder(app, studioOrderId);
      assert.equal(order.redeemedCount, 1);
      assert.deepEqual(order.seats[1], { code: codes[1], status: 'available' });
    });

    it('a used code says so before it says that the user has a seat', async () => {
      const { codes } = await orderSeats(app);
      await redeemed(app, codes[0]!, 'one');
      await redeemed(app, codes[1]!, 'two');
      const answer = await redeem(app, codes[1]!, 'one');
      assert.equal(answer.body.error, 'Code already redeemed');
      assert.equal(answer.body.redeemedBy, 'two@school.example');
    });

    it('one user may have a seat in each of two orders of one course', async () => {
      const one = await orderSeats(app);
      const other = await orderSeats(app);
      await redeemed(app, one.codes[0]!, 'keen');
      await redeemed(app, other.codes[0]!, 'keen');
    });

    it('the user is redeemerUserId alone: one e-mail address may redeem for several users', async () => {
      const { codes } = await orderSeats(app);
      for (const [index, code] of codes.entries()) {
        const fields = { ...REDEMPTION, code, redeemerUserId: `pupil-${index}` };
        assert.equal((await app.webhook('/redeemSeatCode', fields)).status, 200);
      }
    });

    it('takes a code however old it is', async () => {
      const { codes } = await orderSeats(app);
      app.clock.move(20 * 365 * DAY_MS);
      assert.equal((await app.webhook('/validateSeatCode', { code: codes[0] })).body.status, 'available');
      await redeemed(app, codes[0]!);
    });

    it('404 for a code that does not exist', async () => {
      assertRefused(await app.webhook('/redeemSeatCode', REDEMPTION), 404, 'Code not found');
    });

    it('400 when a required field is absent, null or empty, and redeems nothing', async () => {
      const { studioOrderId, codes } = await orderSeats(app);
      for (const field of Object.keys(REDEMPTION))
        for (const nothing of [undefined, null, '']) {
          const fields = { ...REDEMPTION, code: codes[0], [field]: nothing };
          const answer = await app.webhook('/redeemSeatCode', fields);
          assert.equal(answer.status, 400, field);
          assert.deepEqual(answer.body, { success: false, error: 'Missing required fields' });
        }
      assert.equal((await readOrder(app, studioOrderId)).redeemedCount, 0);
    });

    it('400 for an e-mail address that is none', async () => {
      const answer = await app.webhook('/redeemSeatCode', { ...REDEMPTION, redeemerEmail: 'pupil' });
      assertRefused(answer, 400, 'redeemerEmail must be an e-mail address');
    });

    it('401 comes before 400, 404 and 409, and redeems nothing', async () => {
      const { studioOrderId, codes } = await orderSeats(app);
      for (const body of [{}, REDEMPTION, { ...REDEMPTION, code: codes[0] }])
        for (const headers of [{}, { 'x-webhook-secret': 'not-the-webhook-secret' }] as Record<string, string>[])
          assertRefused(await app.send('/redeemSeatCode', body, { headers }), 401, 'Unauthorized');
      assert.equal((await readOrder(app, studioOrderId)).redeemedCount, 0);
    });

    it('answers a lost success again to a retry with the same Idempotency-Key', async () => {
      const { studioOrderId, codes } = await orderSeats(app);
      const fields = { ...REDEMPTION, code: codes[0] };
      const headers = { 'Idempotency-Key': `redeem ${codes[0]}`.replace(' ', '-') };
      const first = await app.webhook('/redeemSeatCode', fields, { headers });
      const second = await app.webhook('/redeemSeatCode', fields, { headers });
      assert.equal(first.status, 200);
      assert.deepEqual([second.status, second.body], [200, first.body]);
      assert.equal((await readOrder(app, studioOrderId)).redeemedCount, 1);
    });

    it('one code redeemed by 20 users at once goes to exactly one', async () => {
      const { studioOrderId, codes } = await orderSeats(app);
      await fillPool(app);
      const winners: (string | undefined)[] = [];
      for (const [round, code] of codes.entries()) {
        const users = Array.from({ length: 20 }, (_, index) => `racer-${round}-${index}`);
        const answers = await Promise.all(users.map((user) => redeem(app, code, user)));
        const won = users.filter((_, index) => answers[index]!.status === 200);
        assert.equal(won.length, 1);
        winners.push(won[0]);
        for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
          assert.equal(status, 409);
          assert.equal(body.error, 'Code already redeemed');
          assert.equal(body.redeemedBy, `${won[0]}@school.example`);
        }
      }
      const order = await readOrder(app, studioOrderId);
      const seats: { redeemerUserId: string }[] = order.seats;
      assert.equal(order.redeemedCount, 3);
      assert.deepEqual(
        seats.map(({ redeemerUserId }) => redeemerUserId),
        winners,
      );
    });

    it('one user with 20 codes of one order at once gets exactly one seat', async () => {
      const { studioOrderId, codes } = await orderSeats(app, { seatCount: 20 });
      await fillPool(app);
      const answers = await Promise.all(codes.map((code) => redeem(app, code, 'many-hands')));
      const won = answers.filter(({ status }) => status === 200);
      assert.equal(won.length, 1);
      for (const { status, body } of answers)
        if (status !== 200) {
          assert.equal(status, 409);
          assert.equal(body.error, 'User already has a seat in this studio order');
        }
      const order = await readOrder(app, studioOrderId);
      assert.equal(order.redeemedCount, 1);
      const seats: { status: string }[] = order.seats;
      assert.deepEqual(
        seats.flatMap(({ status }, index) => (status === 'redeemed' ? [index + 1] : [])),
        [won[0]!.body.seatNumber],
      );
    });

    it('50 users at once take the 50 seats of an order, one each', async () => {
      const { studioOrderId, codes } = await orderSeats(app, { seatCount: 50 });
      await fillPool(app);
      const answers = await Promise.all(codes.map((code, index) => redeem(app, code, `pupil-${index}`)));
      const numbers = (field: string) => answers.map(({ body }) => body[field]).sort((one, other) => one - other);
      const upTo50 = Array.from({ length: 50 }, (_, index) => index + 1);
      assert.deepEqual(numbers('seatNumber'), upTo50);
      // Each redemption sees all earlier ones, so no count occurs twice.
      assert.deepEqual(numbers('redeemedCount'), upTo50);
      const order = await readOrder(app, studioOrderId);
      assert.equal(order.redeemedCount, 50);
      const seats: { redeemerUserId: string }[] = order.seats;
      assert.deepEqual(
        seats.map(({ redeemerUserId }) => redeemerUserId),
        codes.map((_, index) => `pupil-${index}`),
      );
    });

    it('however users and codes race, redeemedCount is the number of redeemed seats, one per user', async () => {
      const { studioOrderId, codes } = await orderSeats(app, { seatCount: 8 });
      await fillPool(app);
      const attempts = Array.from({ length: 60 }, (_, index) =>
        redeem(app, codes[(index * 5) % 8]!, `crowd-${index % 6}`),
      );
      const answers = await Promise.all(attempts);
      const order = await readOrder(app, studioOrderId);
      const seats: { status: string; redeemerUserId: string }[] = order.seats;
      const taken = seats.filter(({ status }) => status === 'redeemed').map(({ redeemerUserId }) => redeemerUserId);
      assert.equal(order.redeemedCount, taken.length);
      assert.equal(new Set(taken).size, taken.length);
      assert.equal(answers.filter(({ status }) => status === 200).length, taken.length);
    });
  });
