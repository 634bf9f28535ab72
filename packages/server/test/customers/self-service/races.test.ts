/** Limits of self-service for many forms at once, over real sockets: on one node, and on two that share a database. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { formToken } from '../../../src/customers/self-service/pages/cookies.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { requestOf } from '../../licensing/license-files/offline-request.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { MailServer } from '../../support/mail-server.ts';
import { rowOf } from '../../support/own-connection.ts';
import type { TestDatabase } from '../../support/test-database.ts';
import { CustomerBrowser, formOf, linksOf, OWN_FORM, type PageAnswer } from './customer-browser.ts';
import { linkFor, SELF_SERVICE, signInByLink } from './shop.ts';

const COMPUTERS = 10;
const SETTINGS = [
  { title: 'one node on sqlite', engine: 'sqlite', nodes: 1 },
  { title: 'two nodes on one PostgreSQL', engine: 'postgres', nodes: 2 },
] as const;

/** How often each value occurs. */
const tally = (values: readonly (string | number | null)[]) =>
  Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]));

const statusesOf = (answers: readonly PageAnswer[]) => tally(answers.map(({ status }) => status));

/** The reports in the redirects of writes. */
const newsOf = (answers: readonly PageAnswer[]) =>
  tally(
    answers.map(({ status, headers }) => {
      assert.equal(status, 303);
      return new URL(String(headers.location), 'https://service.invalid').searchParams.get('said');
    }),
  );

