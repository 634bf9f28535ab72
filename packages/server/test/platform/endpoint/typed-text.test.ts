/** Keys, codes and addresses are found as people carry them by hand, on every surface that takes them (rules 1.3). */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { orderSeats } from '../../commerce/studio-orders/orders.ts';
import { environmentOf, runCommandHere } from '../../support/command.ts';
import { mustSucceed } from '../../support/creator.ts';
import { newCookie, openRules, ownNetwork } from '../../support/customers.ts';
import { type Engine, engines } from '../../support/databases.ts';
import { freshFor, served } from '../../support/for-test.ts';
import { startedApp } from '../../support/started-app.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PRODUCT = 'app';

/** A key as it arrives: with characters that show nothing, other dashes, in quotation marks, in full width. */
function arrivals(key: string): Record<string, string> {
  const wide = (letter: string) => String.fromCodePoint(letter.codePointAt(0)! + 0xfee0);
  return {
    ...Object.fromEntries(
      ['\u200b', '\u2060', '\u00ad', '\u200e'].map((mark) => [
        `U+${mark.codePointAt(0)!.toString(16)}`,
        key.slice(0, 8) + mark + key.slice(8),
      ]),
    ),
    ...Object.fromEntries(
      ['\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212'].map((dash) => [
        `dashes U+${dash.codePointAt(0)!.toString(16)}`,
        key.replaceAll('-', dash),
      ]),
    ),
    quotes: `\u201e${key}\u201c.`,
    'full width': [...key].map(wide).join(''),
    'two lines': `${key.slice(0, 14)}\r\n${key.slice(14)}`,
  };
}

const SALE = { email: 'ada@example.com', productId: PRODUCT };

/** Imports lines into a database that no service uses. */
async function imported(test: TestContext, engine: Engine, lines: readonly object[]) {
  const database = await freshFor(test, engine);
  const file = join(temporaryFolder(test), 'given.jsonl');
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return { database, ...(await runCommandHere(['import', file], environmentOf(database))) };
}

