/** E-mails to the operator about conditions of the real service, on both engines, read from the wire. */
import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { paddleSeller } from '../../../scripts/shops/sellers/paddle.ts';
import { findWarnings } from '../../../src/app.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../../../src/ground/base/clock.ts';
import { findConditions } from '../../../src/insight/operator-notices/find-conditions.ts';
import { CONDITION_KINDS } from '../../../src/insight/operator-notices/notice-kinds.ts';
import type { OperatorNotices } from '../../../src/insight/operator-notices/settings.ts';
import type { Storage } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from '../../commerce/connectors/shop.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { SETTINGS } from '../../support/contexts.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { appFor } from '../../support/for-test.ts';
import { MailServer } from '../../support/mail-server.ts';
import { execute, rowsOf } from '../../support/own-connection.ts';
import { QUICK_MAILS } from '../../support/sent-mails.ts';
import { freshStorage } from '../../support/storages.ts';
import { standingAt } from '../../support/tidy.ts';
import { type Figure, fill } from '../statistics/fill.ts';
import { NOTICES, OPERATOR, tell } from './telling.ts';

const ENVIRONMENT = {
  ...SHOP_SETTINGS,
  LATCHKEY_OPERATOR_EMAIL: OPERATOR,
  LATCHKEY_OPERATOR_NOTICES: CONDITION_KINDS.join(','),
  LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
  LATCHKEY_CONSOLE_LABEL: 'staging',
};
/** Without the digest. */
const OF_CONDITIONS = { kinds: CONDITION_KINDS };
/** The interval of the job. */
const ROUND_MS = 5 * MINUTE_MS;

