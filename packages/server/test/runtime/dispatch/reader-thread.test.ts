/**
 * With SQLite, reads of operators and creators run in a separate thread: they delay no other call and see every write.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { endpoints, endpointsByPath } from '../../../src/app.ts';
import { MINUTE_MS, systemClock } from '../../../src/ground/base/clock.ts';
import type { Outcome } from '../../../src/platform/endpoint/outcome.ts';
import type { Call, Dispatcher } from '../../../src/runtime/dispatch/call.ts';
import {
  type StorageThread,
  startStorageThread,
  type ThreadListeners,
  type ThreadRole,
} from '../../../src/runtime/dispatch/storage-thread.ts';
import { type Answer, startApp, type TestApp } from '../../support/app.ts';
import { requestContextAt, SETTINGS } from '../../support/contexts.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';

const TIME_LIMIT = { timeout: 2 * MINUTE_MS };

/** Steps computed for each listed code: many times as long as all other calls of the test take. */
const STEPS = 10_000_000;
/** Many times as long as a few requests take to arrive. */
const FEWER_STEPS = 2_000_000;

/** Slows down every list of discount codes, in any thread. */
async function slowDiscountCodes(app: TestApp, steps = STEPS): Promise<void> {
  await mustSucceed(app.admin('/createDiscountCode', { code: 'SLOW', trialDays: 14 }));
  const database = openSqliteFile((app.database as { file: string }).file);
  database.exec(`
    alter table discount_code rename to quick_discount_code;
    create view discount_code as select * from quick_discount_code
      where (with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${steps})
             select count(*) from counted) > 0;
  `);
  database.close();
}

/** Long enough for a request to be read from its socket; the assertions do not depend on it. */
const underWay = () => wait(100);

describe('a long read on sqlite', TIME_LIMIT, () => {
  it('delays no check of a license and no write', async () => {
    const app = await startApp('sqlite');
    try {
      const licenseKey = await app.license();
      const isValid = async (key: string) =>
        (await app.send('/verify', { licenseKey: key, productId: 'app' })).body.valid;
      assert.equal(await isValid(licenseKey), true);
      await slowDiscountCodes(app);

      const answered: string[] = [];
      const list = mustSucceed(app.admin('/listDiscountCodes')).finally(() => answered.push('list'));
      await underWay();
      for (let round = 0; round < 5; round++) {
        // The first is in the cache of licenses, the other one is read from the file.
        assert.equal(await isValid(licenseKey), true);
        assert.equal(await isValid(await app.license()), true);
      }
      answered.push('checks');
      assert.equal((await list).count, 1);
      assert.deepEqual(answered, ['checks', 'list']);
    } finally {
      await app.stop();
    }
  });

  it('lets a bounded number of others wait, and answers further ones 503 with Retry-After', async () => {
    const fresh = await freshDatabase('sqlite');
    const app = await startApp('sqlite', {}, fresh, {
      otherReadsAtOnce: 1,
      maxOtherWaiting: 1,
    });
    try {
      await slowDiscountCodes(app, FEWER_STEPS);
      const refused: Answer[] = [];
      const lists = Array.from({ length: 4 }, async () => {
        const answer = await app.admin('/listDiscountCodes');
        if (answer.status === 503) refused.push(answer);
        return answer.status;
      });
      // One runs and one waits, so two are refused before the others get a reply.
      assert.equal(await Promise.race(lists), 503);
      assert.deepEqual((await Promise.all(lists)).toSorted(), [200, 200, 503, 503]);
      for (const { headers } of refused) assert.ok(Number(headers['retry-after']) >= 1);
    } finally {
      await app.stop();
      await fresh.remove();
    }
  });
});

for (const engine of engines)
  describe(`a read on ${engine}`, TIME_LIMIT, () => {
    it('shows all earlier writes', async () => {
      const app = await startApp(engine);
      try {
        const creator = await Creator.of(app);
        const productId = await creator.product();
        await Promise.all(
          Array.from({ length: 8 }, async (_, number) => {
            const email = `customer-${number}@example.com`;
            for (let round = 1; round <= 25; round++) {
              const licenseKey = await creator.license(productId, { email });
              const { licenses } = await mustSucceed(creator.send('/listLicenses', { email }));
              assert.equal(licenses.length, round);
              assert.ok(licenses.some(({ key }: { key: string }) => key === licenseKey));
              await mustSucceed(creator.send('/revokeLicense', { licenseKey }));
              assert.equal((await mustSucceed(creator.send('/getLicense', { licenseKey }))).license.status, 'revoked');
            }
          }),
        );
      } finally {
        await app.stop();
      }
    });

    it('is refused to an API key from the moment that it is revoked', async () => {
      const app = await startApp(engine);
      try {
        const creator = await Creator.of(app);
        assert.equal((await creator.send('/listProducts')).status, 200);
        await mustSucceed(app.admin('/revokeApiKey', { creatorId: creator.creatorId }));
        assert.equal((await creator.send('/listProducts')).status, 401);
      } finally {
        await app.stop();
      }
    });
  });

/** Calls that a thread takes at once in these tests. */
const MAX_CALLS = 100;

