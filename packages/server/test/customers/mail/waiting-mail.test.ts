/** Mails and their thread: one that waits when the service starts, and one beside events. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { getPriority, platform } from 'node:os';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { keysMail } from '../../../src/customers/mail/keys-mail.ts';
import { queueMail } from '../../../src/customers/mail/outbox.ts';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { startApp } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { MailServer } from '../../support/mail-server.ts';

for (const engine of engines)
  it(`a service that starts sends an e-mail that waits, on ${engine}`, { timeout: 120_000 }, async (test) => {
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

/** Threads of this process that leave a busy machine to the others, as those of senders do. */
async function countBehind(): Promise<number> {
  const threads = await readdir('/proc/self/task');
  return threads.filter((thread) => getPriority(Number(thread)) > getPriority()).length;
}

it('events and e-mails have a thread each', {
  skip: platform() !== 'linux' && 'only Linux has priorities of threads',
  timeout: 120_000,
}, async (test) => {
  const server = await MailServer.start();
  test.after(() => server.close());
  const environment = { ...server.environment, LATCHKEY_SECRETS_KEY: 'a-secrets-key-of-the-tests' };
  const app = await startApp('sqlite', environment, undefined, {
    mailSender: { lookMs: 20, unreachedMs: 0, restMs: 20 },
  });
  test.after(() => app.stop());
  const before = await countBehind();
  const url = 'https://nobody.invalid/hook';
  const made = await app.admin('/createDestination', { url, types: ['license.created'] });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const licenseKey = await app.license({ email: 'ada@shop.example' });
  while ((await countBehind()) < before + 1) await wait(20);
  assert.equal((await app.admin('/mailLicense', { licenseKey })).status, 200);
  await server.hasReceived(1);
  assert.equal(await countBehind(), before + 2);
});
