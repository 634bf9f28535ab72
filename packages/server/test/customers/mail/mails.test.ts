/** E-mails of the real service on both engines, read from the wire. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { type ScrapedSample, scrapedValue, scrapeUntil } from '../../ground/measures/scrape.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { type Ended, runCommandHere } from '../../support/command.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { fixedPort } from '../../support/fixed-port.ts';
import { fillPool } from '../../support/full-pool.ts';
import { MailServer } from '../../support/mail-server.ts';
import { pagesOf } from '../../support/pages.ts';

const PASSWORD = 'p@ss word/of?the#tests';
const LOGIN = { user: 'latchkey@mail.example', password: PASSWORD };
const BOUNDS = { mailSender: { lookMs: 20, unreachedMs: 0, restMs: 20 } };

const environmentOf = (port: number) => ({
  LATCHKEY_SMTP_URL: `smtp://${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`,
  LATCHKEY_MAIL_FROM: 'Example Licenses <licenses@shop.example>',
});

/** Characters in an address that make two recipients of one, or another one, where a mail program reads them. */
const TRICKS = [
  'victim<attacker@evil.example>',
  'victim@shop.example,attacker@evil.example'.replace('@', '%40'),
  'victim@shop.example>,<attacker',
  'victim;attacker@evil.example',
  'victim:attacker@evil.example',
  '"victim"@shop.example',
  'victim(comment)@shop.example',
  'victim\\@shop.example',
  'victim@[192.0.2.1]',
  'victim@shop.example:25',
  'victim\u0007@shop.example',
  `${'v'.repeat(300)}@shop.example`,
];

