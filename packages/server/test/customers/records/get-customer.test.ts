/** Facts about one customer, and the list of customers (rules 4.10.2, 4.10.3). */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { mintId, mintUuid } from '../../../src/ground/base/random.ts';
import { ORDER, orderSeats } from '../../commerce/studio-orders/orders.ts';
import { assertRefused } from '../../support/answers.ts';
import type { TestApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { historyWithRefusals } from '../../support/kept-refusals.ts';
import { Machine } from '../../support/machine.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedApp } from '../../support/started-app.ts';

/** An address that nobody else in this app has. */
const someone = (name: string) => `${name}.${mintUuid()}@example.com`;

for (const engine of engines)
  describe(`customers on ${engine}`, () => {
    let creator: Creator;
    let stranger: Creator;
    // E-mails are queued and not sent.
    const mail = { LATCHKEY_SMTP_URL: 'smtp://127.0.0.1', LATCHKEY_MAIL_FROM: 'licenses@shop.example' };
    const app = startedApp(engine, { ...mail, LATCHKEY_DELIVERIES: 'off' });
    before(async () => {
      [creator, stranger] = [await Creator.of(app), await Creator.of(app)];
    });

    const read = async (email: string, fields = {}) =>
      (await mustSucceed(app.admin('/getCustomer', { email, ...fields }))).customer;
    const readAs = async (who: Creator, email: string, fields = {}) =>
      (await mustSucceed(who.send('/getCustomer', { email, ...fields }))).customer;

    /** A license of a creator with a machine, a refusal, a note, an e-mail and a redeemed code. */
    async function licenseWithAll(who: Creator, email: string, name: string) {
      const productId = await who.product();
      const licenseKey = await who.license(productId, { email, maxMachines: 1 });
      await new Machine(app, licenseKey, `${name} desk`, productId).activated();
      assert.equal((await new Machine(app, licenseKey, `${name} tablet`, productId).activate()).status, 403);
      await historyWithRefusals(app, licenseKey, 1);
      await mustSucceed(app.admin('/addNote', { licenseKey, text: `Note on ${name}` }));
      await mustSucceed(who.send('/mailLicense', { licenseKey }));
      const code = `CODE-${mintId()}`;
      await mustSucceed(who.send('/createDiscountCode', { code, productId: await who.product(), trialDays: 7 }));
      return { productId, licenseKey, code };
    }

    it('shows the former addresses of the licenses, with the licenses that have them now, until they are forgotten', async () => {
      const [email, newEmail, third] = ['First', 'Second', 'Third'].map(someone) as [string, string, string];
      const licenseKey = await app.license({ email });
      await app.license({ email: third });
      await mustSucceed(app.admin('/changeEmail', { licenseKey, newEmail: third }));
      await mustSucceed(app.admin('/changeEmail', { licenseKey, newEmail }));
      const former = [
        { email: email.toLowerCase(), licenseCount: 0 },
        { email: third.toLowerCase(), licenseCount: 1 },
      ];
      assert.deepEqual((await read(newEmail)).formerEmails, former);
      assert.deepEqual((await read(third)).formerEmails, []);
      assert.equal((await mustSucceed(app.admin('/forgetCustomer', { email }))).complete, true);
      assert.deepEqual((await read(newEmail)).formerEmails, former.slice(1));
    });

    it('shows the licenses, machines, refusals, notes, e-mails, codes, orders and seats of an address', async () => {
      const email = someone('Ada');
      const bought = app.clock.at();
      const { licenseKey, code } = await licenseWithAll(creator, email, 'first');
      app.clock.move(MINUTE_MS);
      const productId = await creator.product();
      await mustSucceed(creator.send('/createDiscountCode', { code: `${code}-2`, productId, trialDays: 7 }));
      const trial = await mustSucceed(app.send('/redeemTrialCode', { code: `${code}-2`, productId, email }));
      await orderSeats(app, { buyerEmail: email });
      const { studioOrderId, codes } = await orderSeats(app);
      const redeemed = { redeemerEmail: email, redeemerUserId: mintId(), storefrontPurchaseId: 'record 1' };
      await mustSucceed(app.webhook('/redeemSeatCode', { code: codes[0], ...redeemed }));

      const customer = await read(`${email.toUpperCase()}`);
      assert.equal(customer.email, email.toLowerCase());
      assert.deepEqual(
        [customer.licenseCount, customer.firstLicenseAt, customer.newestLicenseAt, customer.orderCount, customer.cut],
        [2, bought, app.clock.at(), 1, []],
      );
      const keyed = (entries: readonly Record<string, unknown>[], field: string) =>
        entries.map((entry) => [entry.licenseKey, entry[field]]);
      assert.deepEqual(keyed(customer.machines, 'fingerprint'), [[licenseKey, 'first desk']]);
      assert.deepEqual(keyed(customer.refusals, 'machineFingerprint'), [[licenseKey, 'first tablet']]);
      assert.deepEqual(keyed(customer.notes, 'text'), [[licenseKey, 'Note on first']]);
      assert.deepEqual(keyed(customer.mails, 'to'), [[licenseKey, email]]);
      assert.deepEqual(customer.redemptions, [
        { code: `${code}-2`, licenseKey: trial.licenseKey, redeemedAt: app.clock.at() },
      ]);
      assert.deepEqual(customer.seats, [{ studioOrderId, courseTitle: ORDER.courseTitle, redeemedAt: app.clock.at() }]);
    });

    it('shows an API key the data of its creator only', async () => {
      const email = someone('shared');
      const own = await licenseWithAll(creator, email, 'own');
      await licenseWithAll(stranger, email, 'foreign');
      for (const { creatorId } of [creator, stranger, stranger])
        await orderSeats(app, { buyerEmail: email, creatorId });
      const customer = await readAs(creator, email);
      assert.deepEqual([customer.licenseCount, customer.orderCount], [1, 1]);
      for (const entries of [customer.machines, customer.refusals, customer.notes, customer.mails])
        assert.deepEqual(
          entries.map(({ licenseKey }: { licenseKey: string }) => licenseKey),
          [own.licenseKey],
        );
      assert.equal((await readAs(stranger, email)).orderCount, 2);
      assert.equal((await read(email)).licenseCount, 2);
    });

    it('shows an API key the codes of its creator that the address redeemed', async () => {
      const email = someone('trial');
      const redeemedBy = async (who: Creator) => {
        const [code, productId] = [`Trial-${mintId()}`, await who.product()];
        await mustSucceed(who.send('/createDiscountCode', { code, productId, trialDays: 7 }));
        await mustSucceed(app.send('/redeemTrialCode', { code, productId, email }));
        return code;
      };
      const codes = [await redeemedBy(creator), await redeemedBy(stranger)];
      const shown = ({ redemptions }: { redemptions: readonly { code: string }[] }) =>
        redemptions.map(({ code }) => code);
      assert.deepEqual(shown(await readAs(creator, email)), [codes[0]]);
      assert.deepEqual(shown(await readAs(stranger, email)), [codes[1]]);
      assert.deepEqual(shown(await read(email)).sort(), codes.toSorted());
    });

    it('answers a creator the same for the customer of another creator as for an unknown address', async () => {
      const email = someone('foreign');
      await licenseWithAll(stranger, email, 'foreign');
      await orderSeats(app, { buyerEmail: email, creatorId: stranger.creatorId });
      for (const asked of [email, someone('nobody')])
        assertRefused(await creator.send('/getCustomer', { email: asked }), 404, 'Customer not found');
    });

    it('limits the data to one product, and finds orders of an address without licenses', async () => {
      const email = someone('two');
      const [one, other] = [await creator.product(), await creator.product()];
      for (const productId of [one, other, other]) await creator.license(productId, { email });
      assert.equal((await read(email, { productId: one })).licenseCount, 1);
      assert.equal((await readAs(creator, email, { productId: other })).licenseCount, 2);
      await orderSeats(app, { buyerEmail: email });
      assert.deepEqual([(await read(email)).orderCount, (await read(email, { productId: one })).orderCount], [1, 0]);
      const buyer = someone('buyer');
      await orderSeats(app, { buyerEmail: buyer });
      assert.deepEqual([(await read(buyer)).licenseCount, (await read(buyer)).orderCount], [0, 1]);
    });

    it('says which lists are cut, and shows the machines seen last', async () => {
      const email = someone('many');
      const productId = await creator.product();
      const licenseKey = await creator.license(productId, { email, maxMachines: -1 });
      for (let number = 1; number <= 22; number++)
        await mustSucceed(app.admin('/addNote', { licenseKey, text: `Note ${number}` }));
      const customer = await read(email);
      assert.deepEqual(customer.cut, ['notes']);
      assert.equal(customer.notes.length, 20);
    });

    it('finds nothing of a forgotten customer but the pseudonym', async () => {
      const email = someone('gone');
      await creator.license(await creator.product(), { email });
      const { pseudonym } = await mustSucceed(app.admin('/forgetCustomer', { email }));
      assertRefused(await app.admin('/getCustomer', { email }), 404, 'Customer not found');
      assert.equal((await read(pseudonym)).licenseCount, 1);
    });

    it('asks a creator of more than thirty products to name one', async () => {
      const [who, email] = [await Creator.of(app), someone('large')];
      for (let number = 1; number <= 30; number++) await who.product();
      const productId = await who.product();
      await who.license(productId, { email });
      const text = 'You own more than 30 products: provide a productId';
      assertRefused(await who.send('/getCustomer', { email }), 400, text);
      assertRefused(await who.send('/listCustomers'), 400, text);
      assert.equal((await readAs(who, email, { productId })).licenseCount, 1);
      assert.equal((await mustSucceed(who.send('/listCustomers', { productId }))).count, 1);
    });

    it('refuses a missing address and one that is none', async () => {
      assertRefused(await app.admin('/getCustomer'), 400, 'Missing email');
      assert.equal((await app.admin('/getCustomer', { email: 'nobody' })).status, 400);
      assert.equal((await app.webhook('/getCustomer', { email: 'a@b' })).status, 401);
      assert.equal((await app.webhook('/listCustomers')).status, 401);
    });

    /** The customers of all pages; all but the last are full. */
    async function listed(send: TestApp['admin'], limit: number, fields = {}) {
      const pages = await pagesOf(send, '/listCustomers', { limit, ...fields }, 'customers');
      for (const page of pages.slice(0, -1)) assert.equal(page.length, limit);
      return pages.flat();
    }

    it('lists 50 customers by default', async () => {
      const who = await Creator.of(app);
      const productId = await who.product();
      await Promise.all(
        Array.from({ length: 51 }, (_, number) => who.license(productId, { email: someone(`${number}`) })),
      );
      const { count, nextCursor } = await mustSucceed(who.send('/listCustomers', { productId }));
      assert.equal(count, 50);
      const rest = await mustSucceed(who.send('/listCustomers', { productId, cursor: nextCursor }));
      assert.equal(rest.count, 1);
    });

    it('lists each customer once, in the order of addresses, with the number of licenses', async () => {
      const who = await Creator.of(app);
      const [one, other] = [await who.product(), await who.product()];
      const emails = ['b', 'a', 'c', 'é', 'd'].map(someone);
      for (const [index, email] of emails.entries())
        for (const productId of [one, other].slice(index % 2))
          await who.license(productId, { email: email.toUpperCase() });
      for (let number = 0; number < 11; number++) await who.license(other, { email: emails[0] });
      const expected = emails
        .map((email, index) => ({
          email,
          licenses: index === 0 ? 10 : 2 - (index % 2),
          newestLicenseAt: app.clock.at(),
        }))
        .sort((a, b) => Buffer.compare(Buffer.from(a.email), Buffer.from(b.email)));
      for (const limit of [1, 2, 5, 100])
        assert.deepEqual(await listed((path, body) => who.send(path, body), limit), expected);
      const ofOne = await listed(app.admin, 2, { productId: one });
      assert.deepEqual(
        ofOne.map(({ email }) => email),
        expected.filter(({ email }) => emails.indexOf(email) % 2 === 0).map(({ email }) => email),
      );
      const all = (await listed(app.admin, 3)).map(({ email }) => email);
      assert.equal(new Set(all).size, all.length);
      for (const { email } of expected) assert.ok(all.includes(email));
      assertRefused(
        await app.admin('/listCustomers', { cursor: 'none' }),
        400,
        'cursor is not the nextCursor of an earlier answer',
      );
    });

    it('lists the customers whose addresses begin with a text, page by page', async () => {
      const who = await Creator.of(app);
      const [one, other] = [await who.product(), await who.product()];
      const word = mintId()
        .replace(/[^a-z]/gi, 'x')
        .toLowerCase();
      const emails = [`${word}@a.example`, `${word}@b.example`, `${word}a@a.example`, `${word}z@a.example`];
      for (const email of [...emails, `x${word}@a.example`, `${word.slice(0, -1)}@a.example`])
        for (const productId of [one, other]) await who.license(productId, { email });
      for (const send of [app.admin, (path: string, body?: Readonly<Record<string, unknown>>) => who.send(path, body)])
        for (const limit of [1, 2, 100])
          for (const beginning of [word, word.toUpperCase()]) {
            const found = await listed(send as TestApp['admin'], limit, { beginning });
            assert.deepEqual(
              found.map(({ email }) => email),
              emails,
            );
          }
      const whole = await mustSucceed(who.send('/listCustomers', { beginning: emails[0], productId: one }));
      assert.deepEqual(
        whole.customers.map(({ email, licenses }: { email: string; licenses: number }) => [email, licenses]),
        [[emails[0], 1]],
      );
      assert.equal((await mustSucceed(who.send('/listCustomers', { beginning: `${word}y` }))).count, 0);
      assert.equal((await app.admin('/listCustomers', { beginning: 'a'.repeat(321) })).status, 400);
    });
  });