for (const { title, engine, nodes } of SETTINGS.filter((each) => engines.includes(each.engine)))
  describe(`forms of customers that arrive at once at ${title}`, () => {
    let shared: TestDatabase;
    let mails: MailServer;
    let apps: readonly TestApp[] = [];
    before(async () => {
      mails = await MailServer.start();
      shared = await freshDatabase(engine);
      const environment = {
        ...SELF_SERVICE,
        LATCHKEY_SELF_SERVICE_RELEASES: '2',
        LATCHKEY_SELF_SERVICE_FILES: 'on',
        LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
        LATCHKEY_MAIL_FROM: 'licenses@example.com',
      };
      const bounds = { mailSender: { lookMs: 20, unreachedMs: 0, restMs: 20 } };
      apps = await Promise.all(Array.from({ length: nodes }, () => startApp(engine, environment, shared, bounds)));
    });
    beforeEach(() => {
      mails.received.length = 0;
      // The tests come from one network, whose requests and wrong codes are counted for an hour.
      move(2 * HOUR_MS);
    });
    after(async () => {
      await Promise.all(apps.map((app) => app.stop()));
      await mails?.close();
      await shared?.remove();
    });

    const first = () => apps[0]!;
    const move = (milliseconds: number) => {
      for (const app of apps) app.clock.move(milliseconds);
    };
    // SQLite has no pool.
    const fill = async () => void (engine === 'postgres' && (await fillPool(...apps)));
    const rows = async (condition: string) =>
      Number((await rowOf(first().database, `select count(*) as number from ${condition}`))?.number);

    /** Sends forms to all nodes in turns, each from a browser of its own that has these cookies. */
    async function send(
      count: number,
      path: string,
      fieldsOf: (number: number) => Readonly<Record<string, string>>,
      cookies: ReadonlyMap<string, string> = new Map(),
    ): Promise<readonly PageAnswer[]> {
      await fill();
      return Promise.all(
        Array.from({ length: count }, (_, number) => {
          const browser = new CustomerBrowser(apps[number % apps.length]!);
          for (const [name, value] of cookies) browser.cookies.set(name, value);
          return browser.request('POST', path, String(new URLSearchParams(fieldsOf(number))), OWN_FORM);
        }),
      );
    }

    /** A browser that has asked for a code, and the hidden fields of the form that takes it. */
    async function asked(email: string) {
      const browser = new CustomerBrowser(first());
      const page = await browser.submit(await browser.open('/my'), '/my', { email });
      return { browser, hidden: formOf(page, '/my/code').hidden };
    }

    const codeIn = (links: readonly string[]) => links.map((link) => new URL(link).searchParams.get('c')!);

    it('free exactly two computers within a budget of two, for fifty releases', async () => {
      const email = 'releases@example.com';
      const licenseKey = await first().license({ email, maxMachines: COMPUTERS });
      const activate = async (_: unknown, number: number) => {
        const fields = { licenseKey, productId: 'app', machineFingerprint: `f${number}`, hostname: `${number}` };
        assert.equal((await first().send('/activate', fields)).status, 200);
      };
      await Promise.all(Array.from({ length: COMPUTERS }, activate));
      move(2 * HOUR_MS);
      const { browser, license } = await signInByLink(first(), { email });
      const questions = linksOf(license).filter((each) => each.startsWith('/my/release?'));
      const { hidden } = formOf(await browser.open(questions[0]!), '/my/release');
      const devices = questions.map((each) => new URL(each, 'https://service.invalid').searchParams.get('d')!);
      assert.equal(devices.length, COMPUTERS);
      const fieldsOf = (number: number) => ({ ...hidden, d: devices[number % COMPUTERS]! });
      const answers = await send(50, '/my/release', fieldsOf, browser.cookies);
      // Five forms for each computer: those after the first for a freed one find nothing.
      assert.deepEqual(newsOf(answers), { freed: 2, gone: 8, refused: 40 });
      const { activationCount } = (await first().admin('/getLicense', { licenseKey })).body;
      const { events } = (await first().admin('/listEvents', { licenseKey, types: ['activation.deleted'] })).body;
      assert.deepEqual([activationCount, events.length], [COMPUTERS - 2, 2]);
    });

    it('use a link once', async () => {
      const email = 'link@example.com';
      await first().license({ email });
      const [c = ''] = codeIn([await linkFor(first(), { email })]);
      const answers = await send(12, '/my/enter', () => ({ c }));
      assert.deepEqual(statusesOf(answers), { 303: 1, 403: 11 });
      assert.equal(await rows(`customer_session where email_folded = '${email}'`), 1);
    });

    it('use a code once', async () => {
      const email = 'code@example.com';
      await first().license({ email });
      const { browser, hidden } = await asked(email);
      // An e-mail is due by the clock of the node that queued it, and another node may send it.
      move(MINUTE_MS);
      const [received] = await mails.hasReceived(1);
      const code = /[A-Z2-9]{4}-[A-Z2-9]{4}/.exec(received?.mail.text ?? '')?.[0] ?? '';
      const answers = await send(12, '/my/code', () => ({ ...hidden, code }), browser.cookies);
      assert.deepEqual(statusesOf(answers), { 303: 1, 403: 11 });
      assert.equal(await rows(`customer_session where email_folded = '${email}'`), 1);
    });

    it('ask for twenty codes of a network, of which three for an address are mailed', async () => {
      const email = 'victim@example.com';
      await first().license({ email });
      const answers = await send(30, '/my', () => ({ email }));
      assert.deepEqual(statusesOf(answers), { 303: 20, 429: 10 });
      assert.equal(await rows(`customer_sign_in where email_folded = '${email}'`), 20);
      move(MINUTE_MS);
      // An e-mail that was sent or dropped leaves no row.
      while ((await rows("mail where kind = 'code'")) > 0) await wait(10);
      assert.equal(mails.received.length, 3);
    });

    it('try fifty wrong codes of a network', async () => {
      const { browser, hidden } = await asked('nobody@example.com');
      const answers = await send(60, '/my/code', () => ({ ...hidden, code: 'AAAA-AAAA' }), browser.cookies);
      assert.deepEqual(statusesOf(answers), { 403: 50, 429: 10 });
    });

    it('mail the keys of an address three times', async () => {
      const email = 'keys@example.com';
      await first().license({ email });
      const { browser, licenses } = await signInByLink(first(), { email });
      const { hidden } = formOf(licenses, '/my/send-keys');
      const answers = await send(12, '/my/send-keys', () => hidden, browser.cookies);
      assert.deepEqual(newsOf(answers), { keysSent: 3, keysSentLately: 9 });
      const { mails: listed } = (await first().admin('/listMails')).body;
      assert.equal(listed.filter(({ to }: { readonly to: string }) => to === email).length, 3);
    });

    it('give a license one new key', async () => {
      const email = 'new-key@example.com';
      const licenseKey = await first().license({ email });
      await mustSucceed(first().admin('/updateBrand', { name: 'Tapehead', allowsNewKeys: true }));
      const { browser, license } = await signInByLink(first(), { email });
      const { hidden } = formOf(await browser.follow(license, '/my/new-key'), '/my/new-key');
      const answers = await send(20, '/my/new-key', () => hidden, browser.cookies);
      assert.deepEqual(newsOf(answers), { newKeyMailed: 1, noNewKey: 19 });
      assert.equal(await rows(`license where email_folded = '${email}'`), 2);
      const { events } = (await first().admin('/listEvents', { licenseKey, types: ['license.replaced'] })).body;
      assert.equal(events.length, 1);
      const { mails: listed } = (await first().admin('/listMails')).body;
      assert.equal(listed.filter(({ to }: { readonly to: string }) => to === email).length, 1);
    });

    it('make files for as many computers as the license has places', async () => {
      const email = 'files@example.com';
      const licenseKey = await first().license({ email, maxMachines: 2 });
      const { browser, license } = await signInByLink(first(), { email });
      const { l = '' } = formOf(license, '/my/file').hidden;
      const t = formToken(browser.cookies.get('__Host-latchkey-my') ?? '', 'make-file');
      const fieldsOf = (number: number) => ({
        ...{ l, t },
        request: requestOf({ licenseKey, fingerprint: `island ${number}`, hostname: 'island' }),
      });
      // A computer with a file is freed by support, so two places are free, and one file is left.
      await send(1, '/my/make-file', () => fieldsOf(8), browser.cookies);
      await first().admin('/releaseActivation', { licenseKey, machineFingerprint: 'island 8' });
      const answers = await send(8, '/my/make-file', fieldsOf, browser.cookies);
      assert.equal(answers.filter(({ status }) => status === 200).length, 1, JSON.stringify(statusesOf(answers)));
      assert.equal((await first().admin('/getLicense', { licenseKey })).body.activationCount, 1);
    });

    it('have twenty unused links and twenty sessions of an address', async () => {
      const email = 'much@example.com';
      // Links of one license wait for its row.
      const keys = await Promise.all(Array.from({ length: 18 }, () => first().license({ email })));
      const make = async (count: number) => {
        const made = keys.slice(0, count).map(async (licenseKey, number) => {
          const { status, body } = await apps[number % apps.length]!.admin('/createCustomerLink', { licenseKey });
          assert.equal(status, 200, JSON.stringify(body));
          return body.url as string;
        });
        return Promise.all(made);
      };
      const links: string[] = [];
      for (const count of [18, 12]) {
        await fill();
        links.push(...codeIn(await make(count)));
      }
      assert.equal(await rows(`customer_link where email_folded = '${email}'`), 20);
      const answers = await send(links.length, '/my/enter', (number) => ({ c: links[number]! }));
      assert.deepEqual(statusesOf(answers), { 303: 20, 403: 10 });
      const more = codeIn(await make(10));
      assert.deepEqual(statusesOf(await send(more.length, '/my/enter', (number) => ({ c: more[number]! }))), {
        303: 10,
      });
      assert.equal(await rows(`customer_session where email_folded = '${email}'`), 20);
    });
  });