for (const engine of engines)
  describe(`mails on ${engine}`, () => {
    let server: MailServer;
    let app: TestApp;
    before(async () => {
      server = await MailServer.start({ login: LOGIN });
      const environment = { ...environmentOf(server.port), LATCHKEY_METRICS_PORT: '0' };
      app = await startApp(engine, environment, undefined, BOUNDS);
      await mustSucceed(app.admin('/createProduct', { name: 'Paint <b>&', slug: 'paint', creatorId: 'shop' }));
    });
    beforeEach(() => {
      server.received.length = 0;
      server.reactToRecipient = () => 'accept';
      server.reactToMail = () => 'accept';
    });
    after(async () => {
      await app?.stop();
      await server?.close();
    });

    const counted = (samples: readonly ScrapedSample[], outcome: string) =>
      scrapedValue(samples, 'latchkey_mails_total', { kind: 'keys', outcome }) ?? assert.fail(outcome);
    const license = (order: object = {}) => app.license({ productId: 'paint', ...order });
    const mailTo = async (licenseKey: string, fields: object = {}): Promise<string> =>
      (await mustSucceed(app.admin('/mailLicense', { licenseKey, ...fields }))).mailId;
    /** The only mail of a license, once it is as wanted. */
    const mailOnce = async (licenseKey: string, isSo: (mail: Record<string, unknown>) => boolean) => {
      for (;;) {
        const { mails } = (await app.admin('/listMails', { licenseKey })).body;
        if (mails.length === 1 && isSo(mails[0])) return mails[0];
        await wait(10);
      }
    };

    it('with a key reach the address of the license, and no other, in both forms', async () => {
      const licenseKey = await license({ email: 'Ada.Löve@shop.example', variant: 'pro' });
      const mailId = await mailTo(licenseKey);
      const [received] = await server.hasReceived(1);
      assert.ok(received !== undefined);
      assert.deepEqual(received.to, ['Ada.Löve@shop.example']);
      assert.equal(received.from, 'licenses@shop.example');
      assert.equal(received.user, LOGIN.user);
      const { mail, raw } = received;
      assert.deepEqual(mail.from, { name: 'Example Licenses', address: 'licenses@shop.example' });
      assert.deepEqual(
        mail.to?.map(({ address }) => address),
        ['Ada.Löve@shop.example'],
      );
      assert.equal(mail.subject, 'Your license key for Paint <b>&');
      assert.equal(mail.messageId, `<${mailId}@shop.example>`);
      assert.equal(mail.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated');
      assert.ok(mail.text?.includes(`Paint <b>&, pro\n    ${licenseKey}\n`), String(mail.text));
      assert.ok(mail.html?.includes(`Paint &#60;b&#62;&#38;, pro<br><code>${licenseKey}</code>`), String(mail.html));
      assert.doesNotMatch(mail.html ?? '', /<(img|a|link|style|script)\b|https?:/);
      assert.deepEqual(mail.attachments, []);
      assert.doesNotMatch(raw, /X-Mailer/i);
      const { state, attempts, lastError, dueAt, to } = await mailOnce(licenseKey, (each) => each.state !== 'waiting');
      assert.deepEqual([state, attempts, lastError, dueAt, to], ['sent', 1, null, null, 'Ada.Löve@shop.example']);
    });

    it('name no variant that readers would take for an address or a link', async () => {
      const variants = [
        'help@evil.example',
        'https://evil.example/',
        'www.evil',
        'Call evil.example',
        'ｅvil。example',
      ];
      for (const [at, variant] of [...variants, 'Pro 2.0'].entries()) {
        const licenseKey = await license({ email: `variant-${at}@shop.example`, variant });
        await mailTo(licenseKey);
        const { mail } = (await server.hasReceived(at + 1)).at(-1) ?? assert.fail();
        const label = at < variants.length ? 'Paint <b>&' : 'Paint <b>&, Pro 2.0';
        assert.ok(mail.text?.includes(`\n\n${label}\n    ${licenseKey}\n`), String(mail.text));
        assert.doesNotMatch(`${mail.text} ${mail.html}`, /evil/);
      }
    });

    it('come from the shop by its name, and answers go to its support', async () => {
      const creatorId = 'brush';
      const brand = { name: 'Brush & Söhne', supportAddress: 'help@brush.example' };
      await mustSucceed(app.admin('/createProduct', { name: 'Brush', slug: 'brush', creatorId }));
      await mustSucceed(app.admin('/updateBrand', { creatorId, ...brand }));
      await mailTo(await license({ productId: 'brush', email: 'ada@shop.example' }));
      const [received] = await server.hasReceived(1);
      assert.deepEqual(received?.mail.from, {
        name: `${brand.name} via Example Licenses`,
        address: 'licenses@shop.example',
      });
      assert.deepEqual(
        received?.mail.replyTo?.map(({ address }) => address),
        [brand.supportAddress],
      );
    });

    it('are written in four languages', async () => {
      const subjects = {
        en: 'Your license key for Paint <b>&',
        de: 'Ihr Lizenzschlüssel für Paint <b>&',
        fr: 'Votre clé de licence pour Paint <b>&',
        es: 'Su clave de licencia de Paint <b>&',
      };
      for (const [language, subject] of Object.entries(subjects)) {
        const licenseKey = await license({ email: `${language}@shop.example` });
        await mailTo(licenseKey, { language });
        const { mail } = (await server.hasReceived(server.received.length + 1)).at(-1) ?? assert.fail();
        assert.equal(mail.subject, subject);
        assert.ok(mail.text?.includes(licenseKey));
        assert.match(mail.html ?? '', new RegExp(`<html lang="${language}">`));
      }
      const refused = await app.admin('/mailLicense', { licenseKey: await license(), language: 'xx' });
      assert.equal(refused.status, 400);
    });

    it('never go to an address that a mail program reads as another one, or as several', async () => {
      for (const email of TRICKS) {
        const created = await app.admin('/createLicense', { email, productId: 'paint' });
        // Addresses that cannot be stored cannot be mailed.
        if (created.status === 400) continue;
        const { status, body } = await app.admin('/mailLicense', { licenseKey: created.body.licenseKey });
        assert.deepEqual([status, body.error], [409, 'The address of this license cannot receive mail'], email);
      }
      const last = await license({ email: 'last@shop.example' });
      await mailTo(last);
      const received = await server.hasReceived(1);
      assert.deepEqual(
        received.map(({ to }) => to),
        [['last@shop.example']],
      );
    });

    it('with keys go to one address three times a day, over all its licenses, for each who sends them', async () => {
      const email = 'Many@shop.example';
      const one = await Creator.of(app);
      const productId = await one.product();
      const keys = [];
      for (let count = 0; count < 4; count += 1) keys.push(await one.license(productId, { email }));
      const statuses = [];
      for (const licenseKey of keys) statuses.push((await one.send('/mailLicense', { licenseKey })).status);
      assert.deepEqual(statuses, [200, 200, 200, 429]);
      await mailTo(keys[3]!);
      const other = await Creator.of(app);
      const licenseKey = await other.license(await other.product(), { email: email.toLowerCase() });
      await mustSucceed(other.send('/mailLicense', { licenseKey }));
      assert.equal((await server.hasReceived(5)).length, 5);
    });

    it('are sent after a clock that was 20 hours ahead is right again, whatever was sent by that clock', async () => {
      const licenseKey = await license({ email: 'ahead@shop.example' });
      app.clock.move(20 * HOUR_MS);
      for (let count = 0; count < 3; count += 1) await mailTo(licenseKey);
      await server.hasReceived(3);
      app.clock.move(-20 * HOUR_MS);
      await mailTo(licenseKey);
      await server.hasReceived(4);
    });

    it('of one creator are a hundred a day', async () => {
      const one = await Creator.of(app);
      const productId = await one.product();
      const mail = async (at: number) => {
        const licenseKey = await one.license(productId, { email: `stranger-${at}@shop.example` });
        return one.send('/mailLicense', { licenseKey });
      };
      for (let at = 0; at < 100; at += 1) await mustSucceed(mail(at));
      const { status, headers } = await mail(100);
      assert.deepEqual([status, headers['latchkey-code']], [429, 'creator_mail_rate']);
      await mustSucceed(app.admin('/mailLicense', { licenseKey: await one.license(productId) }));
      assert.equal((await server.hasReceived(101)).length, 101);
    });

    it('of one key are queued three times a day, exactly, however many calls arrive at once', async () => {
      const licenseKey = await license({ email: 'often@shop.example' });
      await fillPool(app);
      const calls = Array.from({ length: 12 }, () => app.admin('/mailLicense', { licenseKey }));
      const answers = await Promise.all(calls);
      const statuses = answers.map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [...Array(3).fill(200), ...Array(9).fill(429)]);
      const refused = answers.find(({ status }) => status === 429);
      const seconds = Number(refused?.headers['retry-after']);
      assert.ok(seconds > 0 && seconds <= DAY_MS / 1000, `${seconds}`);
      assert.equal((await server.hasReceived(3)).length, 3);
      app.clock.move(seconds * 1000);
      await mailTo(licenseKey);
      assert.equal((await server.hasReceived(4)).length, 4);
    });

    it('are sent again after a temporary refusal, once', async () => {
      let refusals = 0;
      server.reactToMail = () => (refusals++ === 0 ? { status: 451, words: '4.3.0 later, please' } : 'accept');
      const licenseKey = await license({ email: 'later@shop.example' });
      const mailId = await mailTo(licenseKey);
      const { state, attempts, lastError, dueAt } = await mailOnce(licenseKey, (each) => each.lastError !== null);
      assert.deepEqual([state, attempts, lastError], ['waiting', 1, '451 4.3.0 later, please']);
      assert.equal(Date.parse(dueAt), app.clock.now() + MINUTE_MS);
      app.clock.move(MINUTE_MS);
      const [received, ...more] = await server.hasReceived(1);
      assert.deepEqual(more, []);
      assert.equal(received?.mail.messageId, `<${mailId}@shop.example>`);
      assert.equal((await mailOnce(licenseKey, (each) => each.state === 'sent')).attempts, 2);
    });

    it('that are refused for good fail at once, and show the answer without the password', async () => {
      server.reactToRecipient = () => ({ status: 550, words: `5.1.1 no such user, ${PASSWORD}` });
      const licenseKey = await license({ email: 'gone@shop.example' });
      await mailTo(licenseKey);
      const failed = await mailOnce(licenseKey, (each) => each.state !== 'waiting');
      assert.deepEqual(
        [failed.state, failed.attempts, failed.dueAt, failed.lastError],
        ['failed', 1, null, '550 5.1.1 no such user, ***'],
      );
      const { mails } = (await app.admin('/listMails', { state: 'failed' })).body;
      assert.ok(mails.some((each: { mailId: string }) => each.mailId === failed.mailId));
      const samples = await scrapeUntil(app, (each) => counted(each, 'failed') > 0);
      assert.ok(counted(samples, 'sent') > 0);
      assert.equal(counted(samples, 'dropped'), 0);
    });

    it('that failed are sent again when they are asked for, under the same Message-ID, and only then', async () => {
      server.reactToRecipient = () => ({ status: 550, words: '5.1.1 no such user' });
      const licenseKey = await license({ email: 'again@shop.example' });
      const mailId = await mailTo(licenseKey, { language: 'de' });
      await mailOnce(licenseKey, ({ state }) => state === 'failed');
      app.clock.move(4 * DAY_MS);
      server.reactToRecipient = () => 'accept';
      assert.deepEqual(await mustSucceed(app.admin('/mailLicense', { mailId })), {
        success: true,
        mailId,
        to: 'again@shop.example',
      });
      const sent = await mailOnce(licenseKey, ({ state }) => state === 'sent');
      assert.deepEqual([sent.mailId, sent.attempts, sent.lastError], [mailId, 1, null]);
      const [received] = await server.hasReceived(1);
      assert.equal(received?.mail.messageId, `<${mailId}@shop.example>`);
      assert.equal(received?.mail.subject, 'Ihr Lizenzschlüssel für Paint <b>&');
      for (const [fields, status, error] of [
        [{ mailId }, 400, 'mailId must be that of a failed e-mail'],
        [{ mailId: 'mail_none' }, 404, 'License not found'],
      ] as const) {
        const refused = await app.admin('/mailLicense', fields);
        assert.deepEqual([refused.status, refused.body.error], [status, error]);
      }
    });

    it('whose connection breaks after the server has accepted them are not sent again', async () => {
      server.reactToMail = () => 'close after accepting';
      const licenseKey = await license({ email: 'broken@shop.example' });
      await mailTo(licenseKey);
      await mailOnce(licenseKey, (each) => each.state === 'sent');
      app.clock.move(6 * HOUR_MS);
      const next = await license({ email: 'next@shop.example' });
      await mailTo(next);
      const received = await server.hasReceived(2);
      assert.deepEqual(
        received.map(({ to }) => to[0]),
        ['broken@shop.example', 'next@shop.example'],
      );
    });

    it('are dropped if the address of the license has changed', async () => {
      let isRefusing = true;
      server.reactToRecipient = () => (isRefusing ? { status: 450, words: '4.2.0 busy' } : 'accept');
      const licenseKey = await license({ email: 'old@shop.example' });
      await mailTo(licenseKey);
      await mailOnce(licenseKey, (each) => each.lastError !== null);
      await mustSucceed(app.admin('/changeEmail', { licenseKey, newEmail: 'new@shop.example' }));
      isRefusing = false;
      app.clock.move(MINUTE_MS);
      await mailOnce(licenseKey, (each) => each.state === 'dropped');
      assert.deepEqual(server.received, []);
    });

    it('of a forgotten customer are gone, and none is sent to the pseudonym', async () => {
      server.reactToRecipient = () => ({ status: 450, words: '4.2.0 busy' });
      const licenseKey = await license({ email: 'Forget.Me@shop.example' });
      await mailTo(licenseKey);
      await mailOnce(licenseKey, (each) => each.lastError !== null);
      const { replaced, complete } = await mustSucceed(
        app.admin('/forgetCustomer', { email: 'forget.me@shop.example' }),
      );
      assert.deepEqual([complete, replaced.mails, replaced.licenses], [true, 1, 1]);
      assert.deepEqual((await app.admin('/listMails', { licenseKey })).body.mails, []);
      const { status, headers } = await app.admin('/mailLicense', { licenseKey });
      assert.deepEqual([status, headers['latchkey-code']], [409, 'address_not_mailable']);
    });

    it('are listed to a creator for its own products only', async () => {
      const [one, other] = [await Creator.of(app), await Creator.of(app)];
      const licenseKey = await one.license(await one.product());
      await mustSucceed(one.send('/mailLicense', { licenseKey }));
      assert.equal((await one.send('/listMails')).body.count, 1);
      assert.equal((await one.send('/listMails', { licenseKey })).body.count, 1);
      assert.equal((await other.send('/listMails')).body.count, 0);
      for (const path of ['/listMails', '/mailLicense'])
        assert.equal((await other.send(path, { licenseKey })).status, 404);
    });

    it('are listed by address and by times, both included, and by these together', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const keys: string[] = [];
      const made: { readonly mailId: string; readonly createdAt: string }[] = [];
      const addresses = ['Ranged@Shop.example', 'other@shop.example', 'ranged@shop.example', 'RANGED@shop.example'];
      for (const email of addresses) {
        const licenseKey = await creator.license(productId, { email });
        await mailTo(licenseKey);
        const { mailId, createdAt } = await mailOnce(licenseKey, ({ state }) => state === 'sent');
        keys.push(licenseKey);
        made.push({ mailId, createdAt });
        app.clock.move(DAY_MS);
      }
      const stranger = await license({ email: 'ranged@shop.example' });
      await mailTo(stranger);
      const foreign = await mailOnce(stranger, ({ state }) => state === 'sent');
      const ids = made.map(({ mailId }) => mailId);
      const [a, b, c, d] = ids;
      const to = ' ranged@SHOP.example';
      const range = { createdFrom: made[1]!.createdAt, createdTo: made[2]!.createdAt };
      const list = async (fields: object, send = app.admin) =>
        (await pagesOf(send, '/listMails', { ...fields }, 'mails')).flat().map(({ mailId }) => mailId);
      for (const limit of [1, 2, 1000]) {
        assert.deepEqual(await list({ to, limit }), [foreign.mailId, d, c, a], `by ${limit}`);
        assert.deepEqual(await list({ to, limit }, creator.send), [d, c, a]);
        assert.deepEqual(await list({ to, limit, ...range }), [c]);
        assert.deepEqual(await list({ limit, ...range }, creator.send), [c, b]);
        assert.deepEqual(await list({ limit, ...range }), [c, b]);
        assert.deepEqual(await list({ state: 'sent', limit, ...range }, creator.send), [c, b]);
      }
      assert.deepEqual(await list({ state: 'failed', ...range }), []);
      assert.deepEqual(await list({ licenseKey: keys[1], ...range }), [b]);
      assert.deepEqual(await list({ licenseKey: keys[3], ...range }), []);
      assert.deepEqual(await list({ to: 'nobody@shop.example' }), []);
      for (const [field, value] of [
        ['licenseKey', keys[0]],
        ['state', 'sent'],
      ] as const) {
        const { status, body } = await app.admin('/listMails', { to, [field]: value });
        assert.deepEqual([status, body.error], [400, `${field} cannot be given together with to`]);
      }
    });

    it('are listed in pages, newest first', async () => {
      const pages = await pagesOf(app.admin, '/listMails', { limit: 3 }, 'mails');
      const { mails } = (await app.admin('/listMails', { limit: 1000 })).body;
      // Their states may change meanwhile.
      const [found, whole] = [pages.flat(), mails].map((list) => list.map(({ mailId }: { mailId: string }) => mailId));
      assert.deepEqual(found, whole);
      assert.deepEqual(whole, whole.toSorted().reverse());
    });
  });