for (const engine of engines)
  describe(`e-mails to the operator on ${engine}`, () => {
    let server: MailServer;
    let app: TestApp;
    let storage: Storage;
    before(async () => {
      server = await MailServer.start();
      app = await startApp(engine, { ...ENVIRONMENT, ...server.environment }, undefined, {
        mailSender: QUICK_MAILS,
        nodeReportIntervalMs: 20,
      });
      storage = await openStorage(app.database);
    });
    beforeEach(async () => {
      while ((await waiting()) > 0) await wait(10);
      server.received.length = 0;
      server.reactToRecipient = () => 'accept';
      // A day without anything is between two tests.
      await execute(app.database, 'delete from operator_notice; delete from rate; delete from destination');
      app.clock.move(4 * DAY_MS);
    });
    after(async () => {
      await storage?.close();
      await app?.stop();
      await server?.close();
    });

    const waiting = async () => (await rowsOf(app.database, "select 1 from mail where state = 'waiting'")).length;
    /** Runs the job after this time; resolves with the number of news once their e-mail has left. */
    const later = async (milliseconds: number, settings: Partial<OperatorNotices> = OF_CONDITIONS) => {
      app.clock.move(milliseconds);
      const count = await tell(storage, standingAt(app.clock.now()), settings);
      while ((await waiting()) > 0) await wait(10);
      return count;
    };
    /** A destination of the operator that the service has disabled. */
    const disabled = async (host: string): Promise<string> => {
      const url = `https://${host}/secret-path?token=of-the-receiver`;
      const { destinationId } = await mustSucceed(app.admin('/createDestination', { url, types: ['license.*'] }));
      await setState(destinationId, 'disabled');
      return destinationId;
    };
    const setState = (destinationId: string, state: string) =>
      execute(app.database, `update destination set state = '${state}' where destination_id = '${destinationId}'`);
    /** The texts of all e-mails so far, once there are so many. */
    const received = async (count: number) =>
      (await server.hasReceived(count)).map(({ to, mail: { subject = '', text = '' } }) => ({ to, subject, text }));

    it('tell of a destination when it is disabled, after a day, after a week, and when it is active again', async () => {
      const destinationId = await disabled('hooks.example.com');
      assert.equal(await later(ROUND_MS), 1);
      for (let round = 0; round < 3; round += 1) assert.equal(await later(ROUND_MS), 0);
      assert.equal(await later(DAY_MS), 1);
      assert.equal(await later(6 * DAY_MS), 0);
      assert.equal(await later(DAY_MS), 1);
      await setState(destinationId, 'paused');
      assert.equal(await later(ROUND_MS), 1);
      assert.equal(await later(ROUND_MS), 0);
      const mails = await received(4);
      assert.deepEqual(
        mails.map(({ to, subject }) => [...to, subject]),
        [
          [OPERATOR, 'Latchkey staging: The destination at hooks.example.com is disabled'],
          [OPERATOR, 'Latchkey staging: The destination at hooks.example.com is disabled'],
          [OPERATOR, 'Latchkey staging: The destination at hooks.example.com is disabled'],
          [OPERATOR, 'Latchkey staging: The destination at hooks.example.com fails no longer'],
        ],
      );
      const [first, second, , last] = mails;
      assert.ok(first?.text.includes(`https://licenses.example.com/console/#/destinations/${destinationId}`));
      assert.match(second?.text ?? '', /^Still so, since \d{4}-\d\d-\d\d \d\d:\d\d UTC: The destination/);
      assert.match(last?.text ?? '', /^Over: The destination at hooks\.example\.com fails no longer\.\n/);
      for (const { text } of mails) assert.doesNotMatch(text, /secret-path|token/);
      assert.equal(server.received.length, 4);
    });

    it('gather all news of a round, and name no customer in the subject', async () => {
      server.reactToRecipient = (address) => (address === OPERATOR ? 'accept' : { status: 550, words: 'nobody' });
      const licenseKey = await app.license({ email: 'ada.lovelace@shop.example' });
      await mustSucceed(app.admin('/mailLicense', { licenseKey }));
      while ((await waiting()) > 0) await wait(10);
      await disabled('hooks.example.com');
      assert.equal(await later(ROUND_MS), 2);
      const [mail] = await received(1);
      assert.equal(mail?.subject, 'Latchkey staging: 2 new conditions');
      assert.ok(mail?.text.includes('\n\n1 e-mail failed within 24 hours.\n'), mail?.text);
      assert.ok(mail?.text.includes('https://licenses.example.com/console/#/mails?state=failed'), mail?.text);
      assert.doesNotMatch(`${mail?.subject} ${mail?.text}`, /ada\.lovelace/);
      // Failed e-mails to the operator are no news for the operator.
      server.reactToRecipient = () => ({ status: 550, words: 'nobody' });
      assert.equal(await later(DAY_MS), 2, 'a reminder, and an end');
      const { mails } = await mustSucceed(app.admin('/listMails', { state: 'failed', limit: 1 }));
      assert.deepEqual([mails[0].kind, mails[0].to], ['operator_notice', OPERATOR]);
      assert.equal(await later(HOUR_MS), 0);
    });

    it('are few while conditions come and go: twelve in a day, and the rest comes in one', async () => {
      const counts: unknown[] = [];
      for (let each = 0; each < 14; each += 1) {
        await disabled(`hook-${each}.example.com`);
        counts.push(await later(ROUND_MS));
      }
      assert.deepEqual(counts, [...Array(12).fill(1), 0, 0]);
      assert.equal(await later(DAY_MS - 2 * HOUR_MS), 0);
      assert.equal(await later(3 * HOUR_MS), 14);
      const mails = await received(13);
      assert.equal(mails.at(-1)?.subject, 'Latchkey staging: 2 new conditions, 12 last');
    });

    it('are told once by two nodes', async () => {
      await disabled('hooks.example.com');
      const other = await openStorage(app.database);
      app.clock.move(ROUND_MS);
      const time = standingAt(app.clock.now());
      const counts = await Promise.all([tell(storage, time, OF_CONDITIONS), tell(other, time, OF_CONDITIONS)]);
      await other.close();
      assert.deepEqual(counts.toSorted(), [0, 1]);
      assert.equal(await later(ROUND_MS), 0);
      await received(1);
    });

    it('wait for a believed clock', async () => {
      await disabled('hooks.example.com');
      const doubted = { believableNow: () => null, steadyNow: app.clock.now };
      assert.equal(await tell(storage, doubted, OF_CONDITIONS), 0);
      assert.deepEqual(await rowsOf(app.database, 'select * from operator_notice'), []);
      assert.equal(await later(ROUND_MS), 1);
    });

    it('tell only of the kinds that are asked for', async () => {
      await disabled('hooks.example.com');
      assert.equal(await later(ROUND_MS, { kinds: ['mails_failed'] }), 0);
      assert.equal(await later(ROUND_MS, { kinds: ['destination_failing'] }), 1);
    });

    it('are dropped for an address that the configuration no longer names', async () => {
      await disabled('hooks.example.com');
      assert.equal(await later(ROUND_MS, { ...OF_CONDITIONS, addresses: ['former@example.com', OPERATOR] }), 1);
      const states = await rowsOf(app.database, "select state from mail where to_address = 'former@example.com'");
      assert.deepEqual(states, [{ state: 'dropped' }]);
      await received(1);
    });

    it('tell of a spike of refusals, and of its end', async () => {
      const hour = app.clock.now() - (app.clock.now() % HOUR_MS);
      app.clock.move(hour + HOUR_MS + 10 * MINUTE_MS - app.clock.now());
      const figure = (at: number, metric: string, value: number): Figure => [
        '',
        'hour',
        metric,
        toTimestamp(at),
        value,
      ];
      const running = hour + HOUR_MS;
      const usual = Array.from({ length: 13 }, (_, index) =>
        figure(running - (index + 1) * DAY_MS, 'verify.license_expired', 10 + (index % 3)),
      );
      await fill(storage, usual);
      await fill(storage, [figure(running, 'verify.license_expired', 54)]);
      assert.equal(await later(ROUND_MS), 0, '54 is below five times 11');
      await fill(storage, [figure(running, 'activate.machine_limit', 66), figure(running, 'verify.ok', 9_000)]);
      assert.equal(await later(ROUND_MS), 1);
      assert.equal(await later(HOUR_MS), 0, 'the hour before it counts too');
      assert.equal(await later(HOUR_MS), 1);
      const [began, over] = await received(2);
      const from = toTimestamp(running).slice(11, 16);
      assert.equal(
        began?.subject,
        `Latchkey staging: 120 calls of apps refused in the hour from ${from} UTC, where 11 are usual`,
      );
      assert.ok(began?.text.includes('machine_limit (66), license_expired (54)'), began?.text);
      assert.equal(over?.subject, 'Latchkey staging: Apps are refused as often as usual again');
    });

    it('tell of the certificate 14 days and 3 days before its end, and when it has ended', async () => {
      const { certificate } = await mustSucceed(app.admin('/getSystem'));
      const end = Date.parse(certificate.endsAt);
      /** Lets the node report at a moment before the end, and tells. */
      const before = async (milliseconds: number) => {
        app.clock.move(end - milliseconds - app.clock.now());
        const now = app.clock.at();
        const seen = async () =>
          (await rowsOf(app.database, `select kind from node_condition where seen_at >= '${now}'`)).length;
        while ((await seen()) === 0) await wait(10);
        return later(0);
      };
      assert.equal(await before(14 * DAY_MS), 1);
      assert.equal(await before(13 * DAY_MS), 0);
      assert.equal(await before(3 * DAY_MS), 1);
      assert.equal(await before(-HOUR_MS), 1);
      assert.equal(await before(-2 * DAY_MS), 0);
      const mails = await received(3);
      const day = certificate.endsAt.slice(0, 10);
      assert.deepEqual(
        mails.map(({ subject }) => subject),
        [
          `Latchkey staging: The certificate of localhost ends on ${day}`,
          `Latchkey staging: The certificate of localhost ends on ${day}`,
          `Latchkey staging: The certificate of localhost ended on ${day}`,
        ],
      );
    });
  });

