/**
 * The history of a shop: the service returns everything that the command reports, and existing data is never touched.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Path, ReplyOf, RequestOf } from '../contract.d.ts';
import { type History, makeHistory, SETTINGS } from '../scripts/history/history.ts';
import { Outside } from '../scripts/history/outside.ts';
import { type OwnService, startOwnService } from '../scripts/own-service.ts';
import { connectToService } from '../scripts/service-client.ts';
import { clockIn, DAY_MS, toTimestamp } from '../src/ground/base/clock.ts';
import { runProgram } from './support/command.ts';
import type { ReceivedMail } from './support/mail-server.ts';
import { processEnvironment } from './support/process-environment.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const DAYS = 5;
const END = Date.parse('2026-11-20T14:30:00.000Z');

describe('a short history', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-history-'));
  const progress: number[] = [];
  let history: History;
  let own: OwnService;
  let outside: Outside;
  const arrived: ReceivedMail[] = [];
  const ask = async <At extends Path>(path: At, body: RequestOf<At>): Promise<ReplyOf<At>> => {
    const { service } = own;
    const answer = await service.post(path, body, { 'X-Admin-Secret': service.adminSecret });
    assert.equal(answer.status, 200, answer.body.error);
    return answer.body;
  };

  before(async () => {
    const directory = join(folder, 'shop');
    mkdirSync(directory);
    const onProgress = (share: number) => progress.push(share);
    outside = await Outside.open();
    outside.onMail = (mail) => arrived.push(mail);
    history = await makeHistory({ directory, days: DAYS, seed: 'test', end: END, outside, onProgress });
    const time = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)).fill(BigInt(END));
    const bounds = { movedClock: time.buffer };
    const environment = { ...SETTINGS, ...outside.environment };
    own = await startOwnService({ directory, clock: clockIn(time.buffer), environment, bounds });
  });
  after(async () => {
    await own.stop();
    await outside.close();
    rmSync(folder, { recursive: true });
  });

  it('is counted by the service as it was made, every call of its apps', async () => {
    const metrics = [...history.counted.keys()] as RequestOf<'/getStatistics'>['metrics'][number][];
    assert.ok(metrics.length > 8, metrics.join());
    const from = toTimestamp(END - DAYS * DAY_MS);
    const found = new Map<string, number>();
    for (const metric of metrics) {
      const { series } = await ask('/getStatistics', { metrics: [metric], from });
      found.set(metric, series[0]?.points.reduce((sum, { value }) => sum + value, 0) ?? 0);
    }
    assert.deepEqual(found, history.counted);
  });

  it('has a record that is read page after page, and a later change comes first', async () => {
    const first = await ask('/listEvents', { limit: 20 });
    assert.ok(first.nextCursor !== undefined);
    const second = await ask('/listEvents', { limit: 20, cursor: first.nextCursor });
    const times = [...first.events, ...second.events].map(({ at }) => at);
    assert.equal(times.length, 40);
    assert.deepEqual(times, times.toSorted().reverse());
    await ask('/addNote', { licenseKey: history.sold[0]!.licenseKey, text: 'called back' });
    const [newest] = (await ask('/listEvents', { limit: 20 })).events;
    assert.equal(newest?.type, 'license.noted');
  });

  it('has as many licenses as were sold, of all types, and they are counted already', async () => {
    const { licenses } = await ask('/listLicenses', { limit: 1000, detail: true });
    assert.deepEqual(
      licenses.map(({ key }) => key).sort(),
      history.sold.map(({ licenseKey }) => licenseKey).sort(),
      'each license that was sold is there, and no other',
    );
    const types = new Set(licenses.map(({ licenseType }) => licenseType));
    assert.deepEqual([...types].sort(), ['floating', 'per-machine', 'site']);
    const { totals } = await ask('/getOverview', {});
    assert.ok(totals !== null, 'the first answer has totals');
    assert.equal(totals.active + totals.revoked + totals.expired, history.sold.length);
  });

  it('has a license for named users: all seats are held, and one person too many was refused', async () => {
    const { licenses } = await ask('/listLicenses', { email: 'office@copper-press.example' });
    const licenseKey = licenses[0]?.key ?? '';
    const { users } = await ask('/listUsers', { licenseKey });
    assert.equal(users.length, 6);
    assert.ok(users.some(({ machines }) => machines === 2));
    const { history: past = [] } = await ask('/getLicense', { licenseKey, history: true });
    assert.ok(past.some(({ refusal }) => refusal?.code === 'user_limit'));
  });

  it('shows sessions that are live now, full pools, and refusals and violations of the last hours', async () => {
    const { liveSessions, fullestPools, openViolations, newestEvents } = await ask('/getOverview', {});
    const { pools } = await ask('/listLiveSessions', { limit: 100 });
    const live = pools.reduce((sum, { inUse }) => sum + inUse, 0);
    assert.ok(live > 10, `${live} sessions`);
    assert.equal(liveSessions?.count, live);
    assert.ok(fullestPools.length >= 5);
    assert.ok(openViolations.severities.length >= 2);
    assert.equal(newestEvents.length, 10);
    const violations = await ask('/listViolations', { limit: 100 });
    const recent = violations.violations.filter(({ lastSeen }) => Date.parse(lastSeen) > END - DAY_MS / 2);
    assert.deepEqual([...new Set(recent.map(({ type }) => type))].sort(), [
      'activation_rate',
      'country_spread',
      'machine_limit',
      'token_replay',
    ]);
  });

  it('lies within its days, and its customers are in many countries', async () => {
    const { events } = await ask('/listEvents', { limit: 1000 });
    const moments = events.map(({ at }) => Date.parse(at));
    assert.ok(Math.max(...moments) <= END && Math.max(...moments) > END - DAY_MS / 12, 'until just now');
    const { countries } = await ask('/getCountries', { from: toTimestamp(END - DAYS * DAY_MS) });
    assert.ok(countries.length >= 12, countries.map(({ code }) => code).join());
    assert.equal(progress.at(-1), 1);
  });

  it('has studio orders with redeemed seats, trial codes with their redeemers, and notes', async () => {
    const { orders } = await ask('/searchStudioOrders', { creatorId: 'lumen-audio' });
    assert.ok(orders.some(({ redeemedCount }) => redeemedCount > 0));
    const { codes } = await ask('/listDiscountCodes', {});
    assert.ok(codes.length >= 5);
    const { events } = await ask('/listEvents', { types: ['license.noted'], limit: 10 });
    assert.ok(events.length > 0);
    assert.ok(events.some(({ actor }) => actor.kind === 'creator'));
  });

  it('e-mailed the keys of every sale, but for the full mailboxes', async () => {
    const { mails } = await ask('/listMails', { limit: 1000 });
    assert.deepEqual(new Set(mails.map(({ state }) => state)), new Set(['sent', 'failed']));
    const sent = mails.filter(({ state }) => state === 'sent').map(({ to }) => to);
    assert.deepEqual(sent.sort(), arrived.flatMap(({ to }) => to).sort());
    const failed = mails.find(({ state }) => state === 'failed');
    assert.match(failed?.lastError ?? '', /mailbox is full/);
  });

  it('has brands, links of products, and two destinations, of which one was out of order', async () => {
    const { brand } = await ask('/getBrand', { creatorId: 'lumen-audio' });
    assert.equal(brand?.productLinks.length, 3);
    const attemptsAt = async (description: string) => {
      const { destinations } = await ask('/listDestinations', {});
      const { destinationId = '' } = destinations.find((each) => each.description === description) ?? {};
      return (await ask('/listDeliveryAttempts', { destinationId })).attempts.map(({ status }) => status);
    };
    for (const [description, status] of [
      ['Bookkeeping', 204],
      ['Newsletter of new customers', 503],
    ] as const)
      while (!(await attemptsAt(description)).includes(status)) await wait(20);
  });
});

describe('two histories', () => {
  it('are alike when their seeds are, and differ when they do not', async (test) => {
    const folder = temporaryFolder(test);
    const outside = await Outside.open();
    test.after(() => outside.close());
    const make = async (name: string, seed: string) => {
      const directory = join(folder, name);
      mkdirSync(directory);
      const { sold, counted } = await makeHistory({ directory, days: 1, seed, end: END, outside });
      return { emails: sold.map(({ owner }) => owner.email).sort(), counted: [...counted].sort() };
    };
    const first = await make('first', 'one');
    assert.deepEqual(await make('again', 'one'), first);
    assert.notDeepEqual((await make('other', 'two')).emails, first.emails);
  });
});

describe('npm run demo -- --history', () => {
  const port = 20_000 + (process.pid % 10_000);

  /** Runs it until it reports that the shop is open; `end` ends the service as Ctrl C does. */
  async function show(folder: string): Promise<{ said: string; end: () => Promise<number | null> }> {
    const program = fileURLToPath(new URL('../scripts/demo.ts', import.meta.url));
    const child: ChildProcess = spawn(process.execPath, [program, '--history', 'shop', '--days', '1'], {
      env: {
        ...processEnvironment,
        INIT_CWD: folder,
        PORT: String(port),
        // Settings of another service on this machine do not count.
        LATCHKEY_DATA_DIR: join(folder, 'of-an-operator'),
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/operators',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          if (said.includes('The shop is open')) resolve();
        });
      void exited.then(() => reject(new Error(said)));
    });
    const end = () => {
      child.kill('SIGINT');
      return exited;
    };
    return { said, end };
  }

  it('makes a shop in a folder of its own and serves it, and serves it again as it is', async (test) => {
    const folder = temporaryFolder(test);
    const directory = join(folder, 'shop');
    const place = { LATCHKEY_DATA_DIR: directory, PORT: String(port) };
    const sold = async () => {
      const service = connectToService(place);
      const { body } = await service.post('/listLicenses', { limit: 1000 }, { 'X-Admin-Secret': service.adminSecret });
      service.close();
      return body.licenses.length as number;
    };
    const first = await show(folder);
    const [, licenses] = /(\d+) licenses were sold/.exec(first.said) ?? [];
    assert.equal(await sold(), Number(licenses));
    assert.ok(first.said.includes(`https://localhost:${port}/docs`), first.said);
    const [, customer = ''] = /\/my: sign in as (\S+)\.\n/.exec(first.said) ?? [];
    assert.match(customer, /@/);
    assert.equal(await first.end(), 0);
    const again = await show(folder);
    assert.match(again.said, /^shop holds a shop that was made at /);
    assert.equal(await sold(), Number(licenses), 'nothing is added');
    assert.equal(await again.end(), 0);
    assert.deepEqual(readdirSync(folder), ['shop'], 'nothing is left beside it, and the folder of others is not made');
  });

  it('leaves a folder alone that holds something else', async (test) => {
    const folder = temporaryFolder(test);
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'latchkey.db'), 'of an operator');
    const { code, err } = await runProgram('scripts/demo.ts', ['--history', 'data'], {
      INIT_CWD: folder,
      PORT: String(port),
    });
    assert.equal(code, 1);
    assert.match(
      err,
      /^data holds something that npm run demo did not make, and is left alone: name another folder\.\n$/,
    );
    assert.equal(readFileSync(join(folder, 'data', 'latchkey.db'), 'utf8'), 'of an operator');
    assert.deepEqual(readdirSync(folder), ['data']);
    assert.deepEqual(readdirSync(join(folder, 'data')), ['latchkey.db']);
  });
});
