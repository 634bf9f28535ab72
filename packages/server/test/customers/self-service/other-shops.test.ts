/** A customer of several shops: no creator takes from the customer what belongs to another (rules 13.3, 13.4). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type TestApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { MailServer } from '../../support/mail-server.ts';
import { execute } from '../../support/own-connection.ts';
import { CustomerBrowser } from './customer-browser.ts';
import { SELF_SERVICE, signInByLink } from './shop.ts';

for (const engine of engines)
  describe(`a customer of several shops on ${engine}`, () => {
    let app: TestApp;
    let mails: MailServer;
    before(async () => {
      mails = await MailServer.start();
      const bounds = { mailSender: { lookMs: 20, unreachedMs: 0, restMs: 20 } };
      app = await startApp(engine, { ...SELF_SERVICE, ...mails.environment }, undefined, bounds);
    });
    after(async () => {
      await app?.stop();
      await mails?.close();
    });

    /** A creator who has issued a license to an address. */
    const creatorFor = async (email: string) => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      await creator.license(productId, { email });
      return { creator, productId };
    };
    const linkOf = async (creator: Creator, email: string): Promise<string> =>
      (await mustSucceed(creator.send('/createCustomerLink', { email }))).url;
    const enter = async (link: string) => {
      const browser = new CustomerBrowser(app);
      return { browser, page: await browser.submit(await browser.open(link), '/my/enter') };
    };

    it('keeps the sessions and links of other shops, however many a creator makes', async () => {
      const email = 'sessions@example.com';
      await app.license({ email });
      const { creator } = await creatorFor(email);
      const { url } = await mustSucceed(app.admin('/createCustomerLink', { email }));
      const own = await signInByLink(app, { email });
      for (let count = 0; count < 21; count += 1)
        assert.equal((await enter(await linkOf(creator, email))).page.status, 200);
      for (let count = 0; count < 21; count += 1) await linkOf(creator, email);
      assert.match((await own.browser.open('/my/licenses')).body, /Signed in as/);
      assert.match((await enter(url)).page.body, /Signed in as/);
    });

    it('is mailed keys three times a day by each shop', async () => {
      const email = 'keys@example.com';
      await app.license({ email });
      const { creator } = await creatorFor(email);
      const { browser, page } = await enter(await linkOf(creator, email));
      for (let count = 0; count < 3; count += 1) await browser.submit(page, '/my/send-keys');
      assert.match((await browser.submit(page, '/my/send-keys')).body, /sent a short while ago/);
      const own = await signInByLink(app, { email });
      const sent = await own.browser.submit(own.licenses, '/my/send-keys');
      assert.doesNotMatch(sent.body, /sent a short while ago/);
      const received = await mails.hasReceived(4);
      assert.equal(received.length, 4);
    });

    it('sees at each product the links that the brand of its own creator gives it', async () => {
      const email = 'links@example.com';
      const { creator, productId } = await creatorFor(email);
      const other = await creatorFor(email);
      const linked = (shop: string) => ({
        name: shop,
        productLinks: [
          { productId, download: `https://${shop}.example/get`, receipt: `https://${shop}.example/orders` },
        ],
      });
      const unlinked = await creator.product();
      await creator.license(unlinked, { email });
      const foreign = linked('stranger');
      const ofUnlinked = { productId: unlinked, download: 'https://stranger.example/get' };
      await mustSucceed(
        other.creator.send('/updateBrand', { ...foreign, productLinks: [...foreign.productLinks, ofUnlinked] }),
      );
      await mustSucceed(creator.send('/updateBrand', linked('owner')));
      const { licenses } = await signInByLink(app, { email });
      assert.match(licenses.body, /href="https:\/\/owner\.example\/get"/);
      assert.doesNotMatch(licenses.body, /stranger\.example/);
      const [{ key: licenseKey }] = (await app.admin('/listLicenses', { productId })).body.licenses;
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      const revoked = (await signInByLink(app, { email })).licenses.body;
      assert.match(revoked, /owner\.example\/orders/);
      assert.doesNotMatch(revoked, /owner\.example\/get/);
    });

    it('sees when a license was bought or issued, and which one is a trial', async () => {
      const email = 'bought@example.com';
      await mustSucceed(
        app.webhook('/storefrontWebhook', { type: 'purchase.completed', purchaseId: 'p-1', email, productId: 'sold' }),
      );
      await mustSucceed(app.admin('/createDiscountCode', { code: 'TRY-IT', trialDays: 7, productId: 'tried' }));
      await mustSucceed(app.webhook('/redeemTrialCode', { code: 'TRY-IT', productId: 'tried', email }));
      const cards = (await signInByLink(app, { email })).licenses.body.split('<li class="card">').slice(1) as string[];
      const factsOf = (name: string) => {
        const card = cards.find((each) => each.includes(`<bdi>${name}</bdi>`))!;
        return ['Bought', 'Issued', 'Trial'].filter((word) => card.includes(`>${word}<`));
      };
      assert.deepEqual([factsOf('sold'), factsOf('tried')], [['Bought'], ['Issued', 'Trial']]);
    });

    it('sees the new license in place of one whose key was replaced', async () => {
      const email = 'replaced@example.com';
      const licenseKey = await app.license({ email });
      const { licenseKey: newKey } = await mustSucceed(app.admin('/replaceLicense', { licenseKey }));
      const { body } = (await signInByLink(app, { email })).licenses;
      assert.deepEqual([body.includes(newKey), body.includes(licenseKey)], [true, false]);
    });

    it('sees the own licenses on the pages and in the e-mails of the operator, however many a creator issues', async () => {
      const email = 'hidden@example.com';
      const licenseKey = await app.license({ email, productId: 'bought' });
      const { productId } = await creatorFor(email);
      app.clock.move(1000);
      const columns = `email, email_folded, product_id, variant, license_type, revocation, status_mark, max_machines,
        purchased_at, purchase_id, unlocked_products, threat_level, machines_used, sessions_held, attempts,
        countries_seen, in_catalogue, event_count`;
      await execute(
        app.database,
        `with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 1100)
         insert into license (license_key, created_at, ${columns})
         select 'FLOOD-' || n, '${app.clock.at()}', ${columns} from license cross join counted
         where product_id = '${productId}'`,
      );
      const { browser, licenses, license } = await signInByLink(app, { email });
      const pages = [licenses.body];
      let page = licenses;
      for (;;) {
        const next = /<p><a href="(\/my\/licenses\?after=[^"]*)"/.exec(page.body)?.[1];
        if (next === undefined) break;
        page = await browser.open(next);
        pages.push(page.body);
      }
      assert.ok(license.status === 200 && pages.length === 20, `${pages.length} pages`);
      assert.ok(pages.some((body) => body.includes(licenseKey)));
      assert.equal(new Set(pages.join('').match(/FLOOD-\d+/g)).size, 999);
      const count = mails.received.length;
      await browser.submit(licenses, '/my/send-keys');
      const text = (await mails.hasReceived(count + 1))[count]?.mail.text ?? '';
      assert.ok(text.includes(licenseKey));
      assert.equal(text.match(/FLOOD-\d+/g)?.length, 49);
    });
  });