for (const engine of engines)
  describe(`a mail server that is away, ${engine}`, () => {
    it('gets each mail once when it is back after an hour', async () => {
      const port = await fixedPort();
      const app = await startApp(engine, environmentOf(port), undefined, BOUNDS);
      let server: MailServer | undefined;
      try {
        const licenseKey = await app.license({ email: 'ada@shop.example' });
        await mustSucceed(app.admin('/mailLicense', { licenseKey }));
        const mailAfter = async (attempts: number) => {
          for (;;) {
            const [mail] = (await app.admin('/listMails', { licenseKey })).body.mails;
            if (mail.attempts === attempts && mail.lastError !== null) return mail;
            await wait(10);
          }
        };
        for (const [index, pause] of [MINUTE_MS, 5 * MINUTE_MS, 54 * MINUTE_MS].entries()) {
          const mail = await mailAfter(index + 1);
          assert.deepEqual([mail.state, mail.lastError], ['waiting', 'no connection']);
          app.clock.move(pause);
        }
        await mailAfter(4);
        server = await MailServer.start({ port, login: LOGIN });
        app.clock.move(2 * HOUR_MS);
        const [received] = await server.hasReceived(1);
        assert.deepEqual(received?.to, ['ada@shop.example']);
        app.clock.move(DAY_MS);
        await app.stop();
        assert.equal(server.received.length, 1);
      } finally {
        await app.stop().catch(() => {});
        await server?.close();
      }
    });
  });

