/** The client of the mail server, against servers with TLS, STARTTLS and a login, and against broken ones. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { isMailable } from '../../../src/customers/mail/address.ts';
import { layOut } from '../../../src/customers/mail/layout.ts';
import { type OutgoingMail, Smtp, type SmtpSettings } from '../../../src/customers/mail/smtp.ts';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { readConfig } from '../../../src/runtime/config/read-config.ts';
import { smtpSettings } from '../../../src/runtime/service/mail-settings.ts';
import { listen } from '../../support/listen.ts';
import { MailServer } from '../../support/mail-server.ts';
import { certificateOf } from '../../support/receiver.ts';

const LOGIN = { user: 'mailer', password: 'the-password-of-the-mailer' };
const certificate = await certificateOf(['localhost'], ['127.0.0.1']);
const foreign = await certificateOf(['localhost'], ['127.0.0.1']);

const mailTo = (to: string, more: Partial<OutgoingMail> = {}): OutgoingMail => ({
  ...{ ...layOut('en', 'Subject', ['First.', 'Second.']), to, messageId: '<one@shop.example>', at: systemClock() },
  ...{ replyTo: null, fromName: null, ...more },
});

const settingsOf = (server: MailServer, more: Partial<SmtpSettings> = {}): SmtpSettings => ({
  ...{
    host: 'localhost',
    port: server.port,
    ownName: null,
    tls: 'offered',
    isPrivate: false,
    login: null,
    additionalCa: certificate.cert,
  },
  ...{ from: { name: null, address: 'licenses@shop.example' }, ...more },
});

describe('the mail client', () => {
  const servers: MailServer[] = [];
  const start = async (...options: Parameters<typeof MailServer.start>) => {
    const server = await MailServer.start(...options);
    servers.push(server);
    return server;
  };
  let plain: MailServer;
  before(async () => {
    plain = await start();
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  it('greets the server with its own name, or with the host of the public URL', async (test) => {
    const url = { LATCHKEY_SMTP_URL: 'smtp://127.0.0.1', LATCHKEY_MAIL_FROM: 'licenses@shop.example' };
    for (const [environment, name] of [
      [{ LATCHKEY_PUBLIC_URL: 'https://licenses.shop.example' }, 'licenses.shop.example'],
      [
        { LATCHKEY_PUBLIC_URL: 'https://licenses.shop.example', LATCHKEY_SMTP_NAME: 'mx.shop.example' },
        'mx.shop.example',
      ],
    ] as const) {
      const { mail } = readConfig({ ...url, ...environment });
      const greeted = Promise.withResolvers<string>();
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', (line) => {
          greeted.resolve(line.toString().trim());
          socket.end('421 closing\r\n');
        });
        socket.write('220 ready\r\n');
      });
      const port = await listen(server);
      test.after(() => server.close());
      await assert.rejects(new Smtp({ ...smtpSettings(mail!), port }).verify());
      assert.equal(await greeted.promise, `EHLO ${name}`);
    }
  });

  it('sends over TLS from the first byte, and with STARTTLS, with a login', async () => {
    for (const [offered, tls] of [
      ['always', 'always'],
      ['offered', 'required'],
    ] as const) {
      const server = await start({ tls: offered, certificate, login: LOGIN });
      const smtp = new Smtp(settingsOf(server, { tls, login: LOGIN }));
      await smtp.verify();
      assert.deepEqual(await smtp.send(mailTo('ada@shop.example')), { outcome: 'sent' });
      const [received] = server.received;
      assert.deepEqual([received?.isSecure, received?.user], [true, 'mailer'], tls);
    }
  });

  it('sends nothing without STARTTLS where it is required, nor to a certificate that it does not trust', async () => {
    const stripped = new Smtp(settingsOf(plain, { tls: 'required' }));
    assert.deepEqual(await stripped.send(mailTo('ada@shop.example')), {
      ...{ outcome: 'unavailable', error: 'no STARTTLS', answer: null, isConnected: false },
    });
    await assert.rejects(stripped.verify(), /^Error: no STARTTLS/);
    assert.deepEqual(plain.received, []);
    for (const [offered, tls] of [
      ['always', 'always'],
      ['offered', 'required'],
    ] as const) {
      const server = await start({ tls: offered, certificate: foreign });
      const result = await new Smtp(settingsOf(server, { tls })).send(mailTo('ada@shop.example'));
      assert.equal(result.outcome, 'unavailable');
      assert.deepEqual(server.received, []);
    }
  });

  it('accepts any certificate where TLS is only offered', async () => {
    const server = await start({ tls: 'offered', certificate: foreign });
    const result = await new Smtp(settingsOf(server)).send(mailTo('ada@shop.example'));
    assert.deepEqual([result.outcome, server.received[0]?.isSecure], ['sent', true]);
  });

  it('shows no password when the login is refused, even if the server repeats it', async () => {
    const server = await start({ tls: 'always', certificate, login: LOGIN });
    const wrong = { user: 'mailer', password: 'a-wrong-password-of-the-mailer' };
    const smtp = new Smtp(settingsOf(server, { tls: 'always', login: wrong }));
    const result = await smtp.send(mailTo('ada@shop.example'));
    assert.deepEqual(result, {
      ...{ outcome: 'unavailable', error: 'login refused', answer: null, isConnected: false },
    });
    await assert.rejects(smtp.verify(), (error: Error) => {
      assert.equal(error.message, 'login refused');
      assert.doesNotMatch(String(error.stack), /a-wrong-password/);
      return true;
    });
  });

  it('shows the words of a server that asks to come back later, and no login that they repeat', async (test) => {
    const encoded = Buffer.from(`\0${LOGIN.user}\0${LOGIN.password}`).toString('base64');
    for (const [greeting, answerTo, words] of [
      ['421 4.7.0 Too many connections', {}, '421 4.7.0 Too many connections'],
      [
        '220 ready',
        { EHLO: '250-mail\r\n250 AUTH PLAIN', AUTH: `454 4.7.0 Temporary failure of ${encoded}` },
        '454 4.7.0 Temporary failure of ***',
      ],
    ] as const) {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', (line) => {
          const answer = (answerTo as Readonly<Record<string, string>>)[line.toString().slice(0, 4).trim()];
          socket.write(`${answer ?? '250 ok'}\r\n`);
        });
        socket.write(`${greeting}\r\n`);
      });
      const port = await listen(server);
      test.after(() => server.close());
      const smtp = new Smtp({ ...settingsOf(plain), port, login: LOGIN });
      const result = await smtp.send(mailTo('ada@shop.example'));
      assert.deepEqual(result, {
        ...{ outcome: 'unavailable', error: `status ${words.slice(0, 3)}`, answer: words, isConnected: false },
      });
      await assert.rejects(smtp.verify(), { message: `later (${words})` });
    }
  });

  it('sends without TLS to a named server of a private network alone', async () => {
    const url = { LATCHKEY_SMTP_URL: 'smtp://127.0.0.2', LATCHKEY_MAIL_FROM: 'licenses@shop.example' };
    const named = { ...url, LATCHKEY_SMTP_PLAIN: '127.0.0.2' };
    const server = await start();
    const smtp = new Smtp({ ...smtpSettings(readConfig(named).mail!), host: '127.0.0.1', port: server.port });
    assert.deepEqual(await smtp.send(mailTo('ada@shop.example')), { outcome: 'sent' });
    assert.equal(server.received.length, 1);
    const outside = new Smtp({ ...settingsOf(plain, { isPrivate: true }), host: '203.0.113.9' });
    assert.deepEqual(await outside.send(mailTo('ada@shop.example')), {
      ...{ outcome: 'unavailable', error: 'no address of a private network', answer: null, isConnected: false },
    });
    const relay = { ...url, LATCHKEY_SMTP_URL: 'smtp://relay.internal', LATCHKEY_SMTP_PLAIN: 'relay.internal' };
    assert.deepEqual([smtpSettings(readConfig(relay).mail!).tls, readConfig(relay).mail!.isPlain], ['offered', true]);
    for (const [environment, fault] of [
      [{ ...relay, LATCHKEY_SMTP_PLAIN: 'other.internal' }, /LATCHKEY_SMTP_PLAIN must be the host/],
      [{ ...relay, LATCHKEY_SMTP_URL: 'smtps://relay.internal' }, /LATCHKEY_SMTP_PLAIN must be the host/],
      [{ ...relay, LATCHKEY_SMTP_URL: 'smtp://me:secret@relay.internal' }, /must not be set with a password/],
      [{ LATCHKEY_SMTP_PLAIN: 'relay.internal' }, /LATCHKEY_SMTP_URL must be set too/],
    ] as const)
      assert.throws(() => readConfig(environment), fault);
  });

  it('does not send without a login to a server that offers none', async () => {
    const result = await new Smtp(settingsOf(plain, { login: LOGIN })).send(mailTo('ada@shop.example'));
    assert.deepEqual([result.outcome, plain.received], ['unavailable', []]);
  });

  it('ends an attempt whose server says nothing after the mail', async () => {
    const server = await start();
    server.reactToMail = () => 'hang';
    const smtp = new Smtp(settingsOf(server), { connectMs: 10_000, attemptMs: 300 });
    assert.deepEqual(await smtp.send(mailTo('ada@shop.example')), {
      ...{ outcome: 'unavailable', error: 'timeout', answer: null, isConnected: false },
    });
  });

  it('tells temporary refusals from final ones', async () => {
    const server = await start();
    for (const [status, outcome] of [
      [421, 'unavailable'],
      [450, 'unavailable'],
      [530, 'unavailable'],
      [550, 'refused'],
      [554, 'refused'],
    ] as const) {
      server.reactToMail = () => ({ status, words: 'no' });
      const result = await new Smtp(settingsOf(server)).send(mailTo('ada@shop.example'));
      assert.equal(result.outcome, outcome, `${status}`);
    }
  });

  it('puts no line of a stranger into the head of a mail', async () => {
    const server = await start();
    const injected = 'Shop\r\nBcc: attacker@evil.example\u202E';
    const mail = mailTo('ada@shop.example', { subject: injected, fromName: injected, replyTo: 'help@shop.example' });
    assert.deepEqual(await new Smtp(settingsOf(server)).send(mail), { outcome: 'sent' });
    const [received] = server.received;
    assert.deepEqual(received?.to, ['ada@shop.example']);
    assert.equal(received?.mail.bcc, undefined);
    assert.equal(received?.mail.subject, 'Shop Bcc: attacker@evil.example');
    assert.deepEqual(received?.mail.from, {
      ...{ name: 'Shop Bcc: attacker@evil.example', address: 'licenses@shop.example' },
    });
    assert.equal(received?.mail.replyTo?.[0]?.address, 'help@shop.example');
  });

  it('gives the server exactly the address that it was given', async () => {
    const server = await start();
    const addresses = ["o'hara+tag@shop.example", 'a%b!c@shop.example', 'ada@münchen.example'];
    for (const address of addresses) assert.ok(isMailable(address), address);
    for (const address of addresses) await new Smtp(settingsOf(server)).send(mailTo(address));
    assert.deepEqual(
      server.received.map(({ to }) => to),
      addresses.map((address) => [address]),
    );
  });
});