for (const engine of engines)
  describe(`a service that tells the operator by itself, ${engine}`, () => {
    it('tells of events of shops that need a decision, of an old backup, and of their ends', async (test) => {
      const server = await startedMailServer(test);
      const app = await appFor(test, engine, { ...ENVIRONMENT, ...server.environment }, undefined, {
        ...{ mailSender: QUICK_MAILS, leasedJobIntervalMs: 50, nodeReportIntervalMs: 50 },
      });
      const subjects = async (count: number) => {
        // A round keeps the job for nearly a minute, also one that has begun before the change.
        while (server.received.length < count) {
          app.clock.move(MINUTE_MS);
          await wait(100);
        }
        return server.received.map(({ mail }) => (mail.subject ?? '').replace('Latchkey staging: ', ''));
      };
      const shop = new Shop(app, paddleSeller(newBuyer()));
      await shop.open();
      const [once] = shop.mappings();
      const { connectorId } = shop;
      await mustSucceed(
        app.admin('/updateConnector', { connectorId, mappings: [{ ...once, minimumAmount: 1_000_000 }] }),
      );
      await shop.tell(shop.seller.steps.buy!(app.clock.now()));
      const found = (await shop.settled()).find(({ state }) => state === 'attention');
      assert.deepEqual(await subjects(1), ['1 event of shops needs a decision']);
      await mustSucceed(app.admin('/decideShopEvent', { eventId: found.eventId, remedy: 'dismiss' }));
      assert.equal((await subjects(2))[1], 'No event of a shop needs a decision any more');
      const mark = join(app.directory, 'last-backup');
      writeFileSync(mark, '');
      const old = new Date(app.clock.now() - 2 * DAY_MS);
      utimesSync(mark, old, old);
      const { setup } = await mustSucceed(app.admin('/getSystem'));
      assert.equal(setup.lastBackupAt, old.toISOString());
      assert.match((await subjects(3))[2] ?? '', /^The last backup is of \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
      writeFileSync(mark, 'again');
      const { setup: renewed } = await mustSucceed(app.admin('/getSystem'));
      assert.ok(renewed.lastBackupAt > old.toISOString());
      // The report of the node is no longer renewed.
      app.clock.move(21 * MINUTE_MS);
      assert.equal((await subjects(4))[3], 'Backups succeed again');
    });

    it('sends its e-mails past customers for whom the hourly limit is used up', async (test) => {
      const server = await startedMailServer(test);
      const limited = { ...ENVIRONMENT, ...server.environment, LATCHKEY_MAIL_RATE: '1' };
      const app = await appFor(test, engine, limited, undefined, { mailSender: QUICK_MAILS });
      const storage = await openStorage(app.database);
      test.after(() => storage.close());
      for (const email of ['a@shop.example', 'b@shop.example', 'c@shop.example'])
        await mustSucceed(app.admin('/mailLicense', { licenseKey: await app.license({ email }) }));
      await server.hasReceived(1);
      const url = 'https://hooks.example.com/';
      await mustSucceed(app.admin('/createDestination', { url, types: ['license.*'] }));
      await execute(app.database, "update destination set state = 'disabled'");
      assert.equal(await tell(storage, standingAt(app.clock.now())), 1);
      const [, second] = await server.hasReceived(2);
      assert.deepEqual(second?.to, [OPERATOR]);
      const { mails } = await mustSucceed(app.admin('/listMails', { state: 'waiting' }));
      const left = mails.filter(({ kind }: { kind: string }) => kind === 'keys');
      assert.equal(left.length, 2, 'those of the customers wait');
    });

    it('finds destinations of the operator that fail for a quarter of an hour, and that no node sends', async (test) => {
      const app = await appFor(test, engine, { ...ENVIRONMENT, LATCHKEY_DELIVERIES: 'off' });
      const storage = await openStorage(app.database);
      test.after(() => storage.close());
      const make = async (fields: object) =>
        (await mustSucceed(app.admin('/createDestination', { url: 'https://a.example/', types: ['*'], ...fields })))
          .destinationId;
      const [own, foreign] = [await make({}), await make({ creatorId: 'shop' })];
      const since = app.clock.at();
      await execute(app.database, `update destination_progress set failing_since = '${since}', failures = 9`);
      const found = async () =>
        (await storage.read((sql) => findConditions(sql, CONDITION_KINDS, app.clock.now()))).map(
          ({ kind, subject }) => `${kind} ${subject}`,
        );
      assert.deepEqual(await found(), []);
      app.clock.move(15 * MINUTE_MS);
      assert.deepEqual(await found(), ['destination_failing no_node', `destination_failing ${own}`]);
      assert.ok(!(await found()).join().includes(foreign));
    });
  });

describe('a start with addresses of the operator', () => {
  it('warns without a mail server', async (test) => {
    const { storage } = await freshStorage('sqlite', test);
    const warningsOf = (sendsMail: boolean) =>
      storage.read((sql) => findWarnings(sql, { ...SETTINGS, operatorNotices: NOTICES, sendsMail }));
    assert.deepEqual(await warningsOf(true), []);
    assert.match(
      (await warningsOf(false)).join(),
      /^LATCHKEY_OPERATOR_EMAIL names addresses, but this node has no mail/,
    );
  });
});

async function startedMailServer(test: { after(end: () => Promise<void>): void }): Promise<MailServer> {
  const server = await MailServer.start();
  test.after(() => server.close());
  return server;
}
