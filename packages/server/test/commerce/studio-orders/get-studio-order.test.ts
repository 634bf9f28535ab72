import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertRefused } from '../../support/answers.ts';
import { ADMIN_SECRET, WEBHOOK_SECRET } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { ORDER, orderSeats, redeemed } from './orders.ts';

const NOT_FOUND = { success: false, error: 'Studio order not found' };
const UNKNOWN_ID = 'so_00000000-0000-4000-8000-000000000000';

for (const engine of engines)
  describe(`/getStudioOrder on ${engine}`, () => {
    let apiKey: string;
    const app = startedApp(engine);
    before(async () => {
      apiKey = await keyOf('creator-1');
    });

    async function keyOf(creatorId: string): Promise<string> {
      const { body } = await app.admin('/createApiKey', { creatorId, name: 'a key' });
      return body.apiKey;
    }

    it('answers exactly the stated fields, also of an order with external identifiers', async () => {
      const { studioOrderId, codes } = await orderSeats(app, { externalOrderId: 'cs_1', purchaseId: 'p_1' });
      const createdAt = app.clock.at();
      app.clock.move(1000);
      await redeemed(app, codes[2]!, 'pupil');
      const { status, body } = await app.webhook('/getStudioOrder', { studioOrderId });
      assert.equal(status, 200);
      assert.deepEqual(body, {
        success: true,
        studioOrder: {
          ...ORDER,
          id: studioOrderId,
          redeemedCount: 1,
          status: 'active',
          createdAt,
          seats: [
            { code: codes[0], status: 'available' },
            { code: codes[1], status: 'available' },
            {
              code: codes[2],
              status: 'redeemed',
              redeemedBy: 'pupil@school.example',
              redeemerUserId: 'pupil',
              redeemedAt: app.clock.at(),
              storefrontPurchaseId: 'record-1',
            },
          ],
        },
      });
    });

    it('lists the seats of the largest order in the order they were issued', async () => {
      const { studioOrderId, codes } = await orderSeats(app, { seatCount: 50 });
      const { body } = await app.webhook('/getStudioOrder', { studioOrderId });
      assert.deepEqual(
        body.studioOrder.seats.map(({ code }: { code: string }) => code),
        codes,
      );
    });

    it('GET takes the identifier from the query and answers the same', async () => {
      const { studioOrderId } = await orderSeats(app);
      const posted = await app.webhook('/getStudioOrder', { studioOrderId });
      const headers = { 'x-webhook-secret': WEBHOOK_SECRET };
      const got = await app.send(`/getStudioOrder?studioOrderId=${studioOrderId}`, undefined, {
        method: 'GET',
        headers,
      });
      assert.equal(got.status, 200);
      assert.deepEqual(got.body, posted.body);
    });

    it('an API key reads the orders of its creator, however it is shown', async () => {
      const { studioOrderId } = await orderSeats(app);
      const query = `/getStudioOrder?studioOrderId=${studioOrderId}`;
      const answers = [
        await app.send('/getStudioOrder', { studioOrderId, apiKey }),
        await app.send('/getStudioOrder', { studioOrderId }, { headers: { 'X-API-Key': apiKey } }),
        await app.send('/getStudioOrder', { studioOrderId }, { headers: { Authorization: `Bearer ${apiKey}` } }),
        await app.send(query, undefined, { method: 'GET', headers: { 'X-API-Key': apiKey } }),
        await app.send(`${query}&apiKey=${apiKey}`, undefined, { method: 'GET' }),
      ];
      for (const { status, body } of answers) {
        assert.equal(status, 200);
        assert.equal(body.studioOrder.id, studioOrderId);
        assert.equal(body.studioOrder.seats.length, 3);
      }
    });

    it("404 for another creator's API key, the same as for an order that does not exist", async () => {
      const { studioOrderId } = await orderSeats(app);
      const otherKey = await keyOf('creator-2');
      for (const [key, id] of [
        [otherKey, studioOrderId],
        [otherKey, UNKNOWN_ID],
        [apiKey, UNKNOWN_ID],
      ]) {
        const answer = await app.send('/getStudioOrder', { studioOrderId: id, apiKey: key });
        assert.equal(answer.status, 404);
        assert.deepEqual(answer.body, NOT_FOUND);
      }
    });

    it('404 for an order that does not exist', async () => {
      for (const studioOrderId of [UNKNOWN_ID, 'so_', 'STUDIO-AAAA-AAAA', "' or 1=1 --", '%']) {
        const answer = await app.webhook('/getStudioOrder', { studioOrderId });
        assert.equal(answer.status, 404, studioOrderId);
        assert.deepEqual(answer.body, NOT_FOUND);
      }
    });

    it('400 without an identifier, by POST and by GET, for the secret and for a key', async () => {
      const headers = { 'x-webhook-secret': WEBHOOK_SECRET };
      for (const answer of [
        await app.webhook('/getStudioOrder', {}),
        await app.webhook('/getStudioOrder', { studioOrderId: null }),
        await app.webhook('/getStudioOrder', { studioOrderId: '' }),
        await app.send('/getStudioOrder', undefined, { method: 'GET', headers }),
        await app.send('/getStudioOrder?studioOrderId=', undefined, { method: 'GET', headers }),
        await app.send('/getStudioOrder', { apiKey }),
      ])
        assertRefused(answer, 400, 'Missing studioOrderId');
    });

    it('401 comes before 400 and 404, also when one of two credentials is wrong', async () => {
      const { studioOrderId } = await orderSeats(app);
      const revokedKey = await keyOf('creator-1');
      await app.admin('/revokeApiKey', { apiKeyToRevoke: revokedKey });
      for (const fields of [{ studioOrderId }, {}, { studioOrderId: UNKNOWN_ID }])
        for (const [shown, headers] of [
          [{}, {}],
          [{ adminSecret: ADMIN_SECRET }, {}],
          [{ apiKey: 'no-such-key' }, {}],
          [{ apiKey: revokedKey }, {}],
          [{ apiKey }, { 'x-webhook-secret': 'not-the-webhook-secret' }],
          [{ apiKey: 'no-such-key' }, { 'x-webhook-secret': WEBHOOK_SECRET }],
        ] as [object, Record<string, string>][]) {
          const answer = await app.send('/getStudioOrder', { ...fields, ...shown }, { headers });
          assert.equal(answer.status, 401, JSON.stringify({ ...fields, ...shown }));
          assert.deepEqual(answer.body, { success: false, error: 'Unauthorized' });
        }
    });

    it('the webhook secret beside a right key reaches every order', async () => {
      const { studioOrderId } = await orderSeats(app);
      const answer = await app.webhook('/getStudioOrder', { studioOrderId, apiKey: await keyOf('creator-2') });
      assert.equal(answer.status, 200);
    });
  });
