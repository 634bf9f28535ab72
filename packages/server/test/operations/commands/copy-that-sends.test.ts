/**
 * A whole shop is copied with `--keep-sending`, because its operator moves it for good. The copy goes on with all that
 * the original had begun, in all four directions between the engines.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import type { Database } from '../../../src/storage/contract/database.ts';
import { PUBLIC_ADDRESSES } from '../../../src/webhooks/destinations/address-policy.ts';
import { CustomerBrowser } from '../../customers/self-service/customer-browser.ts';
import { SELF_SERVICE } from '../../customers/self-service/shop.ts';
import { ADMIN_SECRET, startApp, type TestApp } from '../../support/app.ts';
import { runCommandHere } from '../../support/command.ts';
import { type SignedIn, signIn } from '../../support/console.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { emptyFor, freshFor } from '../../support/for-test.ts';
import { MailServer } from '../../support/mail-server.ts';
import { rowOf, rowsOf } from '../../support/own-connection.ts';
import { certificateOf, type Receiver, startReceiver } from '../../support/receiver.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ADDRESS = '127.1.0.58';
const BOUNDS = {
  deliveryAddresses: { ...PUBLIC_ADDRESSES, testAddresses: [ADDRESS] },
  // Too long to find what a start has not found.
  sender: { neededIntervalMs: DAY_MS },
  mailSender: { lookMs: 20, unreachedMs: 0, restMs: 20 },
  leasedJobIntervalMs: 50,
};

/** The body of a request. */
interface Sent {
  readonly type: string;
  readonly data: { readonly license: { readonly licenseKey: string } | null };
}

const named = (database: Database) => (database.engine === 'sqlite' ? `sqlite:${database.file}` : database.url);

/** Resolves with the first value that is neither undefined nor false; the test's time limit ends the wait. */
async function until<T>(look: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>;
    await wait(10);
  }
}

