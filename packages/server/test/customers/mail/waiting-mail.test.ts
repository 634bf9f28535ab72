/** A mail that waits when the service starts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keysMail } from '../../../src/customers/mail/keys-mail.ts';
import { queueMail } from '../../../src/customers/mail/outbox.ts';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { startApp } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { MailServer } from '../../support/mail-server.ts';

for (const engine of engines)
  it(`a service that starts sends a mail that waits, on ${engine}`, { timeout: 120_000 }, async (test) => {
    const server = await MailServer.start();
    test.after(() => server.close());
    const shared = await freshDatabase(engine, test);
    const before = await startApp(engine, {}, shared);
    const licenseKey = await before.license({ email: 'ada@shop.example' });
    await before.stop();
    const storage = await openStorage(shared.database);
    const mail = { kind: keysMail, to: 'ada@shop.example', creatorId: null, language: 'en' as const, data: {} };
    await storage.transaction((tx) => queueMail(tx, { ...mail, licenseKey, now: systemClock() }));
    await storage.close();
    const bounds = { mailSender: { lookMs: 20, unreachedMs: 0, restMs: 20 } };
    const app = await startApp(engine, server.environment, shared, bounds);
    test.after(() => app.stop());
    const [received] = await server.hasReceived(1);
    assert.deepEqual(received?.to, ['ada@shop.example']);
  });
