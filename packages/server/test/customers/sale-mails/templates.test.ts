/** The vendors' own texts of e-mails to buyers, on both engines (rules 13.1). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Email } from 'postal-mime';
import { MAX_TEMPLATES } from '../../../src/customers/sale-mails/template.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { Customer } from '../../commerce/storefront/storefront.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { MailServer } from '../../support/mail-server.ts';

const BOUNDS = { mailSender: { lookMs: 20, unreachedMs: 0, restMs: 20 } };
const KEYS = { kind: 'keys', language: 'en' };

for (const engine of engines)
  describe(`texts of e-mails to buyers on ${engine}`, () => {
    let server: MailServer;
    let app: TestApp;
    before(async () => {
      server = await MailServer.start();
      app = await startApp(engine, server.environment, undefined, BOUNDS);
    });
    beforeEach(() => {
      server.received.length = 0;
    });
    after(async () => {
      await app?.stop();
      await server?.close();
    });

    /** A creator with a product. */
    const vendor = async (name = 'Paint') => {
      const creator = await Creator.of(app);
      return { creator, productId: await creator.product({ name }) };
    };
    /** The e-mail that a buyer of the product gets. */
    const bought = async (productId: string, fields: object = {}): Promise<{ licenseKey: string; mail: Email }> => {
      const customer = new Customer(app);
      customer.productId = productId;
      const reply = await customer.reported('purchase.completed', { purchaseId: mintUuid(), mail: true, ...fields });
      for (;;) {
        const found = server.received.find(({ to }) => to[0] === customer.email);
        if (found !== undefined) return { licenseKey: reply.licenseKey, mail: found.mail };
        await server.hasReceived(server.received.length + 1);
      }
    };

    it('stand before the built-in ones: those of a product and language, then those of the creator', async () => {
      const { creator, productId } = await vendor();
      const save = (fields: object) =>
        mustSucceed(creator.send('/saveMailTemplate', { ...KEYS, text: '{keys}', ...fields }));
      assert.equal((await bought(productId)).mail.subject, 'Your license for Paint');
      await save({ subject: 'Of the creator' });
      assert.equal((await bought(productId)).mail.subject, 'Of the creator');
      await save({ subject: 'Of the product', productId });
      assert.equal((await bought(productId)).mail.subject, 'Of the product');
      assert.equal((await bought(productId, { language: 'de' })).mail.subject, 'Ihre Lizenz für Paint');
      const other = await creator.product({ name: 'Brush' });
      assert.equal((await bought(other)).mail.subject, 'Of the creator');
      const { templates, count } = await mustSucceed(creator.send('/listMailTemplates', {}));
      assert.deepEqual(
        templates.map((each: Record<string, unknown>) => [each.productId, each.subject]),
        [
          [null, 'Of the creator'],
          [productId, 'Of the product'],
        ],
      );
      assert.equal(count, 2);
      await mustSucceed(creator.send('/deleteMailTemplate', { ...KEYS, productId }));
      assert.equal((await bought(productId)).mail.subject, 'Of the creator');
      await mustSucceed(creator.send('/deleteMailTemplate', KEYS));
      assert.equal((await bought(productId)).mail.subject, 'Your license for Paint');
      const gone = await creator.send('/deleteMailTemplate', KEYS);
      assert.deepEqual([gone.status, gone.headers['latchkey-code']], [404, 'mail_template_not_found']);
    });

    it('have every value escaped and on one line, and no value is read as a placeholder', async () => {
      const { creator, productId } = await vendor('<b>&{keys}');
      const brand = { name: 'Shop & Söhne', supportAddress: 'help@brush.example' };
      await mustSucceed(creator.send('/updateBrand', brand));
      const text =
        'Hi <i>you</i>,\r\nfrom {shop} {and} more?\n\n\n{product}: {variant}, {expires}\n\n{keys}\n\n{support}'.replace(
          '{and} ',
          '{ and } ',
        );
      const template = { ...KEYS, subject: 'For\r\nBcc: {product}\u2028{shop}', text };
      await mustSucceed(creator.send('/saveMailTemplate', template));
      const variant = 'pro\nX-Header: 1';
      const { mail, licenseKey } = await bought(productId, { variant, expiresAt: '2031-05-27T12:00:00Z' });
      assert.equal(mail.subject, 'For Bcc: <b>&{keys} Shop & Söhne');
      assert.deepEqual(mail.bcc ?? [], []);
      assert.deepEqual(mail.text?.trimEnd().split('\n'), [
        ...['Hi <i>you</i>,', 'from Shop & Söhne { and } more?', ''],
        ...['<b>&{keys}: pro X-Header: 1, 27 May 2031', ''],
        ...['<b>&{keys}, pro X-Header: 1', `    ${licenseKey}`, '', 'help@brush.example'],
      ]);
      assert.ok(mail.html?.includes('<p>Hi &#60;i&#62;you&#60;/i&#62;,<br>\nfrom Shop &#38; Söhne'), String(mail.html));
      assert.doesNotMatch(mail.html ?? '', /<(i|b|a|img|script)\b/);
      assert.doesNotMatch(mail.headers.map(({ key, value }) => `${key}: ${value}`).join('\n'), new RegExp(licenseKey));
    });

    it('have placeholders of a closed list, keys in the body alone, and those of creators no addresses', async () => {
      const { creator } = await vendor();
      const refused: [object, string][] = [
        [
          { text: '{keys} {name}' },
          'text must have no placeholders except {product}, {variant}, {keys}, {expires}, {shop}, {support}; it has {name}',
        ],
        [{ subject: '{keys}' }, 'subject must not have {keys}: mail programs show it to bystanders'],
        [{ subject: '\u200b' }, 'subject must have visible characters'],
        [{ text: 'Welcome' }, 'text must have {keys}, or the buyer gets no key'],
        [{ kind: 'payment_failed' }, 'text of payment_failed must not have {keys}'],
        [{ text: `{keys}${'ä'.repeat(2048)}` }, 'text must have at most 4096 bytes'],
        [{ text: '{keys}\u0007' }, 'text must have no control characters except line breaks'],
        [{ text: '{keys} https://evil.example' }, 'text must not have addresses or links; the operator can set them'],
        [{ subject: 'evil.example' }, 'subject must not have addresses or links; the operator can set them'],
        [{ text: '{keys} {shop}' }, '{shop} needs the name of a brand; /updateBrand sets it'],
      ];
      for (const [fields, error] of refused) {
        const { status, body } = await creator.send('/saveMailTemplate', {
          ...KEYS,
          subject: 'Hi',
          text: '{keys}',
          ...fields,
        });
        assert.deepEqual([status, body.error], [400, error]);
      }
      const { creatorId } = creator;
      const text = '{keys} https://shop.example/start';
      await mustSucceed(app.admin('/saveMailTemplate', { creatorId, ...KEYS, subject: 'Hi', text }));
      assert.equal((await mustSucceed(creator.send('/listMailTemplates', {}))).templates[0].text, text);
    });

    it('belong to their owner: another creator neither sees nor changes them, nor writes one for a foreign product', async () => {
      const [one, other] = [await vendor(), await vendor()];
      await mustSucceed(one.creator.send('/saveMailTemplate', { ...KEYS, subject: 'Mine', text: '{keys}' }));
      assert.deepEqual((await mustSucceed(other.creator.send('/listMailTemplates', {}))).templates, []);
      const { creatorId } = one.creator;
      const write = { ...KEYS, subject: 'Yours', text: '{keys}' };
      const answers = [
        await other.creator.send('/saveMailTemplate', { ...write, creatorId }),
        await other.creator.send('/deleteMailTemplate', { ...KEYS, creatorId }),
        await other.creator.send('/saveMailTemplate', { ...write, productId: one.productId }),
        await other.creator.send('/previewMail', { ...KEYS, productId: one.productId }),
        await app.admin('/saveMailTemplate', { ...write, productId: one.productId }),
      ];
      assert.deepEqual(
        answers.map(({ status, body }) => [status, body.error]),
        [
          [403, 'An API key cannot act for another creator'],
          [403, 'An API key cannot act for another creator'],
          [404, 'Product not found'],
          [404, 'Product not found'],
          [404, 'Product not found'],
        ],
      );
      assert.equal((await bought(one.productId)).mail.subject, 'Mine');
    });

    it('are previewed without a trace and sent as a test, with the values of an example', async () => {
      const { creator, productId } = await vendor();
      const builtIn = await mustSucceed(
        creator.send('/previewMail', { kind: 'keys_added', language: 'fr', productId }),
      );
      assert.equal(builtIn.subject, 'Une autre licence de votre commande de Paint');
      assert.equal(builtIn.template.subject, 'Une autre licence de votre commande de {product}');
      assert.match(builtIn.text, /EXAMP-LEKEY-00000-00000-00002/);
      const given = { ...KEYS, productId, subject: 'Try {product}', text: '{keys} until {expires}' };
      const shown = await mustSucceed(creator.send('/previewMail', given));
      assert.equal(shown.subject, 'Try Paint');
      assert.match(shown.html, /<code>EXAMP-LEKEY-00000-00000-00001<\/code>/);
      assert.deepEqual((await mustSucceed(creator.send('/listMailTemplates', {}))).templates, []);
      const to = `${mintUuid()}@example.com`;
      await mustSucceed(creator.send('/sendTestMail', { ...given, to }));
      const [received] = await server.hasReceived(1);
      assert.deepEqual([received?.to, received?.mail.subject], [[to], 'Try Paint']);
      assert.equal(received?.mail.text?.trimEnd(), shown.text.trimEnd());
      const statuses = [];
      for (let count = 0; count < 3; count += 1)
        statuses.push((await creator.send('/sendTestMail', { ...given, to })).status);
      assert.deepEqual(statuses, [200, 200, 429]);
      const tricky = await creator.send('/sendTestMail', { ...given, to: 'victim;other@example.com' });
      assert.deepEqual([tricky.status, tricky.headers['latchkey-code']], [409, 'address_not_mailable']);
      const without = await startApp(engine);
      const off = await without.admin('/sendTestMail', { ...KEYS, to });
      await without.stop();
      assert.deepEqual([off.status, off.headers['latchkey-code']], [409, 'mail_off']);
    });

    it('are changed by one at a time, and each change is recorded with its author', async () => {
      const { creator } = await vendor();
      const write = { ...KEYS, text: '{keys}' };
      const first = await mustSucceed(
        creator.send('/saveMailTemplate', { ...write, subject: 'One', wasUpdatedAt: null }),
      );
      app.clock.move(1000);
      await mustSucceed(
        creator.send('/saveMailTemplate', { ...write, subject: 'Two', wasUpdatedAt: first.template.updatedAt }),
      );
      for (const wasUpdatedAt of [null, first.template.updatedAt]) {
        const late = await creator.send('/saveMailTemplate', { ...write, subject: 'Three', wasUpdatedAt });
        assert.deepEqual([late.status, late.headers['latchkey-code']], [409, 'changed_meanwhile']);
      }
      const deleted = await creator.send('/deleteMailTemplate', { ...KEYS, wasUpdatedAt: first.template.updatedAt });
      assert.deepEqual([deleted.status, deleted.headers['latchkey-code']], [409, 'changed_meanwhile']);
      const { events } = await mustSucceed(creator.send('/listEvents', { types: ['mail_template.saved'] }));
      assert.deepEqual(
        events.map((each: { after: { subject: string }; subject: string }) => [each.subject, each.after.subject]),
        [
          ['keys en', 'Two'],
          ['keys en', 'One'],
        ],
      );
    });

    it(`are at most ${MAX_TEMPLATES} of one owner, however many calls arrive at once`, async () => {
      const { creator } = await vendor();
      const languages = ['en', 'de', 'fr', 'es'];
      const kinds = ['keys', 'keys_added', 'payment_failed'];
      const textOf = (kind: string) => (kind === 'payment_failed' ? 'Pay' : '{keys}');
      const calls: object[] = [];
      while (calls.length < MAX_TEMPLATES + 10) {
        const productId = await creator.product();
        for (const kind of kinds)
          for (const language of languages)
            calls.push({ productId, kind, language, subject: 'Hi', text: textOf(kind) });
      }
      for (const each of calls.slice(0, MAX_TEMPLATES - 5))
        await mustSucceed(creator.send('/saveMailTemplate', { ...each }));
      await fillPool(app);
      const answers = await Promise.all(
        calls
          .slice(MAX_TEMPLATES - 5, MAX_TEMPLATES + 10)
          .map((each) => creator.send('/saveMailTemplate', { ...each })),
      );
      const statuses = answers.map(({ status }) => status).toSorted();
      assert.deepEqual(statuses, [...Array(5).fill(200), ...Array(10).fill(409)]);
      assert.equal((await mustSucceed(creator.send('/listMailTemplates', {}))).count, MAX_TEMPLATES);
    });
  });
