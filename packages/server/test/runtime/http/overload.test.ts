/** The five client endpoints are served under any amount of other work; work beyond the bounds gets 503. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import { ADMIN_SECRET, type Answer, startApp, type TestApp } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { LockHolder } from '../../support/lock-holder.ts';
import { Machine } from '../../support/machine.ts';
import { requestBytes, Wire } from './wire.ts';

const ORDER = { email: 'ada@example.com', productId: 'app' };

function isOverloaded({ status, headers, body }: Answer): void {
  assert.deepEqual([status, body.error], [503, 'The service is overloaded. Try again shortly.']);
  assert.ok(Number(headers['retry-after']) >= 1);
}

/** Starts the service with small bounds, and with a way to block every change of a license. */
async function startSmall(
  test: TestContext,
  engine: (typeof engines)[number],
  environment: Record<string, string>,
  bounds: Parameters<typeof startApp>[3],
) {
  const shared = await freshDatabase(engine);
  const { database } = shared;
  const app = await startApp(engine, { LATCHKEY_LOG_LEVEL: 'fatal', ...environment }, shared, bounds);
  let client: pg.Client | undefined;
  if (database.engine === 'postgres') {
    client = new pg.Client(database.url);
    await client.connect();
  }
  test.after(async () => {
    await client?.end();
    await app.stop();
    await shared.remove();
  });
  /** Locks one license; on SQLite that is the whole file. Returns a function that releases the lock. */
  const lock = async (licenseKey: string): Promise<() => Promise<unknown>> => {
    if (database.engine === 'sqlite') {
      const holder = await LockHolder.of(database.file);
      return () => holder.release();
    }
    await client!.query('begin');
    await client!.query('select 1 from license where license_key = $1 for update', [licenseKey]);
    return () => client!.query('rollback');
  };
  /** Locks a table of PostgreSQL against reads. */
  const lockTable = async (table: string) => {
    await client!.query('begin');
    await client!.query(`lock table ${table} in access exclusive mode`);
    return {
      /** Resolves when a statement waits for the table. */
      async waited() {
        const waiting = `select 1 from pg_locks where relation = $1::regclass and not granted`;
        while ((await client!.query(waiting, [table])).rowCount === 0);
      },
      release: () => client!.query('rollback'),
    };
  };
  return { app, lock, lockTable };
}

/** The reply that comes first, second and so on. */
function nth(calls: readonly Promise<Answer>[], index: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let answered = 0;
    for (const call of calls)
      call.then((answer) => {
        if (answered === index) resolve(answer);
        answered++;
      }, reject);
  });
}

const rename = (app: TestApp, licenseKey: string, email = 'eve@example.com') =>
  app.admin('/updateLicense', { licenseKey, email });

for (const engine of engines)
  describe(`overload on ${engine}`, () => {
    it('other work that finds no room to wait is refused at once, and what waits is done', async (test) => {
      const environment = { LATCHKEY_POSTGRES_POOL: '3', LATCHKEY_POSTGRES_RESERVED: '2' };
      const { app, lock } = await startSmall(test, engine, environment, { otherWritesAtOnce: 1, maxOtherWaiting: 1 });
      const licenseKey = await app.license();
      const release = await lock(licenseKey);
      const calls = ['a', 'b', 'c', 'd'].map((name) => rename(app, licenseKey, `${name}@example.com`));
      // Two are refused while none can end.
      const refused = await Promise.all([0, 1].map((index) => nth(calls, index)));
      for (const answer of refused) isOverloaded(answer);
      await release();
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [200, 200, 503, 503]);
    });

    it('other work whose turn does not come within LATCHKEY_QUEUE_WAIT is refused', async (test) => {
      const environment = {
        LATCHKEY_POSTGRES_POOL: '2',
        LATCHKEY_POSTGRES_RESERVED: '1',
        LATCHKEY_QUEUE_WAIT: '1s',
      };
      const { app, lock } = await startSmall(test, engine, environment, { otherWritesAtOnce: 1 });
      const licenseKey = await app.license();
      const release = await lock(licenseKey);
      const calls = [rename(app, licenseKey), rename(app, licenseKey)];
      isOverloaded(await Promise.race(calls));
      await release();
      assert.deepEqual((await Promise.all(calls)).map(({ status }) => status).toSorted(), [200, 503]);
    });

    it('client calls beyond what may wait are refused, and those that wait are answered', async (test) => {
      const { app, lock } = await startSmall(test, engine, {}, { maxCalls: 3 });
      const licenseKey = await app.license({ maxMachines: -1 });
      const release = await lock(licenseKey);
      const calls = Array.from({ length: 5 }, (_, index) =>
        new Machine(app, licenseKey, `machine-${index}`).activate(),
      );
      isOverloaded(await Promise.race(calls));
      await release();
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [200, 200, 200, 503, 503]);
    });

    it('client calls overtake other work that waits', async (test) => {
      const environment = {
        LATCHKEY_POSTGRES_POOL: '3',
        LATCHKEY_POSTGRES_RESERVED: '2',
        LATCHKEY_CONNECTION_CALLS: 'off',
      };
      const { app } = await startSmall(test, engine, environment, { otherWritesAtOnce: 2 });
      const machine = await new Machine(app, await app.license()).activated();
      const wires = await Promise.all(Array.from({ length: 10 }, () => Wire.open(app.port)));
      const create = requestBytes('/createLicense', JSON.stringify({ adminSecret: ADMIN_SECRET, ...ORDER }));
      let created = 0;
      const flood = wires.map(async (wire) => {
        for (let count = 0; count < 60; count++) {
          assert.equal((await wire.answer()).status, 200);
          created++;
        }
        wire.end();
      });
      for (const wire of wires) wire.write(Buffer.concat(Array(60).fill(create)));
      const answer = await machine.validate();
      assert.equal(answer.status, 200);
      assert.ok(created < 400, `${created} of 600 calls that came before were answered before it`);
      await Promise.all(flood);
      assert.equal(created, 600);
    });
  });

