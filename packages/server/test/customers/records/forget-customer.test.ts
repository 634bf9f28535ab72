import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { tables } from '../../../src/app.ts';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { mintId, mintUuid } from '../../../src/ground/base/random.ts';
import { lockWholeLicenses } from '../../../src/licensing/licenses/email-store.ts';
import { believingEvery } from '../../../src/platform/believed-time/believed-time.ts';
import { retentionStep } from '../../../src/platform/events/retention.ts';
import { byRows, tidying } from '../../../src/platform/jobs/tidying.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { orderSeats, readOrder } from '../../commerce/studio-orders/orders.ts';
import { fetchFile } from '../../licensing/license-files/reading.ts';
import { StoredRows } from '../../platform/events/stored-changes.ts';
import { assertRefused, inspect } from '../../support/answers.ts';
import { startApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { historyWithRefusals } from '../../support/kept-refusals.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import { Machine } from '../../support/machine.ts';
import { execute, rowOf } from '../../support/own-connection.ts';
import { startedApp } from '../../support/started-app.ts';
import { tidy } from '../../support/tidy.ts';
import { columnsWith, tablesWith } from './stored-texts.ts';

const PSEUDONYM = /^forgotten-[a-z2-9]{16}@invalid$/;

/** The columns with addresses that the slices describe, but for the progress of forgetting itself. */
const DESCRIBED = tables
  .filter(({ name }) => name !== 'forgetting')
  .flatMap(({ name, addresses = [] }) => addresses.map((column) => `${name}.${column}`));

/** A name that nobody else in this app has, in any address. */
const someone = (name: string) => `${name}.${mintUuid()}`;

for (const engine of engines)
  describe(`/forgetCustomer on ${engine}`, () => {
    // E-mails are queued and not sent.
    const mail = { LATCHKEY_SMTP_URL: 'smtp://127.0.0.1', LATCHKEY_MAIL_FROM: 'licenses@shop.example' };
    const app = startedApp(engine, { ...mail, LATCHKEY_DELIVERIES: 'off' });

    const forget = (email: string) => mustSucceed(app.admin('/forgetCustomer', { email }));
    const read = (licenseKey: string) => inspect(app, licenseKey);

    /** Redeems a seat of a new order; returns the id of the order. */
    async function redeemSeat(redeemerEmail: string, order: object = {}): Promise<string> {
      const { studioOrderId, codes } = await orderSeats(app, { ...order });
      const redeemer = { redeemerEmail, redeemerUserId: mintId(), storefrontPurchaseId: 'record 1' };
      await mustSucceed(app.webhook('/redeemSeatCode', { code: codes[0], ...redeemer }));
      return studioOrderId;
    }

    /** Repeats the call until it is complete; answers the last answer. */
    async function forgotten(email: string) {
      for (let calls = 1; ; calls++) {
        const body = await forget(email);
        if (body.complete) return body;
        assert.ok(calls < 100);
      }
    }

    /** The events about a forgotten customer, found by the pseudonym. */
    async function recordedOf(pseudonym: string) {
      const rows = await StoredRows.of(app.database);
      try {
        const events = [...(await rows.snapshot()).event.values()];
        return events.filter(({ type, subject }) => type === 'customer.forgotten' && subject === pseudonym);
      } finally {
        await rows.close();
      }
    }

    it('replaces an address in every column of every table, and the licenses work on', async () => {
      const ada = someone('ada');
      const [email, Email] = [`${ada}@example.com`, `${ada.toUpperCase()}@Example.com`];
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const code = `CODE-${mintId()}`;
      await mustSucceed(creator.send('/createDiscountCode', { code, trialDays: 7 }));

      const licenseKey = await creator.license(productId, { email: Email, maxMachines: 1, metadata: { owner: email } });
      const machine = new Machine(app, licenseKey, 'desk', productId);
      const activated = {
        licenseKey,
        machineFingerprint: 'desk',
        hostname: `Laptop of ${ada}`,
        productId,
        user: Email,
      };
      machine.token = (await mustSucceed(app.send('/activate', activated))).token;
      assert.equal((await fetchFile(machine)).status, 200);
      const refused = { ...activated, machineFingerprint: 'other', hostname: `Tablet of ${ada}` };
      assert.equal((await app.send('/activate', refused)).status, 403);
      await historyWithRefusals(app, licenseKey, 1);
      assert.equal((await machine.verify()).body.email, Email);

      const trial = await mustSucceed(app.send('/redeemTrialCode', { code, productId, email }));
      const sale = { type: 'purchase.completed', email: Email, productId, purchaseId: `order ${mintId()}` };
      await mustSucceed(app.webhook('/storefrontWebhook', sale));
      const { studioOrderId } = await orderSeats(app, { buyerEmail: Email });
      await redeemSeat(Email);
      const sold = await app.license({ email });
      await mustSucceed(app.admin('/changeEmail', { licenseKey: sold, newEmail: `buyer.of.${ada}@example.org` }));
      await mustSucceed(app.admin('/addNote', { licenseKey, text: `Wrote from ${email}, twice: ${Email}.` }));
      await mustSucceed(app.admin('/mailLicense', { licenseKey }));
      const seated = await app.license({ email: 'bo@example.com', maxUsers: 2 });
      const seat = { licenseKey: seated, machineFingerprint: 'seat', hostname: 'seat', productId: 'app', user: Email };
      await mustSucceed(app.send('/activate', seat));
      const foreign = await app.license({ email: 'bo@example.com' });
      await mustSucceed(app.admin('/addNote', { licenseKey: foreign, text: `A friend of <${email}>` }));

      const [at, until] = [app.clock.at(), app.clock.at(DAY_MS)];
      await execute(
        app.database,
        `insert into customer_sign_in values ('browser ${ada}', 'request', '${email}', null, null, 0, 0, '${at}', '${until}');
         insert into customer_session values ('session ${ada}', '${email}', null, '${at}', '${at}', '${until}', null);
         insert into customer_link values ('link ${ada}', '${email}', null, '${at}', '${until}', null);
         insert into shop_subject (connector_id, subject_id, order_id, email, email_folded, refunded, paid_is_trial, created_at)
           values ('shop', '${ada}', '${ada}', '${Email}', '${email}', 0, 0, '${at}');
         insert into shop_customer (connector_id, external_id, email, email_folded, as_of)
           values ('shop', '${ada}', '${Email}', '${email}', '${at}');
         insert into shop_event (event_id, connector_id, creator_id, seller_event_id, type, received_at, subject_id, body,
             state, attempts, due_at, look_up_at, looked_up, outcome, kept_until)
           values ('shop ${mintId()}', 'shop', '', '${mintId()}', 'order_created', '${at}', '${ada}', '"${email}"',
             'applied', 0, '', '', '"${email}"', '[]', '${until}');`,
      );

      const held = await columnsWith(app.database, [email, `of ${ada}`]);
      assert.deepEqual(
        DESCRIBED.filter((column) => !held.has(column)),
        [],
        'store the address in these columns above, and let customers/ forget it',
      );
      const { pseudonym, replaced } = await forgotten(email);
      assert.match(pseudonym, PSEUDONYM);
      assert.deepEqual(await tablesWith(app.database, email), []);
      assert.deepEqual(await tablesWith(app.database, `of ${ada}`), []);
      assert.deepEqual(replaced, {
        licenses: 3,
        // Three licenses and a former one were made, the address of one changed, a machine was bound, two notes, an
        // order was bought, a seat redeemed, a user got a seat.
        events: 11,
        machines: 1,
        users: 1,
        violations: 1,
        refusals: 1,
        licenseFiles: 1,
        redemptions: 1,
        orders: 1,
        seats: 1,
        storefrontEvents: 1,
        shopSales: 2,
        mails: 1,
      });

      assert.equal((await machine.verify()).body.email, pseudonym);
      assert.equal((await machine.validate()).body.email, pseudonym);
      const { licenses } = await mustSucceed(app.admin('/listLicenses', { email: pseudonym }));
      assert.equal(licenses.length, 3);
      assert.ok(licenses.some(({ key }: { key: string }) => key === trial.licenseKey));
      assert.equal((await readOrder(app, studioOrderId)).buyerEmail, pseudonym);
      assert.equal((await read(sold)).license.email, `buyer.of.${ada}@example.org`);
      assert.equal((await read(licenseKey)).activations[0].hostname, 'forgotten');
    });

    it('replaces an address with letters beyond ASCII in every table, in any case', async () => {
      const name = someone('ärmel');
      const email = `jörg.${name}@köln.example`;
      // As people, shops and forms write it; none of them is all small or all capital.
      const [first, second, third, fourth] = [
        `Jörg.Ärmel${name.slice(5)}@Köln.example`,
        `JÖRG.ärmel${name.slice(5)}@Köln.Example`,
        `jÖrg.Ärmel${name.slice(5)}@kÖln.example`,
        `JöRG.äRMEL${name.slice(5)}@KölN.example`,
      ];
      const productId = await (await Creator.of(app)).product();
      await mustSucceed(app.webhook('/storefrontWebhook', { type: 'purchase.completed', email: first, productId }));
      await orderSeats(app, { buyerEmail: second });
      const ofOther = await redeemSeat(third, { buyerEmail: 'Zoë@example.com' });
      const code = `CODE-${mintId()}`;
      await mustSucceed(app.admin('/createDiscountCode', { code, trialDays: 7 }));
      await mustSucceed(app.send('/redeemTrialCode', { code, productId, email: fourth }));
      const holding = ['event', 'license', 'redemption', 'seat', 'storefront_event', 'studio_order'];
      assert.deepEqual(await tablesWith(app.database, email), holding);
      const { replaced } = await forgotten(email);
      assert.deepEqual(await tablesWith(app.database, email), []);
      assert.deepEqual(
        [replaced.licenses, replaced.redemptions, replaced.orders, replaced.seats, replaced.storefrontEvents],
        [2, 1, 1, 1, 1],
      );
      assert.equal((await readOrder(app, ofOther)).buyerEmail, 'Zoë@example.com', 'others stay as they are');
    });

    it('leaves everybody else as they are, also whose address contains the forgotten one', async () => {
      const name = someone('jo');
      const others = [`x${name}@example.com`, `a.${name}@example.com`, `${name}@example.com.au`, `${name}@example.co`];
      const keys = [];
      for (const email of others) {
        const licenseKey = await app.license({ email });
        await new Machine(app, licenseKey).activated();
        await mustSucceed(app.admin('/addNote', { licenseKey, text: `Called by ${email}.` }));
        keys.push(licenseKey);
      }
      const own = await app.license({ email: `${name}@example.com` });
      const shown = await Promise.all(keys.map(read));
      await forgotten(`${name}@example.com`);
      assert.deepEqual(await Promise.all(keys.map(read)), shown);
      for (const email of others) assert.deepEqual(await tablesWith(app.database, `by ${email}`), ['event']);
      assert.match((await read(own)).license.email, PSEUDONYM);
    });

    it('goes on where the last call stopped, with one pseudonym, until it is complete', async () => {
      const email = `${someone('many')}@example.com`;
      const licenseKey = await app.license({ email });
      for (let first = 0; first < 600; first += 60)
        await Promise.all(
          Array.from({ length: 60 }, () => mustSucceed(app.admin('/addNote', { licenseKey, text: `Again ${email}` }))),
        );
      const last = await app.license({ email });
      const first = await forget(email);
      assert.equal(first.complete, false);
      assert.match(first.pseudonym, PSEUDONYM);
      assert.ok(first.replaced.events > 0 && first.replaced.events <= 500);
      assert.deepEqual(await recordedOf(first.pseudonym), []);
      // Changes in between are forgotten, too.
      const late = await app.license({ email: email.toUpperCase() });
      assert.equal((await new Machine(app, licenseKey).verify()).status, 200);
      const { pseudonym, replaced } = await forgotten(email);
      assert.equal(pseudonym, first.pseudonym);
      assert.deepEqual([replaced.licenses, replaced.events], [3, 603]);
      for (const key of [licenseKey, last, late]) assert.equal((await read(key)).license.email, pseudonym);
      assert.deepEqual(await tablesWith(app.database, email), []);
    });

    it('is complete even if the customer redeems a code again before the next call', async () => {
      const email = `${someone('again')}@example.com`;
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const code = `Again-${mintId()}`;
      await mustSucceed(app.admin('/createDiscountCode', { code, trialDays: 7, productId }));
      const redeem = () => mustSucceed(app.admin('/redeemTrialCode', { code, productId, email }));
      await redeem();
      for (let orders = 0; orders < 300; orders += 50)
        await Promise.all(Array.from({ length: 50 }, () => orderSeats(app, { buyerEmail: email, seatCount: 2 })));
      const first = await forget(email);
      assert.deepEqual([first.complete, first.replaced.redemptions], [false, 1]);
      const { licenseKey } = await redeem();
      const { pseudonym, replaced } = await forgotten(email);
      assert.deepEqual([pseudonym, replaced.redemptions, replaced.orders], [first.pseudonym, 2, 300]);
      assert.equal((await read(licenseKey)).license.email, pseudonym);
      assert.deepEqual(await tablesWith(app.database, email), []);
      const { redemptions } = await mustSucceed(app.admin('/listRedemptions', { code }));
      assert.deepEqual(
        redemptions.map((each: { email: string }) => each.email),
        [pseudonym],
      );
    });

    it('is recorded once, without the address, and a repetition finds and records nothing', async () => {
      const email = `${someone('once')}@example.com`;
      const licenseKey = await app.license({ email });
      const { pseudonym, replaced } = await forgotten(email);
      const [event, ...others] = await recordedOf(pseudonym);
      assert.deepEqual(others, []);
      assert.equal(event?.actor, 'operator');
      assert.deepEqual(JSON.parse(event?.after_facts as string), { pseudonym, ...replaced });
      const again = await forgotten(email);
      assert.deepEqual([again.pseudonym, Object.values(again.replaced)], [null, Array(13).fill(0)]);
      assert.equal((await recordedOf(pseudonym)).length, 1);
      assert.equal((await read(licenseKey)).license.email, pseudonym);
      assert.deepEqual(await tablesWith(app.database, email), []);
    });

    it('comes to one pseudonym and one event, however many calls come at once and however busy its machines are', async () => {
      const email = `${someone('busy')}@example.com`;
      const keys = await Promise.all(Array.from({ length: 6 }, () => app.license({ email, maxMachines: 9 })));
      const machines = await Promise.all(keys.map((key) => new Machine(app, key, 'first').activated()));
      await fillPool(app);
      const [answers] = await Promise.all([
        Promise.all(Array.from({ length: 8 }, () => forget(email))),
        Promise.all(machines.map((machine) => machine.validate())),
        Promise.all(keys.map((key) => new Machine(app, key, 'second').activated())),
      ]);
      await forgotten(email);
      const pseudonyms = new Set(answers.flatMap(({ pseudonym }) => pseudonym ?? []));
      assert.equal(pseudonyms.size, 1);
      const [pseudonym] = [...pseudonyms];
      assert.equal((await recordedOf(pseudonym)).length, 1);
      for (const machine of machines) {
        const { license, activationCount } = await read(machine.licenseKey);
        assert.deepEqual([license.email, activationCount], [pseudonym, 2]);
        assert.equal((await machine.validate()).status, 200);
      }
      assert.deepEqual(await tablesWith(app.database, email), []);
    });

    it('forgets the names of refused machines in the memory of the service, too', async () => {
      const name = someone('mo');
      const licenseKey = await app.license({ email: `${name}@example.com`, maxMachines: 1 });
      await new Machine(app, licenseKey, 'bound').activated();
      const refused = (machineFingerprint: string, hostname: string) =>
        app.send('/activate', { licenseKey, machineFingerprint, hostname, productId: 'app' });
      for (const number of [1, 2, 3]) assert.equal((await refused(`old ${number}`, `old of ${name}`)).status, 403);
      await forgotten(`${name}@example.com`);
      for (const number of [1, 2, 3]) {
        app.clock.move(61_000);
        assert.equal((await refused(`new ${number}`, 'a new one')).status, 403);
      }
      // A refusal that was on its way to the table is written, and renamed right after.
      while ((await tablesWith(app.database, `old of ${name}`)).length > 0) await wait(20);
      const [{ evidence }] = (await read(licenseKey)).violations;
      assert.deepEqual(
        new Set(evidence.machines.map(({ hostname }: { hostname: string }) => hostname)),
        new Set(['forgotten', 'a new one']),
      );
    });

    it('forgets a former address whose change can no longer be reached from the license', async (test) => {
      const email = `${someone('former')}@example.com`;
      const licenseKey = await app.license({ email });
      app.clock.move(2 * DAY_MS);
      await mustSucceed(app.admin('/changeEmail', { licenseKey, newEmail: `${someone('now')}@example.com` }));
      // The clock was ahead: the next change is the older one, and goes first.
      app.clock.move(-2 * DAY_MS);
      await mustSucceed(app.admin('/updateLicense', { licenseKey, maxMachines: 7 }));
      const storage = await openStorage(app.database);
      test.after(() => storage.close());
      const jobs = [tidying('delete events of the test', { step: byRows(retentionStep()), ageMs: DAY_MS })];
      app.clock.move(DAY_MS + 1);
      await tidy(storage, believingEvery(app.clock.now), { pauseMs: 0, jobs });
      assert.deepEqual(await tablesWith(app.database, email), ['event']);
      assert.equal((await forgotten(email)).replaced.events, 1);
      assert.deepEqual(await tablesWith(app.database, email), []);
    });

    it('forgets later names of machines by a call with the pseudonym', async () => {
      const name = someone('late');
      const licenseKey = await app.license({ email: `${name}@example.com` });
      const { pseudonym } = await forgotten(`${name}@example.com`);
      const fields = { licenseKey, machineFingerprint: 'desk', hostname: `Laptop of ${name}`, productId: 'app' };
      await mustSucceed(app.send('/activate', fields));
      assert.deepEqual(await tablesWith(app.database, `of ${name}`), ['activation', 'event']);
      const again = await forgotten(pseudonym);
      assert.deepEqual(await tablesWith(app.database, `of ${name}`), []);
      assert.match(again.pseudonym, PSEUDONYM);
      assert.equal((await read(licenseKey)).license.email, again.pseudonym);
    });

    it('lets the address redeem a trial code again: nobody knows any more that it did', async () => {
      const email = `${someone('trial')}@example.com`;
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const code = `CODE-${mintId()}`;
      await mustSucceed(creator.send('/createDiscountCode', { code, trialDays: 7, maxUses: 5 }));
      const redeem = () => app.send('/redeemTrialCode', { code, productId, email });
      await mustSucceed(redeem());
      assert.equal((await redeem()).status, 409);
      await forgotten(email);
      await mustSucceed(redeem());
      const { codes } = await mustSucceed(creator.send('/listDiscountCodes'));
      assert.equal(codes[0].usedCount, 2);
    });

    it('is for operators alone: 401 for anybody else', async () => {
      const creator = await Creator.of(app);
      const email = `${someone('ada')}@example.com`;
      for (const caller of [creator, { send: app.webhook }, app])
        assertRefused(await caller.send('/forgetCustomer', { email }), 401, 'Unauthorized');
    });

    it('400 without a valid address', async () => {
      assertRefused(await app.admin('/forgetCustomer', {}), 400, 'Missing email');
      assertRefused(await app.admin('/forgetCustomer', { email: 'ada' }), 400, 'email must be an e-mail address');
    });
  });

// SQLite runs one transaction after the other.
describe('/forgetCustomer on postgres beside calls that lock several licenses in the order of their keys', () => {
  it('takes its locks in this order, too, so that none of them waits for the other forever', async (test) => {
    const app = await startApp('postgres');
    const storage = await openStorage(app.database);
    test.after(async () => {
      await storage.close();
      await app.stop();
    });
    let [email, older, newer] = ['', '', ''];
    while (older <= newer) {
      email = `${someone('locked')}@example.com`;
      older = await app.license({ email });
      app.clock.move(1);
      newer = await app.license({ email });
    }
    const forgetting = await storage.transaction(async (tx) => {
      await lockWholeLicenses(tx, [newer]);
      const answer = app.admin('/forgetCustomer', { email });
      assert.ok(await waitsForLock(app.database, answer));
      const free = `select 1 from license where license_key = '${older}' for update skip locked`;
      assert.ok(await rowOf(app.database, free), 'the license with the greater key is locked already');
      return { answer };
    });
    assert.equal((await forgetting.answer).body.complete, true);
  });
});