for (const from of engines)
  for (const to of engines)
    describe(`a shop that moves from ${from} to ${to} for good`, () => {
      let receiver: Receiver;
      let mails: MailServer;
      let certificate: Awaited<ReturnType<typeof certificateOf>>;
      before(async () => {
        certificate = await certificateOf([], [ADDRESS]);
        receiver = await startReceiver(ADDRESS, certificate);
        mails = await MailServer.start();
      });
      after(async () => {
        await receiver?.close();
        await mails?.close();
      });

      const events = () => receiver.received.map(({ body }): Sent => JSON.parse(body));
      const timesOf = (type: string, licenseKey: string) =>
        events().filter((each) => each.type === type && each.data.license?.licenseKey === licenseKey).length;
      const activate = (app: TestApp, licenseKey: string) =>
        mustSucceed(
          app.send('/activate', { licenseKey, productId: 'app', machineFingerprint: 'one', hostname: 'One' }),
        );

      async function serve(test: TestContext, database: Database): Promise<TestApp> {
        const ca = join(temporaryFolder(test), 'ca.pem');
        writeFileSync(ca, certificate.cert);
        const settings = { LATCHKEY_DELIVERY_CA_FILE: ca, ...SELF_SERVICE, ...mails.environment };
        return startApp(database.engine, settings, { database, remove: async () => {} }, BOUNDS);
      }

      /** The original: an event that was refused, a replay and an e-mail that wait, and a person who is signed in. */
      async function fill(app: TestApp) {
        const made = { url: receiver.url, types: ['*'], includeLicenseKeys: true };
        const { destinationId } = await mustSucceed(app.admin('/createDestination', made));
        const sent = await app.license({ expiresAt: app.clock.at(7 * DAY_MS + HOUR_MS / 2) });
        await activate(app, sent);
        await until(() => timesOf('license.created', sent) === 1);
        await until(() =>
          rowOf(app.database, "select kind from expiry_notice_position where kind = '7d'").then(Boolean),
        );
        receiver.answer = (_request, response) => response.writeHead(503).end();
        const refused = await app.license({ email: 'bo@example.com' });
        await until(async () => {
          const { destination } = await mustSucceed(app.admin('/getDestination', { destinationId }));
          return destination.state === 'failing';
        });
        await mustSucceed(app.admin('/replayEvents', { destinationId, since: app.clock.at(-HOUR_MS) }));
        mails.reactToRecipient = () => ({ status: 451, words: '4.3.0 later' });
        await mustSucceed(app.admin('/mailLicense', { licenseKey: sent }));
        const person = await signIn(app, { secret: ADMIN_SECRET });
        return { destinationId, sent, refused, person };
      }

      it('goes on with events, e-mails, notices, statistics and sign-ins', async (test) => {
        const source = await freshFor(test, from);
        const target = await emptyFor(test, to);
        const original = await serve(test, source);
        const shop = await fill(original).finally(() => original.stop());
        const arrivedBefore = receiver.received.length;
        const copied = await runCommandHere(['copy', '--keep-sending', '--from', named(source), '--to', named(target)]);
        assert.equal(copied.code, 0, copied.err);
        assert.doesNotMatch(copied.out, /Paused|Deleted/);
        assert.equal((await rowsOf(target, "select mail_id from mail where state = 'waiting'")).length, 1);

        receiver.answer = (_request, response) => response.writeHead(204).end();
        mails.reactToRecipient = () => 'accept';
        const app = await serve(test, target);
        try {
          // The next attempts, and the notice, are due by the clock alone.
          app.clock.move(HOUR_MS);
          const fresh = await app.license({ email: 'cy@example.com' });
          await until(() => timesOf('license.created', fresh) === 1);
          await until(() => timesOf('license.created', shop.refused) >= 2);
          await until(() => timesOf('license.created', shop.sent) === 2);
          await until(() => timesOf('license.expiring', shop.sent) === 1);
          assert.ok(receiver.received.length > arrivedBefore);
          await until(async () => {
            const { destination, replay } = await mustSucceed(
              app.admin('/getDestination', { destinationId: shop.destinationId }),
            );
            const { state, stateReason, waiting } = destination;
            return state === 'active' && stateReason === null && waiting === 0 && replay === null;
          });
          await mails.hasReceived(1);
          assert.ok(mails.received[0]?.mail.text?.includes(shop.sent));
          await mustSucceed(app.admin('/mailLicense', { licenseKey: shop.sent }));
          await mails.hasReceived(2);
          await signsIn(app, shop.person);
          await activate(app, await app.license());
        } finally {
          await app.stop();
        }
        const again = await serve(test, target);
        try {
          // The service before it moved its clock by an hour, perhaps into the next day.
          again.clock.move(HOUR_MS);
          const { series } = await mustSucceed(
            again.admin('/getStatistics', {
              ...{ metrics: ['activate.ok'], step: 'day', from: again.clock.at(-DAY_MS), to: again.clock.at(DAY_MS) },
            }),
          );
          const points: readonly { readonly value: number }[] = series[0].points;
          assert.equal(
            points.reduce((sum, { value }) => sum + value, 0),
            2,
          );
          const later = await again.license();
          await until(() => timesOf('license.created', later) === 1);
        } finally {
          await again.stop();
        }
      });

      /** The session of a person goes on, and another person and a customer sign in. */
      async function signsIn(app: TestApp, person: SignedIn) {
        const call = (headers: Readonly<Record<string, string>>) =>
          app.send('/getConsoleSession', {}, { headers: { 'x-latchkey-console': '1', ...headers } });
        assert.equal((await call({ 'sec-fetch-site': 'same-origin', cookie: person.cookie })).status, 200);
        await signIn(app, { secret: ADMIN_SECRET });
        const browser = new CustomerBrowser(app);
        const page = await browser.submit(await browser.open('/my'), '/my', { email: 'bo@example.com' });
        const received = await mails.hasReceived(3);
        const code = /[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}/.exec(received[2]?.mail.subject ?? '')?.[0];
        assert.ok(code !== undefined, String(received[2]?.mail.subject));
        assert.equal((await browser.submit(page, '/my/code', { code })).status, 200);
      }
    });
