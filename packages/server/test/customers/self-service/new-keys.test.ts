/** New keys that customers give their licenses at /my, through the real service on both engines. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { MailServer } from '../../support/mail-server.ts';
import { formOf, linksOf } from './customer-browser.ts';
import { SELF_SERVICE, signInByLink } from './shop.ts';

const BOUNDS = { mailSender: { lookMs: 20, unreachedMs: 0, restMs: 20 } };
const REPLACED = 'License was replaced by another key';

for (const engine of engines)
  describe(`new keys of customers on ${engine}`, () => {
    let server: MailServer;
    let app: TestApp;
    before(async () => {
      server = await MailServer.start();
      app = await startApp(engine, { ...server.environment, ...SELF_SERVICE }, undefined, BOUNDS);
      await mustSucceed(app.admin('/updateBrand', { name: 'Tapehead', allowsNewKeys: true }));
    });
    beforeEach(() => {
      server.received.length = 0;
    });
    after(async () => {
      await app?.stop();
      await server?.close();
    });

    let customers = 0;
    const customer = async (order: object = {}) => {
      customers += 1;
      const email = `new-key-${customers}@example.com`;
      return { email, licenseKey: await app.license({ email, ...order }) };
    };
    const offersKey = (page: Parameters<typeof linksOf>[0]) =>
      linksOf(page).some((each) => each.startsWith('/my/new-key?'));
    const keyOn = ({ body }: { readonly body: string }) => /data-copy="([^"]*)"/.exec(body)?.[1] ?? '';

    it('are made after a question, shown, mailed, and take the place of the old key', async () => {
      const { email, licenseKey } = await customer({ maxMachines: 2 });
      const machine = await new Machine(app, licenseKey).activated();
      const { browser, license } = await signInByLink(app, { email });
      const question = await browser.follow(license, '/my/new-key');
      assert.match(question.body, /stops working on all computers until the new one is entered/);
      assert.match(question.body, /once in 30 days/);
      assert.equal((await machine.verify()).status, 200);
      const made = await browser.submit(question, '/my/new-key');
      assert.match(made.body, /Your license has a new key, and an e-mail with it is on its way\./);
      assert.match(made.body, /<details open>/);
      const newKey = keyOn(made);
      assert.match(newKey, /^[A-Z2-9]{5}(-[A-Z2-9]{5}){4}$/);
      assert.ok(newKey !== licenseKey && !made.body.includes(licenseKey));
      const refused = await machine.verify();
      assert.deepEqual([refused.status, refused.body.error], [403, REPLACED]);
      const [received] = await server.hasReceived(1);
      assert.deepEqual(received?.to, [email]);
      assert.ok(received?.mail.text?.includes(newKey) && received.mail.text.includes('takes the place of the former'));
      const { license: stored, history } = await mustSucceed(
        app.admin('/getLicense', { licenseKey: newKey, history: true }),
      );
      const { type, actor, after: facts } = history.at(-1).event;
      assert.deepEqual([type, actor.kind, stored.replaces], ['license.replaced', 'customer', licenseKey]);
      assert.equal(facts.text, 'The customer asked for a new key.');
    });

    it('are made once in 30 days, whoever replaced the key meanwhile', async () => {
      const { email } = await customer();
      const { browser, license } = await signInByLink(app, { email });
      const question = await browser.follow(license, '/my/new-key');
      const made = await browser.submit(question, '/my/new-key');
      assert.equal(offersKey(made), false);
      assert.match(made.body, /You can get another new key from/);
      const first = keyOn(made);
      const { licenseKey: second } = await mustSucceed(app.admin('/replaceLicense', { licenseKey: first }));
      const again = (await signInByLink(app, { email })).license;
      assert.deepEqual([keyOn(again), offersKey(again)], [second, false]);
      // A form that was open all along.
      const { l = '' } = Object.fromEntries(new URL(again.path, 'https://service.invalid').searchParams);
      const forced = await browser.submit(question, '/my/new-key', { l });
      assert.match(forced.body, /No further key was made/);
      assert.equal(keyOn(forced), second);
      app.clock.move(30 * DAY_MS + 1);
      const later = await signInByLink(app, { email });
      assert.ok(offersKey(later.license));
      const third = keyOn(
        await later.browser.submit(await later.browser.follow(later.license, '/my/new-key'), '/my/new-key'),
      );
      assert.ok(third !== second && third !== '');
    });

    it('are made by the first of two presses, and the second finds the list', async () => {
      const { email } = await customer();
      const { browser, license } = await signInByLink(app, { email });
      const question = await browser.follow(license, '/my/new-key');
      await browser.submit(question, '/my/new-key');
      const second = await browser.submit(question, '/my/new-key');
      assert.match(second.path, /^\/my\/licenses/);
      assert.match(second.body, /role="alert"><p>No further key was made/);
      await server.hasReceived(1);
      assert.equal(server.received.length, 1);
    });

    it('are offered where the owner of the product allows them, and for licenses that work', async () => {
      const creator = await Creator.of(app);
      const [email, productId] = ['of-creator@example.com', await creator.product()];
      const licenseKey = await creator.license(productId, { email });
      const offered = async () => offersKey((await signInByLink(app, { email })).license);
      assert.equal(await offered(), false);
      await mustSucceed(creator.send('/updateBrand', { name: 'Brush' }));
      assert.equal(await offered(), false);
      await mustSucceed(creator.send('/updateBrand', { allowsNewKeys: true }));
      assert.equal(await offered(), true);
      const { browser, license } = await signInByLink(app, { email });
      const question = await browser.follow(license, '/my/new-key');
      await mustSucceed(creator.send('/updateBrand', { allowsNewKeys: false }));
      const refused = await browser.submit(question, '/my/new-key');
      assert.match(refused.body, /No further key was made/);
      assert.equal(keyOn(refused), licenseKey);
      await mustSucceed(creator.send('/updateBrand', { allowsNewKeys: true }));
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      assert.equal(await offered(), false);
    });

    it('are made for the owner of the license alone, and only with a form of the own session', async () => {
      const [one, other] = [await customer(), await customer()];
      const signedIn = await signInByLink(app, one);
      const question = await signedIn.browser.follow(signedIn.license, '/my/new-key');
      const stranger = await signInByLink(app, other);
      const { l = '' } = formOf(question, '/my/new-key').hidden;
      const foreign = await stranger.browser.submitOnly(question, '/my/new-key');
      assert.equal(foreign.status, 403);
      const own = await stranger.browser.follow(stranger.license, '/my/new-key');
      const page = await stranger.browser.submit(own, '/my/new-key', { l });
      assert.match(page.body, /No further key was made/);
      for (const { licenseKey } of [one, other])
        assert.equal((await app.send('/verify', { licenseKey, productId: 'app' })).status, 200);
    });
  });