for (const engine of engines)
  describe(`what people carry by hand, on ${engine}`, () => {
    const app = startedApp(engine);

    it('a key at all five client endpoints', async () => {
      const key = await app.license({ licenseType: 'floating', maxConcurrent: 50 });
      for (const [name, licenseKey] of Object.entries(arrivals(key))) {
        const machineFingerprint = `machine ${name}`;
        await mustSucceed(app.send('/verify', { licenseKey, productId: PRODUCT }));
        const { token } = await mustSucceed(
          app.send('/activate', { licenseKey, productId: PRODUCT, machineFingerprint, hostname: 'Laptop' }),
        );
        await mustSucceed(app.send('/validate', { licenseKey, machineFingerprint, token }));
        await mustSucceed(app.send('/heartbeat', { licenseKey, machineFingerprint, token }));
        await mustSucceed(app.send('/deactivate', { licenseKey, machineFingerprint, token }));
      }
    });

    it('a key in searches and in the console', async () => {
      const key = await app.license({ email: 'search@example.com' });
      for (const [name, licenseKey] of Object.entries(arrivals(key))) {
        const { license } = await mustSucceed(app.admin('/getLicense', { licenseKey }));
        assert.equal(license.key, key, name);
        const { hits } = await mustSucceed(app.admin('/searchEverything', { query: licenseKey }));
        assert.ok(
          hits.some((hit: { licenseKey?: string }) => hit.licenseKey === key),
          `${name}: ${JSON.stringify(hits)}`,
        );
      }
    });

    it('an imported key that a mail program broke into two lines', async (test) => {
      const licenseKey = 'Studio Legacy/0001-abcd=EFGH+99';
      const { code, err, database } = await imported(test, engine, [{ licenseKey, ...SALE }]);
      assert.equal(code, 0, err);
      await served(database, async ({ send, admin }) => {
        const verify = (typed: string) => send('/verify', { licenseKey: typed, productId: PRODUCT });
        for (const typed of [
          licenseKey,
          'Studio Legacy/00\r\n01-abcd=EFGH+99',
          'studiolegacy/0001\u2013abcd=efgh+99',
          `"${licenseKey}"`,
        ])
          assert.equal((await mustSucceed(verify(typed))).email, SALE.email, typed);
        const { license } = await mustSucceed(admin('/getLicense', { licenseKey }));
        assert.equal(license.key, licenseKey);
        assert.equal((await verify(`${licenseKey}8`)).status, 404);
      });
    });

    it('two imported keys that typed keys would not tell apart: the second one is refused', async (test) => {
      const keys = ['ACME 1234 5678', 'acme 1234 5678', 'ACME 12345678', 'ACME-1234-5678', '"(---)..."'];
      const { code, err } = await imported(
        test,
        engine,
        keys.map((licenseKey) => ({ licenseKey, ...SALE })),
      );
      assert.equal(code, 1);
      assert.match(
        err,
        /^Line 3 refused: its licenseKey differs from an existing one only by spaces, dashes or marks/m,
      );
      assert.match(err, /^Line 5 refused: licenseKey must have letters or digits/m);
      assert.doesNotMatch(err, /^Line [124] refused/m);
    });

    it('the code of a seat', async () => {
      const { codes } = await orderSeats(app, { courseId: 'course-9' });
      for (const code of [
        codes[0]!.toLowerCase().replaceAll('-', ' '),
        codes[0]!.replaceAll('-', '\u2013'),
        `\u201c${codes[0]}\u201d`,
      ]) {
        assert.equal((await mustSucceed(app.webhook('/validateSeatCode', { code }))).seatNumber, 1, code);
        const { hits } = await mustSucceed(app.admin('/searchEverything', { query: code }));
        assert.ok(hits.length > 0, code);
      }
    });

    it('a trial code, once for a mailbox in every form of its domain', async () => {
      const code = `TRIAL-2027-${engine}`;
      await mustSucceed(app.admin('/createDiscountCode', { code, trialDays: 14 }));
      const redeem = (typed: string, email: string) =>
        app.send('/redeemTrialCode', { code: typed, productId: PRODUCT, email });
      await mustSucceed(redeem(`TRIAL\u200b-2027\u2013${engine}`, 'kunde@ex\u00e4mple.com'));
      for (const email of ['kunde@xn--exmple-cua.com', 'kunde@exa\u0308mple.com', ' Kunde@EX\u00c4MPLE.com\n'])
        assert.equal((await redeem(code, email)).body.error, 'already_redeemed', email);
      await mustSucceed(redeem(code, 'kunde@exemple.com'));
    });

    it('an address with a space behind it in a sale, and one with a character that shows nothing', async () => {
      for (const [typed, stored] of [
        ['buyer@example.com ', 'buyer@example.com'],
        ['buyer@example.com\n', 'buyer@example.com'],
        ['pay\u200ber@example.com', 'payer@example.com'],
        ['payer@xn--exmple-cua.com', 'payer@ex\u00e4mple.com'],
      ] as const) {
        const type = 'purchase.completed';
        const { licenseKey } = await mustSucceed(
          app.webhook('/storefrontWebhook', { type, email: typed, productId: PRODUCT }),
        );
        const { license } = await mustSucceed(app.admin('/getLicense', { licenseKey }));
        assert.equal(license.email, stored);
        const { licenses } = await mustSucceed(app.admin('/listLicenses', { email: typed }));
        assert.ok(licenses.some(({ key }: { key: string }) => key === licenseKey));
      }
    });

    it('an address whose domain DNS has under another name is refused', async () => {
      for (const email of ['buyer@\ufb01rm.example', 'buyer@\uff45xample.com']) {
        const { status, body } = await app.admin('/createLicense', { email, productId: PRODUCT });
        assert.equal(status, 400);
        assert.match(JSON.stringify(body), /email must be an e-mail address/);
      }
    });

    it('an order of a buyer, in both forms of the domain', async () => {
      await orderSeats(app, { buyerEmail: 'studio@xn--exmple-cua.com' });
      for (const buyerEmail of ['studio@ex\u00e4mple.com', ' studio@xn--exmple-cua.com']) {
        assert.equal((await mustSucceed(app.admin('/searchStudioOrders', { buyerEmail }))).count, 1, buyerEmail);
        assert.equal((await mustSucceed(app.admin('/getCustomer', { email: buyerEmail }))).customer.orderCount, 1);
      }
    });

    it('the name of a computer, which is repaired and cut; its fingerprint is not', async () => {
      const licenseKey = await app.license();
      const activate = (machineFingerprint: string, hostname: string) =>
        app.send('/activate', { licenseKey, productId: PRODUCT, machineFingerprint, hostname });
      await mustSucceed(activate('half', '\ud83d laptop'));
      await mustSucceed(activate('long', 'n'.repeat(300)));
      const { activations } = await mustSucceed(app.admin('/getLicense', { licenseKey }));
      const names = activations.map(({ hostname }: { hostname: string }) => hostname);
      assert.deepEqual(names.sort(), ['n'.repeat(255), '\ufffd laptop'].sort());
      assert.equal((await activate('\ud83d', 'Laptop')).status, 400);
      assert.equal((await activate('f', '')).body.error, 'Missing required fields');
    });

    it('an address at /my, in the form that browsers send', async () => {
      const rules = await openRules(engine);
      try {
        await rules.admin('/createProduct', { slug: 'app', name: 'Tapehead', creatorId: 'ada' });
        await rules.admin('/createLicense', { email: 'kunde@ex\u00e4mple.com', productId: 'app' });
        const [browser, newSession] = [newCookie(), newCookie()];
        const asked = { email: 'kunde@xn--exmple-cua.com', language: 'en', browser };
        await rules.my('askForCode', asked, ownNetwork());
        const code = await rules.codeFor(browser);
        const typed = `\u201c${code.slice(0, 4)}\u2212${code.slice(4)}\u201d`;
        await rules.my('enterCode', { browser, code: typed, newSession }, ownNetwork());
        const { licenses } = await rules.my('listMyLicenses', { session: newSession });
        assert.equal(licenses.length, 1);
      } finally {
        await rules.close();
      }
    });
  });
