import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../support/answers.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { ORDER, orderSeats, readOrder, redeemed } from './orders.ts';

for (const engine of engines)
  describe(`/validateSeatCode on ${engine}`, () => {
    const app = startedApp(engine);

    const check = (code: unknown) => app.webhook('/validateSeatCode', { code });

    it('answers the course, the seat and that the code is available', async () => {
      const { codes } = await orderSeats(app, { courseId: 'course-7' });
      for (const [index, code] of codes.entries()) {
        const body = await mustSucceed(check(code));
        assert.deepEqual(body, {
          valid: true,
          courseId: 'course-7',
          courseSlug: ORDER.courseSlug,
          courseTitle: ORDER.courseTitle,
          status: 'available',
          seatNumber: index + 1,
          totalSeats: 3,
        });
      }
    });

    it('a used code is valid and redeemed', async () => {
      const { codes } = await orderSeats(app);
      await redeemed(app, codes[1]!);
      const body = await mustSucceed(check(codes[1]));
      assert.equal(body.valid, true);
      assert.equal(body.status, 'redeemed');
      assert.equal(body.seatNumber, 2);
      assert.equal((await check(codes[0])).body.status, 'available');
    });

    it('redeems nothing', async () => {
      const { studioOrderId, codes } = await orderSeats(app);
      await check(codes[0]);
      const order = await readOrder(app, studioOrderId);
      assert.equal(order.redeemedCount, 0);
      assert.deepEqual(order.seats[0], { code: codes[0], status: 'available' });
    });

    it('takes a code in any case, with blanks around it', async () => {
      const [code] = (await orderSeats(app)).codes;
      const mixed = [...code!].map((letter, index) => (index % 2 ? letter.toLowerCase() : letter)).join('');
      for (const typed of [code!.toLowerCase(), mixed, `  ${code}\t\n`]) {
        const { status, body } = await check(typed);
        assert.equal(status, 200, typed);
        assert.equal(body.seatNumber, 1);
      }
    });

    it('404 for a code that does not exist', async () => {
      const [code] = (await orderSeats(app)).codes;
      for (const unknown of ['STUDIO-AAAA-AAAA', code!.slice(7), `${code}X`, '%', ' ']) {
        const answer = await check(unknown);
        assert.equal(answer.status, 404, unknown);
        assert.deepEqual(answer.body, { success: false, error: 'Code not found' });
      }
    });

    it('400 when the code is absent, null or empty', async () => {
      for (const nothing of [undefined, null, '']) assertRefused(await check(nothing), 400, 'Missing code');
    });

    it('401 comes before 400 and 404', async () => {
      for (const body of [{}, { code: 'STUDIO-AAAA-AAAA' }])
        for (const headers of [{}, { 'x-webhook-secret': 'not-the-webhook-secret' }] as Record<string, string>[])
          assertRefused(await app.send('/validateSeatCode', body, { headers }), 401, 'Unauthorized');
    });
  });
