/** A clock that jumps by years while the service runs: nothing is removed or ended, and nothing is done twice. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { DAY_MS } from '../../src/ground/base/clock.ts';
import { ADMIN_SECRET } from '../support/app.ts';
import { environmentOf, runCommandHere } from '../support/command.ts';
import { engines } from '../support/databases.ts';
import { execute, rowOf } from '../support/own-connection.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { Cluster } from './cluster.ts';

const YEARS = 730 * DAY_MS;
/** Things that a wrong clock could remove or end. */
const TABLES = {
  event: 'select count(*) as number from event',
  kept_refusal: 'select count(*) as number from kept_refusal',
  console_session: 'select count(*) as number from console_session',
  sign_in_code: 'select count(*) as number from sign_in_code',
  idempotent_reply: 'select count(*) as number from idempotent_reply',
  statistic: 'select count(*) as number from statistic',
  marked: "select count(*) as number from license where status_mark = 'expired'",
  sessions: 'select count(*) as number from activation where session_deadline is not null',
} as const;

for (const engine of engines)
  describe(`a clock that jumps on ${engine}`, () => {
    let cluster: Cluster;
    before(async () => {
      // Minutes of a fifth of a second.
      cluster = await Cluster.start(engine, {
        environment: { LATCHKEY_TEST_MINUTE_MS: '200', LATCHKEY_FLOATING_TIMEOUT: '15m' },
      });
    });
    after(() => cluster.stop());
    beforeEach(async () => {
      cluster.setClock(0, 0);
      await untilState(wrong(), 'believed');
    });

    /** The node whose clock is wrong, and one whose clock is right, where there is one. */
    const wrong = () => cluster.serving()[0]!;
    const right = () => cluster.serving().at(-1)!;

    const admin = (node: ServerProcess, path: string, fields: object = {}, headers: Record<string, string> = {}) =>
      node.send(path, { adminSecret: ADMIN_SECRET, ...fields }, { headers });
    const stateOf = async (node: ServerProcess) => (await admin(node, '/getSystem')).body.service.clock;
    async function untilState(node: ServerProcess, state: string): Promise<void> {
      while ((await stateOf(node)).state !== state) await wait(20);
    }
    const counts = async () => {
      const found: Record<string, number> = {};
      for (const [name, query] of Object.entries(TABLES))
        found[name] = Number((await rowOf(cluster.database, query))?.number);
      return found;
    };
    const callsOfConsole = async (node: ServerProcess, cookie: string) =>
      node.send(
        '/getConsoleSession',
        {},
        { headers: { cookie, 'x-latchkey-console': '1', 'sec-fetch-site': 'same-origin' } },
      );

    it('removes no history, ends no session, acts once on a repeated call, and is reported', async () => {
      const order = {
        email: 'ada@example.com',
        productId: 'app',
        expiresAt: new Date(Date.now() + DAY_MS).toISOString(),
      };
      const key = { 'idempotency-key': 'bought-once' };
      const bought = (await admin(right(), '/createLicense', order, key)).body;
      const { body: seat } = await admin(right(), '/createLicense', {
        ...{ email: 'ada@example.com', productId: 'app', licenseType: 'floating', maxMachines: 1 },
      });
      const machine = (machineFingerprint: string) => ({
        ...{ licenseKey: seat.licenseKey, productId: 'app', hostname: 'host', machineFingerprint },
      });
      assert.equal((await right().send('/activate', machine('first'))).status, 200);
      assert.equal((await right().send('/activate', machine('second'))).status, 403);
      const signedIn = await right().send(
        '/createConsoleSession',
        { secret: ADMIN_SECRET },
        { headers: { 'sec-fetch-site': 'same-origin' } },
      );
      const cookie = String(signedIn.headers['set-cookie']).split(';')[0]!;
      assert.equal((await callsOfConsole(right(), cookie)).status, 200);
      await execute(
        cluster.database,
        `insert into sign_in_code (hash, binding, expires_at) values ('h', 'b', '${new Date(Date.now() + 60_000).toISOString()}')`,
      );
      while ((await counts()).kept_refusal === 0 || (await counts()).statistic === 0) await wait(50);
      const before = await counts();
      assert.ok(
        Object.entries(before).every(([name, number]) => number > 0 || name === 'marked'),
        JSON.stringify(before),
      );

      cluster.setClock(0, YEARS);
      await cluster.makeJobsDue();
      await untilState(wrong(), 'ahead');
      await cluster.makeJobsDue();
      // Ten rounds of all jobs.
      await wait(2_000);
      const again = await admin(wrong(), '/createLicense', order, key);
      assert.deepEqual(again.body, bought, 'the first answer');
      assert.equal((await callsOfConsole(wrong(), cookie)).status, 200);
      assert.equal((await wrong().send('/activate', machine('second'))).status, 403, 'the seat is taken');
      const now = await counts();
      // Calls of the test go on to be counted.
      const growing = ['kept_refusal', 'statistic', 'event'];
      for (const [name, number] of Object.entries(before))
        assert.ok(
          growing.includes(name) ? now[name]! >= number : now[name] === number,
          `${name}: ${number}, then ${now[name]}`,
        );

      const reported = wrong().log.filter(({ event }) => event === 'clock.not_believed');
      assert.equal(reported.length, 1, JSON.stringify(reported));
      assert.match(
        String(reported[0]!.warning),
        /which is 730 days ahead of the last believed time .*latchkey believe-clock/,
      );
      assert.ok(wrong().log.some(({ event }) => event === 'clock.jumped'));

      cluster.setClock(0, 0);
      await untilState(wrong(), 'believed');
      assert.equal((await callsOfConsole(wrong(), cookie)).status, 200);
      assert.equal((await wrong().send('/activate', machine('first'))).status, 200);
      const { deadline } = (await rowOf(cluster.database, 'select max(session_deadline) as deadline from activation'))!;
      assert.ok(Date.parse(String(deadline)) < Date.now() + DAY_MS, `a seat is held until ${deadline}`);
    });

    for (const [how, restarts] of [
      ['a jump', false],
      ['its start', true],
    ] as const)
      it(`keeps changes recorded while it is years behind since ${how}`, async () => {
        cluster.setClock(0, -YEARS);
        if (restarts) await cluster.restartNode(0);
        await untilState(wrong(), 'behind');
        const order = { email: `behind-${restarts}@example.com`, productId: 'app' };
        const key = { 'idempotency-key': `behind-${restarts}` };
        const { body } = await admin(wrong(), '/createLicense', order, key);
        const about = `license_key = '${body.licenseKey}'`;
        const machine = {
          licenseKey: body.licenseKey,
          productId: 'app',
          hostname: 'host',
          machineFingerprint: 'first',
        };
        assert.equal((await wrong().send('/activate', machine)).status, 200);
        assert.equal((await wrong().send('/verify', { licenseKey: body.licenseKey, productId: 'other' })).status, 403);
        assert.equal((await wrong().send('/activate', { ...machine, productId: 'other' })).status, 403);
        const rows = async () => {
          const of = async (table: string) =>
            Number((await rowOf(cluster.database, `select count(*) as number from ${table} where ${about}`))?.number);
          return { events: await of('event'), refusals: await of('kept_refusal') };
        };
        const recorded = { events: 2, refusals: 2 };
        while ((await rows()).refusals < recorded.refusals) await wait(20);
        cluster.setClock(0, 0);
        await untilState(wrong(), 'believed');
        await cluster.makeJobsDue();
        await wait(1_500);
        assert.deepEqual(await rows(), recorded);
        const { at } = (await rowOf(cluster.database, `select min(occurred_at) as at from event where ${about}`))!;
        assert.ok(Math.abs(Date.parse(String(at)) - Date.now()) < DAY_MS, `dated ${at}`);
        assert.deepEqual((await admin(wrong(), '/createLicense', order, key)).body, body, 'the first answer');
      });

    it('goes on after a start with a wrong clock, and removes nothing', async () => {
      const before = await counts();
      cluster.setClock(0, YEARS);
      await cluster.restartNode(0);
      await cluster.makeJobsDue();
      await untilState(wrong(), 'ahead');
      await wait(1_000);
      const { event, idempotent_reply, sign_in_code } = await counts();
      assert.deepEqual([idempotent_reply, sign_in_code], [before.idempotent_reply, before.sign_in_code]);
      assert.ok(event! >= before.event!);
      assert.equal((await wrong().send('/verify', { licenseKey: 'none', productId: 'app' })).status, 404);
      assert.equal(
        (await admin(wrong(), '/createLicense', { email: 'eve@example.com', productId: 'app' })).status,
        200,
      );
    });

    it('is believed at once when an operator says so', async () => {
      // As after a stop of two years: the last time that was believed is long ago.
      const { at } = (await rowOf(cluster.database, 'select at from believed_round'))!;
      const past = new Date(Date.parse(String(at)) - YEARS).toISOString();
      while ((await stateOf(wrong())).state === 'believed') {
        await execute(cluster.database, `update believed_round set at = '${past}'`);
        await wait(20);
      }
      const { out, err, code } = await runCommandHere(['believe-clock'], {
        ...environmentOf(cluster.database),
        LATCHKEY_ADMIN_SECRET: ADMIN_SECRET,
      });
      assert.equal(code, 0, err);
      assert.match(out, /^The clock is now believed: it is \d{4}-.*\nRunning services believe it within a minute, /s);
      await untilState(wrong(), 'believed');
    });
  });
