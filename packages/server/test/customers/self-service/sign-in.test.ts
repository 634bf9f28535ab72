/** How customers sign in: mailed codes, links, sessions, and their limits (rules 13.3, 13.8). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { hashApiKey } from '../../../src/platform/endpoint/caller.ts';
import { startApp } from '../../support/app.ts';
import { type Answered, newCookie, openRules, ownNetwork } from '../../support/customers.ts';
import { engines } from '../../support/databases.ts';
import { execute } from '../../support/own-connection.ts';
import { startedAsking } from './asking.ts';
import { CustomerBrowser } from './customer-browser.ts';
import { MAIL, SELF_SERVICE } from './shop.ts';

const NOT_ACCEPTED = { refused: 'code_not_accepted' };
const LINK_NOT_ACCEPTED = { refused: 'link_not_accepted' };
const NOT_SIGNED_IN = { refused: 'customer_not_signed_in' };

for (const engine of engines)
  describe(`customers sign in on ${engine}`, () => {
    const { rules, license, ask, enter, enterLink } = startedAsking(engine);
    const isIn = async (session: string) => (await rules.my('listMyLicenses', { session })).refused === undefined;

    it('with a code in any spelling, once, and only in the browser that asked', async () => {
      await license('Code1@Example.com');
      const { browser } = await ask('code1@example.com');
      const code = await rules.codeFor(browser);
      assert.match(code, /^[A-HJ-NP-Z2-9]{8}$/);
      assert.deepEqual(await enter(newCookie(), code), NOT_ACCEPTED);
      const newSession = newCookie();
      const typed = ` ${code.slice(0, 4).toLowerCase()} – ${code.slice(4)} `;
      const entered = await rules.my('enterCode', { browser, code: typed, newSession }, ownNetwork());
      assert.equal(entered.endsAt, rules.clock.at(12 * HOUR_MS));
      assert.deepEqual(await enter(browser, code), NOT_ACCEPTED);
      const { email, licenses } = await rules.my('listMyLicenses', { session: newSession });
      assert.deepEqual([email, licenses.length, licenses[0].productName], ['code1@example.com', 1, 'Tapehead']);
    });

    it('with a code once, for many who enter it at once on two nodes', async () => {
      const { browser } = await ask('race@example.com');
      const code = await rules.codeFor(browser);
      const second = await rules.secondNode();
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, at) =>
          (at % 2 === 0 ? rules : second).my('enterCode', { browser, code, newSession: newCookie() }, ownNetwork()),
        ),
      );
      assert.equal(answers.filter(({ refused }: Answered) => refused === undefined).length, 1);
    });

    it('with a code for ten minutes and five tries', async () => {
      const late = await ask('late@example.com');
      const code = await rules.codeFor(late.browser);
      rules.clock.move(10 * MINUTE_MS);
      assert.deepEqual(await enter(late.browser, code), NOT_ACCEPTED);
      const { browser } = await ask('tries@example.com');
      for (let guess = 0; guess < 5; guess++) assert.deepEqual(await enter(browser, 'AAAA-AAAA'), NOT_ACCEPTED);
      assert.deepEqual(await enter(browser, await rules.codeFor(browser)), NOT_ACCEPTED);
    });

    it('with the newest code of a browser only', async () => {
      const { browser } = await ask('twice@example.com');
      const first = await rules.codeFor(browser);
      await rules.my('askForCode', { email: 'twice@example.com', language: 'de', browser }, ownNetwork());
      assert.deepEqual(await enter(browser, first), NOT_ACCEPTED);
      assert.equal((await enter(browser, await rules.codeFor(browser))).refused, undefined);
    });

    it('with the same answers and statements for every kind of address', async () => {
      await license('known@example.com');
      await license('elsewhere@example.com', 'other');
      const revoked = await license('revoked@example.com');
      await rules.admin('/revokeLicense', { licenseKey: revoked.licenseKey });
      await license('forgotten@example.com');
      const forgotten = await rules.admin('/forgetCustomer', { email: 'forgotten@example.com' });
      assert.equal(forgotten.complete, true);
      for (let request = 0; request < 8; request++) await ask('limited@example.com', { shop: 'ada' });
      await license('limited@example.com');
      const seen = new Map<string, unknown>();
      for (const name of ['known', 'unknown', 'elsewhere', 'revoked', 'forgotten', 'limited']) {
        rules.statements();
        const { browser, answer } = await ask(`${name}@example.com`, { shop: 'ada' });
        const wrong = await enter(browser, 'AAAA-AAAA');
        seen.set(name, { answer, wrong, statements: rules.statements() });
      }
      for (const [name, each] of seen) assert.deepEqual(each, seen.get('known'), name);
    });

    it('with a link once, for as long as it says', async () => {
      const { licenseKey } = await license('link@example.com');
      const { url, expiresAt } = await rules.admin('/createCustomerLink', { licenseKey, minutes: 5 });
      assert.equal(expiresAt, rules.clock.at(5 * MINUTE_MS));
      const session = newCookie();
      assert.equal((await enterLink(url, session)).refused, undefined);
      assert.deepEqual(await enterLink(url), LINK_NOT_ACCEPTED);
      const { licenses } = await rules.my('listMyLicenses', { session });
      assert.equal(licenses[0].licenseKey, licenseKey);
      const late = await rules.admin('/createCustomerLink', { email: 'LINK@example.com', minutes: 5 });
      rules.clock.move(5 * MINUTE_MS);
      assert.deepEqual(await enterLink(late.url), LINK_NOT_ACCEPTED);
    });

    it('and see the licenses of the shop only', async () => {
      const email = 'shopper@example.com';
      const [mine, theirs] = [await license(email), await license(email, 'other')];
      const keys = async (session: string) =>
        (await rules.my('listMyLicenses', { session })).licenses.map((each: Answered) => each.licenseKey).sort();
      assert.deepEqual(await keys(await rules.signIn(email)), [mine.licenseKey, theirs.licenseKey].sort());
      assert.deepEqual(await keys(await rules.signIn(email, 'ada')), [mine.licenseKey]);
      assert.deepEqual(await keys(await rules.signIn(email, 'nobody')), []);
      const { apiKey: rawKey } = await rules.admin('/createApiKey', { creatorId: 'ada', name: 'shop' });
      const apiKey = { kind: 'apiKey', hash: hashApiKey(rawKey), beside: 'none' };
      const made = await rules.call('/createCustomerLink', { email }, apiKey);
      assert.match(made.url, /^https:\/\/licenses\.example\.com\/my\/enter\?c=[\w-]{43}&shop=ada$/);
      const session = newCookie();
      await enterLink(made.url, session);
      assert.deepEqual(await keys(session), [mine.licenseKey]);
      const foreign = await rules.call('/createCustomerLink', { licenseKey: theirs.licenseKey }, apiKey);
      assert.deepEqual(foreign, { refused: 'license_not_found' });
    });

    it('for 12 hours at most, and for an hour without a page', async () => {
      const session = await rules.signIn('idle@example.com');
      for (let page = 0; page < 12; page++) {
        rules.clock.move(59 * MINUTE_MS);
        assert.equal(await isIn(session), true, `after ${page + 1} hours`);
      }
      rules.clock.move(12 * MINUTE_MS);
      assert.equal(await isIn(session), false);
      const idle = await rules.signIn('idle@example.com');
      rules.clock.move(HOUR_MS);
      assert.deepEqual(await rules.my('listMyLicenses', { session: idle }), NOT_SIGNED_IN);
    });

    it('twenty times at once; a further session ends the one idle longest; signing out ends one', async () => {
      const sessions: string[] = [];
      for (let count = 0; count < 21; count++) {
        sessions.push(await rules.signIn('devices@example.com'));
        rules.clock.move(1000);
      }
      const [first, second] = sessions as [string, string];
      assert.deepEqual([await isIn(first), await isIn(second)], [false, true]);
      await rules.my('signOutCustomer', { session: second });
      assert.equal(await isIn(second), false);
    });

    it('until they are forgotten, which ends sessions, links and requests', async () => {
      const email = 'gone@example.com';
      await license(email);
      const session = await rules.signIn(email);
      const { url } = await rules.admin('/createCustomerLink', { email });
      const { browser } = await ask(email);
      const code = await rules.codeFor(browser);
      assert.equal((await rules.admin('/forgetCustomer', { email })).complete, true);
      assert.deepEqual(await rules.my('listMyLicenses', { session }), NOT_SIGNED_IN);
      assert.deepEqual(await enterLink(url), LINK_NOT_ACCEPTED);
      assert.deepEqual(await enter(browser, code), NOT_ACCEPTED);
    });

    it('and learn why a computer was refused, and whether it would work now', async () => {
      const email = 'why@example.com';
      const { licenseKey } = await rules.admin('/createLicense', { email, productId: 'app', maxMachines: 1 });
      const call = (path: string, name: string, more = {}) =>
        rules.call(path, { licenseKey, productId: 'app', machineFingerprint: name, hostname: name, ...more });
      await call('/activate', 'Old laptop');
      await call('/activate', 'New laptop');
      await rules.writeRefusals();
      const session = await rules.signIn(email);
      const look = async () => {
        const { licenses } = await rules.my('listMyLicenses', { session });
        return rules.my('getMyLicense', { session, license: licenses[0].ref });
      };
      const [refusal] = (await look()).refusals;
      assert.deepEqual(
        [refusal.device, refusal.code, refusal.details.limit, refusal.wouldWorkNow],
        ['New laptop', 'machine_limit', 1, false],
      );
      await rules.admin('/releaseActivation', { licenseKey, machineFingerprint: 'Old laptop' });
      assert.equal((await look()).refusals[0].wouldWorkNow, true);
      rules.clock.move(1000);
      assert.equal((await call('/activate', 'New laptop')).refused, undefined);
      assert.deepEqual((await look()).refusals, [], 'a computer that was let in since is no refused one');
      rules.clock.move(1000);
      assert.equal((await call('/activate', 'Other laptop')).refused, 'machine_limit');
      await rules.writeRefusals();
      assert.deepEqual(
        (await look()).refusals.map(({ device }: Answered) => device),
        ['Other laptop'],
      );
    });

    it('and see what is used of their license, its updates and its grace', async () => {
      const email = 'used@example.com';
      const meters = { exports: { limit: 10, period: 'month' }, saves: { limit: -1, period: 'none' } };
      await rules.admin('/createVariant', { productId: 'app', name: 'metered', meters });
      const terms = { updatesUntil: rules.clock.at(9 * DAY_MS), maxVersion: '2', graceDays: 7 };
      const order = { email, productId: 'app', variant: 'metered', expiresAt: rules.clock.at(HOUR_MS), ...terms };
      const { licenseKey } = await rules.admin('/createLicense', order);
      const machine = { licenseKey, productId: 'app', machineFingerprint: 'Desk', hostname: 'Desk' };
      const { token } = await rules.call('/activate', machine);
      const use = (units: number, requestId: string) =>
        rules.call('/consume', { ...machine, token, meter: 'exports', units, requestId });
      await use(7, 'a');
      rules.clock.move(1000);
      assert.equal((await use(4, 'b')).refused, 'meter_limit');
      assert.equal((await rules.call('/activate', { ...machine, version: '3.0' })).refused, 'update_not_covered');
      await rules.writeRefusals();
      let session = await rules.signIn(email);
      const look = async () => {
        const { licenses } = await rules.my('listMyLicenses', { session });
        return rules.my('getMyLicense', { session, license: licenses[0].ref });
      };
      const { usage, license: card, refusals } = await look();
      const [{ resetsAt }] = usage;
      assert.ok(resetsAt > rules.clock.at());
      assert.deepEqual(usage, [
        { meter: 'exports', used: 7, limit: 10, resetsAt },
        { meter: 'saves', used: 0, limit: null, resetsAt: null },
      ]);
      assert.deepEqual([card.updatesUntil, card.graceUntil], [terms.updatesUntil, null]);
      const inBrief = ({ code, wouldWorkNow }: Answered) => `${code} ${wouldWorkNow}`;
      assert.deepEqual(refusals.map(inBrief).sort(), ['meter_limit false', 'update_not_covered false']);
      await rules.admin('/updateLicense', { licenseKey, maxVersion: '3', meters: { exports: { limit: 11 } } });
      assert.deepEqual((await look()).refusals.map(inBrief).sort(), ['meter_limit true', 'update_not_covered true']);
      rules.clock.move(HOUR_MS);
      session = await rules.signIn(email);
      assert.equal((await look()).license.graceUntil, new Date(Date.parse(order.expiresAt) + 7 * DAY_MS).toISOString());
    });

    it('and page through their licenses, the newest first', async () => {
      const email = 'much@example.com';
      for (let count = 0; count < 52; count++) await license(email);
      const session = await rules.signIn(email);
      const first = await rules.my('listMyLicenses', { session });
      const second = await rules.my('listMyLicenses', { session, cursor: first.nextCursor });
      assert.deepEqual([first.licenses.length, second.licenses.length, second.nextCursor], [50, 2, null]);
      const refs = [...first.licenses, ...second.licenses].map(({ ref }: Answered) => ref);
      assert.equal(new Set(refs).size, 52);
    });

    it('not while a clock that jumped ahead would let their sessions last for years', async () => {
      rules.clock.move(800 * DAY_MS);
      const session = await rules.signIn('jump@example.com');
      rules.clock.move(-800 * DAY_MS);
      assert.deepEqual(await rules.my('listMyLicenses', { session }), NOT_SIGNED_IN);
    });

    it('not with a code or a link that a clock made while it was ahead', async () => {
      const email = 'ahead@example.com';
      await license(email);
      rules.clock.move(800 * DAY_MS);
      const { browser } = await ask(email);
      const code = await rules.codeFor(browser);
      const { url } = await rules.admin('/createCustomerLink', { email });
      rules.clock.move(-800 * DAY_MS);
      assert.deepEqual(await enter(browser, code), NOT_ACCEPTED);
      assert.deepEqual(await enterLink(url), LINK_NOT_ACCEPTED);
      assert.equal(typeof (await rules.signIn(email)), 'string', 'a new code');
    });
  });

describe('requests for a code', () => {
  it('are refused while too many are open', async () => {
    const rules = await openRules('sqlite', { maxOpenRequests: 3 });
    const ask = () =>
      rules.my('askForCode', { email: 'a@example.com', language: 'en', browser: newCookie() }, ownNetwork());
    for (let open = 0; open < 3; open++) assert.deepEqual(await ask(), {});
    assert.equal((await ask()).refused, 'code_requests_full');
    rules.clock.move(10 * MINUTE_MS);
    assert.deepEqual(await ask(), {});
    await rules.close();
  });

  for (const engine of engines)
    it(`are refused with 503 while 100,000 are open on ${engine}`, async (test) => {
      const app = await startApp(engine, { ...SELF_SERVICE, ...MAIL, LATCHKEY_DELIVERIES: 'off' });
      test.after(() => app.stop());
      const ask = async () => {
        const browser = new CustomerBrowser(app);
        return (await browser.submit(await browser.open('/my'), '/my', { email: 'a@example.com' })).status;
      };
      await execute(
        app.database,
        `with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 99999)
         insert into customer_sign_in select 'browser ' || n, 'request', 'a@example.com', null, null, 0, 0,
           '${app.clock.at()}', '${app.clock.at(10 * MINUTE_MS)}' from counted`,
      );
      assert.deepEqual([await ask(), await ask()], [200, 503]);
    });
});

describe('with licenses shown by shop only', () => {
  it('a page without a shop shows none, and a link leads to the shop of the license', async () => {
    const rules = await openRules('sqlite', { mode: 'shops' });
    await rules.admin('/createProduct', { slug: 'app', name: 'Tapehead', creatorId: 'ada' });
    const email = 'a@example.com';
    const { licenseKey } = await rules.admin('/createLicense', { email, productId: 'app' });
    await rules.admin('/createLicense', { email: 'b@example.com', productId: 'nobodys' });
    const session = await rules.signIn(email);
    assert.deepEqual((await rules.my('listMyLicenses', { session })).licenses, []);
    assert.equal((await rules.my('showShop', {})).hasForm, false);
    assert.equal((await rules.my('showShop', { shop: 'ada' })).hasForm, true);
    assert.match((await rules.admin('/createCustomerLink', { licenseKey })).url, /&shop=ada$/);
    const nobodys = await rules.call('/createCustomerLink', { email: 'b@example.com' }, { kind: 'admin' });
    assert.deepEqual(nobodys, { refused: 'no_shop_named' });
    await rules.close();
  });
});
