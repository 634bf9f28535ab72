/** Mails of the service as operators run it: killed at the worst moment, with a wrong password, by another server. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { layOut } from '../../src/mail/layout.ts';
import { Smtp } from '../../src/mail/smtp.ts';
import { ADMIN_SECRET } from '../support/app.ts';
import { engines, freshDatabase } from '../support/databases.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { MailServer, type Reaction } from '../support/mail-server.ts';
import { execute } from '../support/own-connection.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const PASSWORD = 'the-password-of-the-mailer';

/** Queues the key of a new license, and returns the license key. */
async function mailKey(server: ServerProcess): Promise<string> {
  const order = { adminSecret: ADMIN_SECRET, email: 'ada@shop.example', productId: 'app' };
  const { licenseKey } = (await server.send('/createLicense', order)).body;
  const { status, body } = await server.send('/mailLicense', { adminSecret: ADMIN_SECRET, licenseKey });
  assert.equal(status, 200, JSON.stringify(body));
  return licenseKey;
}

const listed = async (server: ServerProcess, licenseKey: string) =>
  (await server.send('/listMails', { adminSecret: ADMIN_SECRET, licenseKey })).body.mails[0];

for (const engine of engines)
  describe(`a service that sends mail, ${engine}`, () => {
    it('repeats a mail once, with the same Message-ID, if it is killed before it marks the mail as sent', async () => {
      const { database, remove } = await freshDatabase(engine);
      const mails = await MailServer.start();
      const environment = {
        LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
        LATCHKEY_MAIL_FROM: 'licenses@shop.example',
        ...(database.engine === 'sqlite' ? { LATCHKEY_DATA_DIR: database.file.replace(/\/[^/]+$/, '') } : {}),
      };
      let server = await startServerProcess(database, environment);
      try {
        mails.reactToMail = async (): Promise<Reaction> => {
          mails.reactToMail = () => 'accept';
          await server.kill();
          return 'accept';
        };
        const licenseKey = await mailKey(server);
        await mails.hasReceived(1);
        await server.ended;
        // The next attempt is due after a minute, and the lease of the dead node ends before.
        await execute(database, "update mail set due_at = '2020-01-01T00:00:00.000Z'; delete from job_lease");
        server = await startServerProcess(database, environment);
        const received = await mails.hasReceived(2);
        assert.equal(received[0]?.mail.messageId, received[1]?.mail.messageId);
        while ((await listed(server, licenseKey)).state !== 'sent') await wait(20);
        await server.stop();
        assert.equal(mails.received.length, 2);
      } finally {
        await server.kill();
        await mails.close();
        await remove();
      }
    });
  });

describe('a service with a wrong password of its mail server', () => {
  it('shows neither the password nor the user anywhere', async () => {
    const { database, remove } = await freshDatabase('sqlite');
    const mails = await MailServer.start({ login: { user: 'mailer', password: PASSWORD } });
    const wrong = `not-${PASSWORD}`;
    const server = await startServerProcess(database, {
      LATCHKEY_SMTP_URL: `smtp://mailer:${wrong}@127.0.0.1:${mails.port}`,
      LATCHKEY_MAIL_FROM: 'licenses@shop.example',
      LATCHKEY_LOG_LEVEL: 'trace',
      ...(database.engine === 'sqlite' ? { LATCHKEY_DATA_DIR: database.file.replace(/\/[^/]+$/, '') } : {}),
    });
    try {
      const licenseKey = await mailKey(server);
      let mail = await listed(server, licenseKey);
      for (; mail.lastError === null; mail = await listed(server, licenseKey)) await wait(20);
      assert.deepEqual([mail.state, mail.lastError], ['waiting', 'login refused']);
      const system = await server.send('/getSystem', { adminSecret: ADMIN_SECRET });
      await server.stop();
      for (const shown of [JSON.stringify(system.body), JSON.stringify(server.log)])
        assert.doesNotMatch(shown, new RegExp(`${PASSWORD}|mailer`));
    } finally {
      await server.kill();
      await mails.close();
      await remove();
    }
  });
});

const hasAiosmtpd = spawnSync('python3', ['-c', 'import aiosmtpd']).status === 0;

describe('another mail server', { skip: hasAiosmtpd ? false : 'aiosmtpd of Python is not installed' }, () => {
  it('gets a mail that its own library reads', async () => {
    const port = await fixedPort();
    const program = [
      '-u',
      '-m',
      'aiosmtpd',
      '-n',
      '-l',
      `127.0.0.1:${port}`,
      '-c',
      'aiosmtpd.handlers.Debugging',
      'stdout',
    ];
    const server = spawn('python3', program, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      let said = '';
      server.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      for (let isThere = false; !isThere; await wait(50)) {
        const socket = connect(port, '127.0.0.1');
        isThere = await Promise.race([
          once(socket, 'connect').then(() => true),
          once(socket, 'error').then(() => false),
        ]).catch(() => false);
        socket.destroy();
      }
      const from = { name: 'Müller', address: 'licenses@shop.example' };
      const smtp = new Smtp({ host: '127.0.0.1', port, tls: 'offered', login: null, additionalCa: null, from });
      const text = layOut('de', 'Ihr Lizenzschlüssel', ['Guten Tag,', { label: 'Paint', value: 'AAAAA-BBBBB' }]);
      const mail = { ...text, to: 'ada@shop.example', messageId: '<one@shop.example>', at: systemClock() };
      assert.deepEqual(await smtp.send({ ...mail, replyTo: null, fromName: null }), { outcome: 'sent' });
      while (!said.includes('END MESSAGE')) await wait(20);
      for (const part of [
        'To: ada@shop.example',
        'Message-ID: <one@shop.example>',
        'Auto-Submitted: auto-generated',
        'AAAAA-BBBBB',
      ])
        assert.ok(said.includes(part), part);
    } finally {
      server.kill();
    }
  });
});
