/** How many codes an address gets, and who cannot use them up (rules 13.3, 13.8). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shownCode } from '../../../src/customers/self-service/code.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { type Answered, newCookie, ownNetwork } from '../../support/customers.ts';
import { engines } from '../../support/databases.ts';
import { startedAsking } from './asking.ts';

for (const engine of engines)
  describe(`customers get codes on ${engine}`, () => {
    const { rules, license, ask, enter, enterLink } = startedAsking(engine);
    /** Which of some requests for a code an e-mail follows, in their order. */
    const areMailed = async (asked: readonly { readonly browser: string }[]) => {
      const texts = await rules.sendMails();
      const codes = await Promise.all(asked.map(async ({ browser }) => shownCode(await rules.codeFor(browser))));
      return codes.map((code) => texts.some((text) => text.includes(code)));
    };

    it('at most three an hour for an address from one network, six in all, twenty a day: silently', async () => {
      const email = 'victim@example.com';
      await license(email);
      const askFrom = async (networks: readonly string[]) => {
        const asked = [];
        for (const network of networks) asked.push(await ask(email, {}, network));
        return areMailed(asked);
      };
      const [one, two, three] = [ownNetwork(), ownNetwork(), ownNetwork()];
      assert.deepEqual(await askFrom([one, one, one, one]), [true, true, true, false]);
      assert.deepEqual(await askFrom([two, two, two, three]), [true, true, true, false]);
      let codes = 6;
      for (let hour = 0; hour < 4; hour++) {
        rules.clock.move(62 * MINUTE_MS);
        const networks = Array.from({ length: 6 }, ownNetwork);
        codes += (await askFrom(networks)).filter((isMailed) => isMailed).length;
      }
      assert.equal(codes, 20);
    });

    it('although strangers ask for codes at a shop without a license of theirs: only sent ones count', async () => {
      const email = 'elsewhere2@example.com';
      await license(email);
      const asked = [];
      for (const shop of ['nobody', 'bo', 'nobody', 'bo', 'nobody', 'bo']) asked.push(await ask(email, { shop }));
      assert.deepEqual(await areMailed(asked), Array(6).fill(false));
      assert.deepEqual(await areMailed([await ask(email)]), [true]);
    });

    it('although their codes at one shop are used up: each shop has its own', async () => {
      const email = 'two-shops@example.com';
      await license(email);
      await license(email, 'other');
      const askAt = async (shop: string, times: number) => {
        const asked = [];
        for (let time = 0; time < times; time++) asked.push(await ask(email, { shop }));
        return (await areMailed(asked)).filter((isMailed) => isMailed).length;
      };
      assert.equal(await askAt('bo', 8), 6);
      assert.equal(await askAt('ada', 1), 1);
    });

    it('in a browser that signed in before, although strangers have used up the codes of the address', async () => {
      const email = 'known@example.com';
      await license(email);
      const first = await ask(email);
      assert.deepEqual(await areMailed([first]), [true]);
      const { known } = await enter(first.browser, await rules.codeFor(first.browser));
      const strangers = [];
      for (let stranger = 0; stranger < 7; stranger++) strangers.push(await ask(email));
      assert.deepEqual((await areMailed(strangers)).at(-1), false);
      assert.deepEqual(await areMailed([await ask(email, { known })]), [true]);
      const [time, digest] = known.split('.');
      const other = 'known2@example.com';
      await license(other);
      for (let stranger = 0; stranger < 6; stranger++) await ask(other);
      for (const [proof, who, shop] of [
        [known, other, {}],
        [known, email, { shop: 'ada' }],
        [`${time}0.${digest}`, email, {}],
        [`${time}.${'A'.repeat(43)}`, email, {}],
        ['damaged', email, {}],
      ] as const) {
        if ('shop' in shop) for (let stranger = 0; stranger < 6; stranger++) await ask(who, shop);
        assert.deepEqual(await areMailed([await ask(who, { known: proof, ...shop })]), [false], proof);
      }
      rules.clock.move(181 * DAY_MS);
      for (let stranger = 0; stranger < 6; stranger++) await ask(email);
      assert.deepEqual(await areMailed([await ask(email, { known })]), [false], 'after half a year');
    });

    it('also while strangers ask for codes for fresh trials: these share a small part of the hour', async () => {
      const code = 'TRY';
      await rules.admin('/createDiscountCode', { code, trialDays: 14, productId: 'app' });
      await rules.sendMails();
      rules.clock.move(2 * HOUR_MS);
      const strangers = [];
      for (let stranger = 0; stranger < 20; stranger++) {
        const email = `stranger${stranger}@example.com`;
        // The trial of a machine is a license that ends soon.
        if (stranger % 2 === 0) await rules.admin('/redeemTrialCode', { code, productId: 'app', email });
        else await rules.admin('/createLicense', { email, productId: 'app', expiresAt: rules.clock.at(14 * DAY_MS) });
        strangers.push(await ask(email));
      }
      await license('paid@example.com');
      const paid = await ask('paid@example.com');
      const texts = await rules.sendMails(40);
      assert.equal(texts.length, 5);
      assert.ok(texts.at(-1)?.includes(shownCode(await rules.codeFor(paid.browser))));
      // A browser that signed in as the newcomer before, and a trial that is not fresh, wait for nobody.
      const { browser } = strangers[0]!;
      const { known } = await enter(browser, await rules.codeFor(browser));
      await ask('stranger0@example.com', { known });
      await ask('stranger1@example.com');
      assert.equal((await rules.sendMails(40)).length, 1);
      rules.clock.move(31 * DAY_MS);
      for (let stranger = 0; stranger < 6; stranger++) await ask(`stranger${stranger}@example.com`);
      assert.equal((await rules.sendMails(40)).length, 6);
    });

    it('with their own code, although strangers ask and guess for the address, and with a link once its codes are used up', async () => {
      const email = 'besieged@example.com';
      const { licenseKey } = await license(email);
      const own = await ask(email);
      for (let stranger = 0; stranger < 6; stranger++) {
        const { browser } = await ask(email);
        for (let guess = 0; guess < 5; guess++) await enter(browser, 'AAAA-AAAA');
      }
      assert.deepEqual(await areMailed([await ask(email)]), [false]);
      assert.equal((await enter(own.browser, await rules.codeFor(own.browser))).refused, undefined);
      const { url } = await rules.admin('/createCustomerLink', { licenseKey });
      assert.equal((await enterLink(url)).refused, undefined);
    });

    it('with exactly six codes an hour for requests at once on two nodes', async () => {
      const second = await rules.secondNode();
      const email = 'crowd@example.com';
      await license(email);
      const asked = Array.from({ length: 24 }, () => ({ browser: newCookie() }));
      await Promise.all(
        asked.map(({ browser }, at) =>
          (at % 2 === 0 ? rules : second).my('askForCode', { email, language: 'en', browser }, ownNetwork()),
        ),
      );
      assert.equal((await areMailed(asked)).filter((isMailed) => isMailed).length, 6);
    });

    it('from a network that asks twenty times an hour at most', async () => {
      const address = ownNetwork();
      const answerTo = async (email: string) => (await ask(email, {}, address)).answer;
      for (let count = 0; count < 20; count++) assert.deepEqual(await answerTo(`many${count}@example.com`), {});
      const { refused, retryAfterSeconds } = await answerTo('many@example.com');
      assert.equal(refused, 'code_request_rate');
      assert.ok(retryAfterSeconds > 0 && retryAfterSeconds <= 3660);
      assert.deepEqual((await ask('many@example.com')).answer, {}, 'another network');
    });

    it('from a network with at most fifty wrong codes an hour, from however many browsers', async () => {
      const address = ownNetwork();
      const answers = await Promise.all(Array.from({ length: 60 }, () => enter(newCookie(), 'AAAA-AAAA', address)));
      assert.equal(answers.filter(({ refused }: Answered) => refused === 'code_not_accepted').length, 50);
      const { browser } = await ask('right@example.com', {}, address);
      const code = await rules.codeFor(browser);
      assert.equal((await enter(browser, code, address)).refused, 'wrong_code_rate');
      assert.equal((await enter(browser, code)).refused, undefined, 'from another network');
    });
  });
