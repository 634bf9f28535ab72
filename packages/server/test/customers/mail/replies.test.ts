/** Replies to customers, through the real service on both engines, read from the wire. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { MailServer } from '../../support/mail-server.ts';
import { rowsOf } from '../../support/own-connection.ts';
import { PUBLIC_URL, SELF_SERVICE } from '../self-service/shop.ts';

const BOUNDS = { mailSender: { lookMs: 20, unreachedMs: 0, restMs: 20 } };
const WORDS = 'Hello <Ada>,\n\n\n  your "old" computer & its place are free.\n\nKind regards\nBo {product}';

for (const engine of engines)
  describe(`replies on ${engine}`, () => {
    let server: MailServer;
    let app: TestApp;
    before(async () => {
      server = await MailServer.start();
      app = await startApp(engine, { ...server.environment, ...SELF_SERVICE }, undefined, BOUNDS);
    });
    beforeEach(() => {
      server.received.length = 0;
      server.reactToRecipient = () => 'accept';
    });
    after(async () => {
      await app?.stop();
      await server?.close();
    });

    let customers = 0;
    const license = async () => {
      customers += 1;
      const email = `customer-${customers}@shop.example`;
      return { email, licenseKey: await app.license({ email }) };
    };
    const reply = (fields: object) =>
      app.admin('/sendReply', { subject: 'Your license', text: 'It works again.', ...fields });
    const mailOnce = async (licenseKey: string, state: string) => {
      for (;;) {
        const [mail] = (await app.admin('/listMails', { licenseKey })).body.mails;
        if (mail?.state === state) return mail;
        await wait(10);
      }
    };

    it('keep the words of their author, and lead to the pages for customers in the chosen language', async () => {
      const { email, licenseKey } = await license();
      const leads = {
        en: `You find your licenses, keys and computers at ${PUBLIC_URL}/my`,
        de: `Ihre Lizenzen, Schlüssel und Computer finden Sie unter ${PUBLIC_URL}/my`,
        fr: `Vous trouvez vos licences, vos clés et vos ordinateurs sur ${PUBLIC_URL}/my`,
        es: `Encontrará sus licencias, sus claves y sus ordenadores en ${PUBLIC_URL}/my`,
      };
      for (const [language, lead] of Object.entries(leads)) {
        app.clock.move(DAY_MS);
        const subject = ` Größe & <Preis> ${language} `;
        const text = WORDS.replaceAll('\n', language === 'de' ? '\r\n' : '\n');
        const answer = await mustSucceed(reply({ licenseKey, subject, text, language }));
        const { mail, to } = (await server.hasReceived(server.received.length + 1)).at(-1) ?? assert.fail();
        assert.deepEqual([to, answer.to, mail.subject], [[email], email, subject.trim()]);
        assert.equal(mail.text?.trimEnd(), `${WORDS}\n\n${lead}`);
        assert.match(mail.html ?? '', new RegExp(`<html lang="${language}">`));
        assert.ok(mail.html?.includes('<p>Hello &#60;Ada&#62;,</p>'), mail.html || '');
        assert.doesNotMatch(mail.html ?? '', /<(img|a|link|style|script)\b/);
        const sent = await mailOnce(licenseKey, 'sent');
        assert.deepEqual([sent.mailId, sent.kind, sent.language], [answer.mailId, 'reply', language]);
      }
    });

    it('leave in the name of the shop of the product, whose support gets the answers', async () => {
      const creator = await Creator.of(app);
      const licenseKey = await creator.license(await creator.product(), { email: 'of-shop@shop.example' });
      await mustSucceed(creator.send('/updateBrand', { name: 'Brush', supportAddress: 'help@brush.example' }));
      await mustSucceed(reply({ licenseKey }));
      const [received] = await server.hasReceived(1);
      assert.match(received?.mail.from?.name ?? '', /^Brush via /);
      assert.equal(received?.mail.replyTo?.[0]?.address, 'help@brush.example');
      assert.ok(received?.mail.text?.includes(`${PUBLIC_URL}/my?shop=${encodeURIComponent(creator.creatorId)}\n`));
    });

    it('to another address are noted on the license', async () => {
      const { email, licenseKey } = await license();
      const to = 'colleague@shop.example';
      assert.equal((await mustSucceed(reply({ licenseKey, to }))).to, to);
      assert.deepEqual((await server.hasReceived(1))[0]?.to, [to]);
      const { history } = await mustSucceed(app.admin('/getLicense', { licenseKey, history: true }));
      assert.equal(history[0].event.after.text, `A reply was mailed to ${to} in place of ${email}.`);
    });

    it('have their words in no list and no event, and are kept for 30 days', async () => {
      const { licenseKey } = await license();
      const text = 'The secret of Rumpelstiltskin.';
      await mustSucceed(reply({ licenseKey, subject: 'Rumpelstiltskin', text }));
      await mailOnce(licenseKey, 'sent');
      for (const [path, fields] of [
        ['/listMails', { licenseKey }],
        ['/listEvents', {}],
        ['/getLicense', { licenseKey, history: true }],
        ['/getCustomer', { licenseKey }],
      ] as const)
        assert.ok(!JSON.stringify((await app.admin(path, fields)).body).includes('Rumpelstiltskin'), path);
      const rows = await rowsOf(app.database, "select kept_until from mail where data like '%Rumpelstiltskin%'");
      assert.deepEqual(rows, [{ kept_until: app.clock.at(30 * DAY_MS) }]);
    });

    it('are forgotten with the customer, also those that went to another address', async () => {
      const { email, licenseKey } = await license();
      server.reactToRecipient = () => ({ status: 450, words: '4.2.0 busy' });
      await mustSucceed(reply({ licenseKey }));
      await mustSucceed(reply({ licenseKey, to: 'colleague@shop.example' }));
      await mustSucceed(app.admin('/forgetCustomer', { email }));
      assert.deepEqual((await app.admin('/listMails', { licenseKey })).body.mails, []);
    });

    it('that failed are sent again as they were', async () => {
      const { licenseKey } = await license();
      server.reactToRecipient = () => ({ status: 550, words: '5.1.1 no such user' });
      const { mailId } = await mustSucceed(reply({ licenseKey, text: WORDS, language: 'de' }));
      await mailOnce(licenseKey, 'failed');
      server.reactToRecipient = () => 'accept';
      await mustSucceed(app.admin('/mailLicense', { mailId }));
      const [received] = await server.hasReceived(1);
      assert.ok(received?.mail.text?.startsWith(`${WORDS}\n\nIhre Lizenzen`), String(received?.mail.text));
    });

    it('are dropped if the license has another address by now', async () => {
      const { licenseKey } = await license();
      server.reactToRecipient = () => ({ status: 450, words: '4.2.0 busy' });
      await mustSucceed(reply({ licenseKey }));
      for (;;) {
        const [mail] = (await app.admin('/listMails', { licenseKey })).body.mails;
        if (mail.lastError !== null) break;
        await wait(10);
      }
      await mustSucceed(app.admin('/changeEmail', { licenseKey, newEmail: 'moved@shop.example' }));
      app.clock.move(DAY_MS / 24);
      await mailOnce(licenseKey, 'dropped');
    });

    it('and e-mails with keys to one address are three a day together, however many calls arrive at once', async () => {
      const { licenseKey } = await license();
      await fillPool(app);
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          at % 2 === 0 ? reply({ licenseKey }) : app.admin('/mailLicense', { licenseKey }),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [...Array(3).fill(200), ...Array(9).fill(429)]);
    });

    it('that nobody can read, or that a creator may not send, are refused by name of the field', async () => {
      const { licenseKey } = await license();
      const operator = [
        [{ subject: 'two\nlines' }, 'subject must be one line without control characters'],
        [{ subject: '   ' }, 'subject must have visible characters'],
        [{ subject: 'x'.repeat(201) }, 'subject must be a string of at most 200 characters'],
        [{ text: '\u200b\n ' }, 'text must have visible characters'],
        [{ text: 'a bell \u0007' }, 'text must have no control characters except line breaks'],
        [{ text: 'x'.repeat(10_001) }, 'text must be a string of at most 10000 characters'],
        [{ language: 'it' }, /^language must be/],
        [{ to: 'nobody' }, /^to must be/],
      ] as const;
      const refused = async (answer: ReturnType<typeof reply>, error: string | RegExp) => {
        const { status, body } = await answer;
        assert.equal(status, 400, JSON.stringify(body));
        if (typeof error === 'string') assert.equal(body.error, error);
        else assert.match(body.error, error);
      };
      for (const [fields, error] of operator) await refused(reply({ licenseKey, ...fields }), error);
      await mustSucceed(reply({ licenseKey, text: 'x'.repeat(10_000), subject: 'Get it at paint.example' }));
      const creator = await Creator.of(app);
      const own = await creator.license(await creator.product());
      for (const fields of [
        { subject: 'See evil.example', text: 'Hello.' },
        { subject: 'Hello', text: 'Sign in at https://evil' },
        { subject: 'Hello', text: 'Write to me@evil' },
      ]) {
        const field = fields.subject === 'Hello' ? 'text' : 'subject';
        const error = `${field} must not have addresses or links; the operator can send them`;
        await refused(creator.send('/sendReply', { licenseKey: own, ...fields }), error);
      }
      await mustSucceed(creator.send('/sendReply', { licenseKey: own, subject: 'Hello', text: 'It works again.' }));
      const foreign = await creator.send('/sendReply', { licenseKey, subject: 'Hello', text: 'It works again.' });
      assert.deepEqual([foreign.status, foreign.body.error], [404, 'License not found']);
    });
  });

for (const mode of ['off', 'shops'])
  describe(`a reply while self-service is ${mode}`, () => {
    it('leads to no page that would show nothing', async () => {
      const server = await MailServer.start();
      const environment = mode === 'off' ? {} : { ...SELF_SERVICE, LATCHKEY_SELF_SERVICE: mode };
      const app = await startApp('sqlite', { ...server.environment, ...environment }, undefined, BOUNDS);
      try {
        const licenseKey = await app.license();
        await mustSucceed(app.admin('/sendReply', { licenseKey, subject: 'Hello', text: WORDS }));
        assert.equal((await server.hasReceived(1))[0]?.mail.text?.trimEnd(), WORDS);
        await mustSucceed(app.admin('/mailLicense', { licenseKey }));
        assert.doesNotMatch((await server.hasReceived(2))[1]?.mail.text ?? '', /https:/);
      } finally {
        await app.stop();
        await server.close();
      }
    });
  });

describe('a service without an SMTP server', () => {
  it('sends no reply', async () => {
    const app = await startApp('sqlite');
    try {
      const { status, body } = await app.admin('/sendReply', {
        ...{ licenseKey: await app.license(), subject: 'Hello', text: 'It works again.' },
      });
      assert.deepEqual([status, body.error], [409, 'This service sends no mail']);
    } finally {
      await app.stop();
    }
  });
});
