/**
 * Changing the secrets without downtime: the previous ones are accepted beside the new ones as long as they are set.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_SECRET, startApp, type TestApp, WEBHOOK_SECRET } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import type { TestDatabase } from '../../support/test-database.ts';

const PREVIOUS_ADMIN_SECRET = 'admin-secret-of-last-year';
const PREVIOUS_WEBHOOK_SECRET = 'webhook-secret-of-last-year';

for (const engine of engines)
  describe(`previous secrets on ${engine}`, () => {
    let app: TestApp;
    let database: TestDatabase;
    before(async () => {
      database = await freshDatabase(engine);
      app = await startApp(
        engine,
        {
          LATCHKEY_ADMIN_SECRET_PREVIOUS: PREVIOUS_ADMIN_SECRET,
          LATCHKEY_WEBHOOK_SECRET_PREVIOUS: PREVIOUS_WEBHOOK_SECRET,
        },
        database,
      );
    });
    after(async () => {
      await app.stop();
      await database.remove();
    });

    const admin = async (adminSecret: string, headers = {}) =>
      (await app.send('/listLicenses', { adminSecret }, { headers })).status;
    const webhook = async (secret: string, webhookSecret?: string) => {
      const event = { type: 'purchase.completed', email: 'ada@example.com', productId: 'app', webhookSecret };
      return (await app.send('/storefrontWebhook', event, { headers: { 'x-webhook-secret': secret } })).status;
    };

    it('are accepted beside the new ones, wherever secrets are', async () => {
      for (const secret of [ADMIN_SECRET, PREVIOUS_ADMIN_SECRET]) {
        assert.equal(await admin(secret), 200);
        assert.equal(await admin(secret, { 'x-admin-secret': secret }), 200);
      }
      for (const secret of [WEBHOOK_SECRET, PREVIOUS_WEBHOOK_SECRET]) {
        assert.equal(await webhook(secret), 200);
        assert.equal(await webhook(secret, secret), 200);
      }
    });

    it('may be shown beside the new ones in one request: each is right', async () => {
      assert.equal(await admin(ADMIN_SECRET, { 'x-admin-secret': PREVIOUS_ADMIN_SECRET }), 200);
      assert.equal(await webhook(PREVIOUS_WEBHOOK_SECRET, WEBHOOK_SECRET), 200);
    });

    it('are not accepted for each other, nor when they are nearly right', async () => {
      assert.equal(await admin(PREVIOUS_WEBHOOK_SECRET), 401);
      assert.equal(await webhook(PREVIOUS_ADMIN_SECRET), 401);
      assert.equal(await admin(`${PREVIOUS_ADMIN_SECRET}x`), 401);
      assert.equal(await webhook(PREVIOUS_WEBHOOK_SECRET.slice(0, -1)), 401);
    });

    it('are accepted no longer once they are not set any more', async () => {
      await app.stop();
      app = await startApp(engine, {}, database);
      assert.equal(await admin(PREVIOUS_ADMIN_SECRET), 401);
      assert.equal(await webhook(PREVIOUS_WEBHOOK_SECRET), 401);
      assert.equal(await admin(ADMIN_SECRET), 200);
      assert.equal(await webhook(WEBHOOK_SECRET), 200);
    });
  });