const NOBODY: ThreadListeners = {
  committed() {},
  availability() {},
  clock() {},
  failure: (failure) => assert.fail(failure),
  death: (_, error) => assert.fail(error),
};

/** Both threads on a fresh database; `deaths` receives each thread that ended. */
async function withThreads(
  work: (threads: Readonly<Record<ThreadRole, StorageThread>>, deaths: [ThreadRole, string][]) => Promise<void>,
): Promise<void> {
  const fresh = await freshDatabase('sqlite');
  const deaths: [ThreadRole, string][] = [];
  const { file } = fresh.database as { file: string };
  const start = (role: ThreadRole) =>
    startStorageThread({ role, file, settings: SETTINGS }, MAX_CALLS, {
      ...NOBODY,
      death: (dead, { message }) => deaths.push([dead, message]),
    });
  const threads = { writer: await start('writer'), reader: await start('reader') };
  try {
    await work(threads, deaths);
  } finally {
    for (const role of ['reader', 'writer'] as const)
      if (deaths.every(([dead]) => dead !== role)) await threads[role].close();
    await fresh.remove();
  }
}

const callOf = (path: string): Call => ({
  path,
  credential: { kind: 'admin' },
  read: { fields: {} },
  requestContext: requestContextAt(systemClock()),
  idempotency: null,
});

const outcomeOf = (thread: Dispatcher, call: Call) => new Promise<Outcome>((resolve) => thread.dispatch(call, resolve));

describe('the reader thread', TIME_LIMIT, () => {
  it('has a bounded number of reads at once; one more is answered 503 with Retry-After until there is room', () =>
    withThreads(async ({ reader }) => {
      const asked = Array.from({ length: MAX_CALLS + 1 }, () => outcomeOf(reader, callOf('/listApiKeys')));
      const outcomes = await Promise.all(asked);
      assert.deepEqual(new Set(outcomes.slice(0, MAX_CALLS).map(({ status }) => status)), new Set([200]));
      const { status, body, retryAfterSeconds } = outcomes[MAX_CALLS]!;
      assert.deepEqual([status, retryAfterSeconds, JSON.parse(String(body)).success], [503, 1, false]);
      assert.equal((await outcomeOf(reader, callOf('/listApiKeys'))).status, 200);
    }));

  it('passes a long answer on as bytes, and a short one as text', () =>
    withThreads(async ({ reader, writer }) => {
      const name = 'ü'.repeat(255);
      const make = (number: number): Call => ({
        ...callOf('/createProduct'),
        read: { fields: { creatorId: 'ada', slug: `product-${number}`, name } },
      });
      const short = await outcomeOf(reader, callOf('/listProducts'));
      assert.equal(typeof short.body, 'string');
      for (let number = 0; number < 100; number++)
        assert.equal((await outcomeOf(writer, make(number))).status, 200, `product ${number}`);
      const { body } = await outcomeOf(reader, callOf('/listProducts'));
      assert.ok(body instanceof Uint8Array);
      const { products } = JSON.parse(new TextDecoder().decode(body));
      assert.deepEqual(new Set(products.map((each: { name: string }) => each.name)), new Set([name]));
    }));

  it('answers reads in the order in which they came', () =>
    withThreads(async ({ reader }) => {
      const order: number[] = [];
      await Promise.all(
        Array.from({ length: 50 }, async (_, number) => {
          await outcomeOf(reader, callOf(number % 2 === 0 ? '/listProducts' : '/listLicenses'));
          order.push(number);
        }),
      );
      assert.deepEqual(
        order,
        [...order].sort((one, other) => one - other),
      );
    }));

  it('answers what waits before it closes', async () => {
    let asked: Promise<Outcome>[] = [];
    await withThreads(async ({ reader }) => {
      asked = Array.from({ length: 100 }, () => outcomeOf(reader, callOf('/listLicenses')));
    });
    assert.deepEqual(new Set((await Promise.all(asked)).map(({ status }) => status)), new Set([200]));
  });

  it('takes every read but that of the client endpoints', () => {
    const reads = endpoints.filter(({ work }) => work.kind === 'read').map(({ path }) => path);
    assert.ok(reads.includes('/listLicenses') && reads.includes('/getLicense') && reads.includes('/validateSeatCode'));
    for (const path of reads) assert.notEqual(endpointsByPath.get(path)?.access, 'client');
  });
});

describe('a thread that ends by itself', TIME_LIMIT, () => {
  for (const role of ['reader', 'writer'] as const)
    it(`is reported once: the ${role}`, () =>
      withThreads(async (threads, deaths) => {
        // An endpoint that does not exist is a defect, and the thread cannot reply to it.
        threads[role].dispatch(callOf('/defect'), () => assert.fail());
        while (deaths.length === 0) await wait(5);
        await wait(50);
        assert.deepEqual(deaths, [[role, 'no endpoint /defect']]);
      }));

  for (const role of ['reader', 'writer'] as const)
    it(`is not waited for when the file cannot be opened: the ${role}`, async () => {
      const file = '/nowhere/at/all/latchkey.db';
      await assert.rejects(
        startStorageThread({ role, file, settings: SETTINGS }, MAX_CALLS, NOBODY),
        /ENOENT|unable to open/,
      );
    });
});