describe('a service without an SMTP server', () => {
  it('refuses to mail a key and does everything else', async () => {
    const app = await startApp('sqlite');
    try {
      const licenseKey = await app.license();
      const { status, body, headers } = await app.admin('/mailLicense', { licenseKey });
      assert.deepEqual([status, body.error, headers['latchkey-code']], [409, 'This service sends no mail', 'mail_off']);
      assert.equal((await app.admin('/listMails', { licenseKey })).body.count, 0);
    } finally {
      await app.stop();
    }
  });
});

describe('two nodes on one PostgreSQL', { skip: !engines.includes('postgres') }, () => {
  it('send each mail once', async () => {
    const server = await MailServer.start();
    const shared = await freshDatabase('postgres');
    const nodes = await Promise.all([1, 2].map(() => startApp('postgres', server.environment, shared, BOUNDS)));
    try {
      const [first] = nodes;
      const keys = await Promise.all(
        Array.from({ length: 12 }, (_, number) => first!.license({ email: `c${number}@shop.example` })),
      );
      await Promise.all(keys.map((licenseKey, n) => nodes[n % 2]!.admin('/mailLicense', { licenseKey })));
      // The clocks of the nodes stand still and differ a little, so an e-mail of one node is due later on the other.
      for (const node of nodes) node.clock.move(MINUTE_MS / 2);
      const received = await server.hasReceived(keys.length);
      assert.equal(new Set(received.map(({ to }) => to[0])).size, keys.length);
      await Promise.all(nodes.map((node) => node.stop()));
      assert.equal(server.received.length, keys.length);
    } finally {
      await shared.remove();
      await server.close();
    }
  });
});