describe('connections of the PostgreSQL pool', () => {
  it('are kept for the client endpoints while other work holds all that it may', async (test) => {
    const environment = { LATCHKEY_POSTGRES_POOL: '3', LATCHKEY_POSTGRES_RESERVED: '1' };
    const { app, lock } = await startSmall(test, 'postgres', environment, {});
    const [locked, free] = [await app.license(), await app.license()];
    const machine = await new Machine(app, free).activated();
    const release = await lock(locked);
    const others = Array.from({ length: 4 }, () => rename(app, locked));
    let isOneDone = false;
    void Promise.race(others).then(() => (isOneDone = true));
    for (let round = 0; round < 5; round++) {
      assert.equal((await app.send('/verify', { licenseKey: free, productId: 'app' })).status, 200);
      assert.equal((await machine.validate()).status, 200);
      assert.equal((await machine.heartbeat()).status, 200);
    }
    assert.equal(isOneDone, false, 'the other work was done before, so it held nothing');
    await release();
    for (const { status } of await Promise.all(others)) assert.equal(status, 200);
  });

  it('serve two calls of other work at once while the thread is busy, and all again when it is not', async (test) => {
    let isBusy = true;
    const { app, lock } = await startSmall(test, 'postgres', {}, { isThreadBusy: () => isBusy });
    const [locked, free] = [await app.license(), await app.license()];
    const machine = await new Machine(app, free).activated();
    const release = await lock(locked);
    const others = Array.from({ length: 2 }, () => rename(app, locked));
    let isThirdDone = false;
    const third = rename(app, free).then((answer) => {
      isThirdDone = true;
      return answer;
    });
    for (let round = 0; round < 5; round++) assert.equal((await machine.validate()).status, 200);
    assert.equal(isThirdDone, false, 'a third call began beside the two that wait for the lock');
    isBusy = false;
    assert.equal((await rename(app, free)).status, 200);
    await release();
    for (const { status } of await Promise.all([...others, third])) assert.equal(status, 200);
  });

  it('serve one read at once while the thread is busy, beside a write', async (test) => {
    let isBusy = true;
    const { app, lockTable } = await startSmall(test, 'postgres', {}, { isThreadBusy: () => isBusy });
    const license = await app.license();
    const { waited, release } = await lockTable('discount_code');
    const held = app.admin('/listDiscountCodes', {});
    await waited();
    let isSecondDone = false;
    const second = app.admin('/listEvents', {}).finally(() => (isSecondDone = true));
    for (let round = 0; round < 5; round++) assert.equal((await rename(app, license)).status, 200);
    assert.equal(isSecondDone, false, 'a second read began beside the one that waits for the table');
    isBusy = false;
    assert.equal((await rename(app, license)).status, 200);
    assert.equal((await second).status, 200);
    await release();
    assert.equal((await held).status, 200);
  });
});
