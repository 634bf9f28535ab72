/** E-mails to buyers of the real service on both engines, read from the wire (rules 13.1, 15.4). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { paddleSeller } from '../../../scripts/shops/sellers/paddle.ts';
import type { Told } from '../../../scripts/shops/sellers/seller.ts';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from '../../commerce/connectors/shop.ts';
import { Customer } from '../../commerce/storefront/storefront.ts';
import { startApp, type TestApp, WITH_JOBS } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { MailServer } from '../../support/mail-server.ts';

const BOUNDS = { ...WITH_JOBS, mailSender: { lookMs: 20, unreachedMs: 0, restMs: 20 } };

/** The event that a payment of a subscription failed, made of the event of its pause. */
function pastDue({ body, headers }: Told): Told {
  const event = JSON.parse(body);
  const data = { ...event.data, status: 'past_due', paused_at: null };
  return { headers, body: JSON.stringify({ ...event, event_type: 'subscription.past_due', data }) };
}

for (const engine of engines)
  describe(`e-mails to buyers on ${engine}`, () => {
    let server: MailServer;
    let app: TestApp;
    before(async () => {
      server = await MailServer.start();
      app = await startApp(engine, { ...SHOP_SETTINGS, ...server.environment }, undefined, BOUNDS);
      await mustSucceed(app.admin('/createProduct', { name: 'Paint', slug: 'app', creatorId: 'shop' }));
    });
    beforeEach(() => {
      server.received.length = 0;
      server.reactToMail = () => 'accept';
    });
    after(async () => {
      await app?.stop();
      await server?.close();
    });

    const mailsTo = async (address: string) =>
      (await mustSucceed(app.admin('/listMails', { limit: 1000 }))).mails.filter(
        ({ to }: { to: string }) => to === address,
      );
    /** Resolves once the newest e-mail to an address was tried in vain. */
    const isTried = async (address: string) => {
      for (let looks = 0; ; looks += 1) {
        const [mail] = await mailsTo(address);
        if (mail.lastError !== null) return;
        assert.ok(looks < 1000 && mail.state === 'waiting', JSON.stringify(mail));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    /** The e-mails that arrived, once none waits. */
    const allReceived = async () => {
      for (let looks = 0; ; looks += 1) {
        const { mails } = await mustSucceed(app.admin('/listMails', { state: 'waiting' }));
        if (mails.length === 0) return server.received;
        assert.ok(looks < 1000, JSON.stringify(mails));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };

    it('of the storefront have the keys where the purchase says so, in its language, and once', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const sale = { purchaseId, quantity: 2, mail: true, language: 'de' };
      const { licenseKeys } = await customer.reported('purchase.completed', sale);
      const again = await customer.reported('purchase.completed', sale);
      assert.equal(again.duplicate, true);
      await new Customer(app).reported('purchase.completed', { purchaseId: mintUuid() });
      const [received, ...more] = await allReceived();
      assert.deepEqual(more, []);
      assert.deepEqual(received?.to, [customer.email]);
      assert.equal(received?.mail.subject, 'Ihre Lizenz für Paint');
      for (const key of licenseKeys) assert.ok(received?.mail.text?.includes(key), received?.mail.text ?? '');
      assert.doesNotMatch(
        received?.mail.headers.map(({ value }) => value).join('\n') ?? '',
        new RegExp(licenseKeys[0]),
      );
      assert.equal(received?.mail.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated');
    });

    it('of a connector have the keys of the whole order in one e-mail with one Message-ID, also when it is repeated', async () => {
      let refusals = 0;
      const messageIds: (string | undefined)[] = [];
      server.reactToMail = ({ mail }) => {
        messageIds.push(mail.messageId);
        return refusals++ === 0 ? { status: 451, words: '4.3.0 later' } : 'accept';
      };
      const buyer = newBuyer();
      const shop = await new Shop(app, paddleSeller(buyer)).open();
      await shop.tell(shop.seller.steps.buy!(app.clock.now()));
      await shop.settled();
      const licenses = await shop.licenses(buyer.email);
      assert.ok(licenses.length > 1);
      while (messageIds.length < 1) await new Promise((resolve) => setTimeout(resolve, 10));
      app.clock.move(HOUR_MS);
      const [received, ...more] = await server.hasReceived(1);
      assert.deepEqual(more, []);
      assert.deepEqual(received?.to, [buyer.email]);
      for (const { key } of licenses) assert.ok(received?.mail.text?.includes(key), received?.mail.text ?? '');
      assert.equal(messageIds.length, 2);
      assert.equal(new Set(messageIds).size, 1);
    });

    it('are looked at again: a license that is revoked meanwhile, or has another address, is not sent', async () => {
      server.reactToMail = () => ({ status: 451, words: '4.3.0 later' });
      const [revoked, moved] = [new Customer(app), new Customer(app)];
      const fields = { mail: true, purchaseId: mintUuid() };
      await revoked.reported('purchase.completed', fields);
      const { licenseKey } = await moved.reported('purchase.completed', { mail: true });
      for (const { email } of [revoked, moved]) await isTried(email);
      await revoked.reported('purchase.refunded', fields);
      await mustSucceed(app.admin('/changeEmail', { licenseKey, newEmail: `${mintUuid()}@example.com` }));
      server.reactToMail = () => 'accept';
      app.clock.move(HOUR_MS);
      assert.deepEqual(await allReceived(), []);
      for (const { email } of [revoked, moved]) assert.equal((await mailsTo(email))[0].state, 'dropped');
    });

    it('wait for a mail server that is away for three days', async () => {
      server.reactToMail = () => ({ status: 451, words: '4.3.0 later' });
      const customer = new Customer(app);
      await customer.reported('purchase.completed', { mail: true });
      let attempts = 0;
      for (let hours = 0; hours < 68; hours += 2) {
        app.clock.move(2 * HOUR_MS);
        await new Promise((resolve) => setTimeout(resolve, 60));
        const [mail] = await mailsTo(customer.email);
        assert.equal(mail.state, 'waiting', `after ${hours} hours: ${mail.lastError}`);
        attempts = mail.attempts;
      }
      assert.ok(attempts >= 6, `${attempts}`);
      server.reactToMail = () => 'accept';
      app.clock.move(DAY_MS);
      assert.ok((await server.hasReceived(1)).some(({ to }) => to[0] === customer.email));
    });

    it('tell of a failed payment once a day, until when the license works, and nothing once it was paid', async () => {
      const customer = new Customer(app);
      const fields = { purchaseId: mintUuid(), subscriptionId: mintUuid(), mail: true, language: 'en' };
      const expiresAt = new Date(app.clock.now() + 10 * DAY_MS).toISOString();
      await customer.reported('purchase.completed', { ...fields, mail: false, expiresAt, graceDays: 3 });
      await customer.reported('subscription.payment_failed', fields);
      await customer.reported('subscription.payment_failed', fields);
      await customer.reported('subscription.payment_failed', { ...fields, mail: false });
      const [received, ...more] = await allReceived();
      assert.deepEqual(more, []);
      assert.equal(received?.mail.subject, 'Your payment for Paint failed');
      const until = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
        Date.parse(expiresAt) + 3 * DAY_MS,
      );
      assert.ok(received?.mail.text?.includes(`Your license works until ${until}.`), received?.mail.text ?? '');
      app.clock.move(DAY_MS + 1000);
      server.reactToMail = () => ({ status: 451, words: '4.3.0 later' });
      await customer.reported('subscription.payment_failed', fields);
      await isTried(customer.email);
      await customer.reported('subscription.renewed', { ...fields, durationDays: 30 });
      server.received.length = 0;
      server.reactToMail = () => 'accept';
      app.clock.move(HOUR_MS);
      assert.deepEqual(await allReceived(), []);
    });

    it('tell of a failed payment of a connector in four languages', async () => {
      const subjects = {
        en: 'Your payment for Plan failed',
        de: 'Ihre Zahlung für Plan ist fehlgeschlagen',
        fr: 'Votre paiement pour Plan a échoué',
        es: 'El pago de Plan ha fallado',
      };
      for (const [language, subject] of Object.entries(subjects)) {
        const buyer = newBuyer();
        const shop = await new Shop(app, paddleSeller(buyer)).open({ settings: { languages: [language] } });
        await mustSucceed(app.admin('/updateProduct', { productId: shop.plan, name: 'Plan' }));
        const { subscribe, pause } = shop.seller.steps;
        const now = app.clock.now();
        await shop.tell(subscribe!(now));
        await shop.settled();
        await shop.tell(pause!(now + HOUR_MS).map(pastDue));
        await shop.settled();
        const received = (await allReceived()).filter(({ to }) => to[0] === buyer.email);
        // Several e-mails are under way at once, so the keys may arrive after it.
        assert.ok(
          received.some(({ mail }) => mail.subject === subject),
          subject,
        );
      }
    });

    it('go to another address that staff names, with a note on the license, and for a whole purchase', async () => {
      const one = await Creator.of(app);
      const productId = await one.product();
      const customer = new Customer(app);
      customer.productId = productId;
      const purchaseId = mintUuid();
      const keys: string[] = [];
      for (const lineId of ['a', 'b'])
        keys.push((await customer.reported('purchase.completed', { purchaseId, lineId, quantity: 1 })).licenseKey);
      const to = `${mintUuid()}@example.org`;
      const mailed = await mustSucceed(one.send('/mailLicense', { purchaseId, to }));
      assert.equal(mailed.to, to);
      const [received] = await server.hasReceived(1);
      assert.deepEqual(received?.to, [to]);
      for (const key of keys) assert.ok(received?.mail.text?.includes(key), received?.mail.text ?? '');
      const { events } = await mustSucceed(app.admin('/listEvents', { types: ['license.noted'] }));
      assert.ok(keys.includes(events[0].licenseKey));
      assert.equal(
        events[0].after.text,
        `The keys of the purchase were mailed to ${to} in place of ${customer.email}.`,
      );
      await mustSucceed(app.admin('/mailLicense', { purchaseId }));
      assert.deepEqual((await server.hasReceived(2))[1]?.to, [customer.email]);
      const stranger = await Creator.of(app);
      const refusals: [object, number, string][] = [
        [{ purchaseId }, 404, 'License not found'],
        [{}, 400, 'Missing licenseKey, purchaseId or mailId'],
        [{ purchaseId, licenseKey: keys[0] }, 400, 'Provide licenseKey, purchaseId or mailId, only one of them'],
      ];
      for (const [fields, status, error] of refusals) {
        const { status: answered, body } = await stranger.send('/mailLicense', { ...fields });
        assert.deepEqual([answered, body.error], [status, error]);
      }
      const other = new Customer(app);
      await other.reported('purchase.completed', { purchaseId });
      const ambiguous = await app.admin('/mailLicense', { purchaseId });
      assert.deepEqual(
        [ambiguous.status, ambiguous.body.error],
        [400, 'purchaseId names sales of several creators; provide licenseKey'],
      );
    });
  });

for (const engine of engines)
  describe(`e-mails to buyers by a setting on ${engine}`, () => {
    it('go out for each purchase that does not say otherwise, and a service without e-mail warns', async () => {
      const server = await MailServer.start();
      const app = await startApp(engine, { ...server.environment, LATCHKEY_MAIL_STOREFRONT: 'on' }, undefined, BOUNDS);
      try {
        const quiet = new Customer(app);
        await quiet.reported('purchase.completed', { mail: false });
        const customer = new Customer(app);
        await customer.reported('purchase.completed');
        assert.deepEqual(
          (await server.hasReceived(1)).map(({ to }) => to),
          [[customer.email]],
        );
      } finally {
        await app.stop();
        await server.close();
      }
      const without = await startApp(engine);
      const { warnings } = await new Customer(without).reported('purchase.completed', { mail: true });
      await without.stop();
      assert.deepEqual(warnings, ['not_mailed']);
    });
  });