describe('commands about mail', () => {
  it('send a test e-mail at once, and say what the server answers, without user and password', async () => {
    const server = await MailServer.start({ login: LOGIN });
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-mail-'));
    const environment = { ...environmentOf(server.port), LATCHKEY_DATA_DIR: directory };
    const isSilent = ({ out, err }: Ended) =>
      assert.doesNotMatch(`${out}${err}`, new RegExp(`${RegExp.escape(PASSWORD)}|${RegExp.escape(LOGIN.user)}`));
    try {
      const sent = await runCommandHere(['send-test-mail', 'ada@shop.example'], environment);
      assert.deepEqual([sent.code, sent.err], [0, '']);
      assert.equal(
        sent.out,
        `smtp://127.0.0.1:${server.port} has accepted an e-mail from licenses@shop.example to ada@shop.example.\n`,
      );
      assert.deepEqual(
        server.received.map(({ to, mail }) => [to[0], mail.subject]),
        [['ada@shop.example', 'Test e-mail of Latchkey']],
      );
      server.reactToMail = () => ({ status: 554, words: `5.7.1 not for ${LOGIN.user}` });
      const refused = await runCommandHere(['send-test-mail', 'ada@shop.example'], environment);
      assert.equal(refused.code, 1);
      assert.match(refused.err, /did not accept the e-mail: 554 5\.7\.1 not for \*\*\*/);
      const strange = await runCommandHere(['send-test-mail', 'victim<attacker@evil.example>'], environment);
      assert.match(strange.err, /is not an address that the service sends mail to/);
      const unset = await runCommandHere(['send-test-mail', 'ada@shop.example'], { LATCHKEY_DATA_DIR: directory });
      assert.match(unset.err, /Set LATCHKEY_SMTP_URL and LATCHKEY_MAIL_FROM/);
      for (const each of [sent, refused]) isSilent(each);

      const checked = await runCommandHere(['check'], environment);
      assert.match(
        checked.out,
        /Mail is sent from licenses@shop\.example by smtp:\/\/127\.0\.0\.1:\d+, which answers\./,
      );
      await server.close();
      const away = await runCommandHere(['check'], environment);
      assert.equal(away.code, 0);
      assert.match(away.err, /Warning: smtp:\/\/127\.0\.0\.1:\d+ of LATCHKEY_SMTP_URL: no connection/);
      for (const each of [checked, away]) isSilent(each);
    } finally {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    }
  });
});
