import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADMIN_SECRET, WEBHOOK_SECRET } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { Customer } from './storefront.ts';

for (const engine of engines)
  describe(`/storefrontWebhook on ${engine}`, () => {
    const app = startedApp(engine);

    const event = { type: 'purchase.completed', email: 'ada@example.com', productId: 'app' };

    it('takes its secret from the header or from the body', async () => {
      const headers = { 'x-webhook-secret': WEBHOOK_SECRET };
      assert.equal((await app.send('/storefrontWebhook', event, { headers })).status, 200);
      assert.equal((await app.send('/storefrontWebhook', { ...event, webhookSecret: WEBHOOK_SECRET })).status, 200);
    });

    it('401 without the webhook secret, with a wrong one beside it, or with the admin secret', async () => {
      const wrong = { headers: { 'x-webhook-secret': 'wrong' } };
      for (const answer of [
        await app.send('/storefrontWebhook', event),
        await app.send('/storefrontWebhook', {}),
        await app.send('/storefrontWebhook', { ...event, webhookSecret: WEBHOOK_SECRET }, wrong),
        await app.webhook('/storefrontWebhook', { ...event, webhookSecret: 'wrong' }),
        await app.admin('/storefrontWebhook', event),
        await app.send('/storefrontWebhook', { ...event, webhookSecret: ADMIN_SECRET }),
      ])
        assert.deepEqual([answer.status, answer.body], [401, { success: false, error: 'Unauthorized' }]);
    });

    for (const field of ['type', 'email', 'productId'])
      it(`400 when ${field} is missing`, async () => {
        const { status, body } = await app.webhook('/storefrontWebhook', { ...event, [field]: '' });
        assert.deepEqual([status, body.error], [400, 'Missing type, email or productId']);
      });

    it('400 that names type for a type it does not know', async () => {
      const { status, body } = await new Customer(app).report('purchase.imagined');
      assert.equal(status, 400);
      assert.match(body.error, /^type must be one of purchase.completed, /);
    });

    for (const [field, value] of [
      ['email', 'nobody'],
      ['licenseType', 'eternal'],
      ['maxMachines', 0],
      ['maxMachines', -2],
      ['trialDays', 0],
      ['durationDays', 0],
      ['durationDays', 30.5],
      ['amount', '12'],
      ['currency', 978],
    ] as const)
      it(`400 that names ${field} when it is ${JSON.stringify(value)}`, async () => {
        const { status, body } = await new Customer(app).report('purchase.completed', { [field]: value });
        assert.equal(status, 400);
        assert.match(body.error, new RegExp(`^${field} `));
      });
  });
