/** A disk that is really full, and has room again. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { HOUR_MS, systemClock, toTimestamp } from '../../src/ground/base/clock.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { statement } from '../../src/storage/contract/storage.ts';
import { openStorage } from '../../src/storage/opening/open.ts';
import { freshFor } from '../support/for-test.ts';
import { rowOf } from '../support/own-connection.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Ledger } from './ledger.ts';
import { fill, NO_SMALL_DISKS, startOnSmallDisk } from './service-on-small-disk.ts';

const HOOK = pathToFileURL(join(import.meta.dirname, 'moved-process.ts')).href;
/** The header of the log has numbers that change each time when the log begins anew. */
const WAL_HEADER_BYTES = 32;
/** Replies that expire while the disk is full, 70 MB together. */
const OLD_ANSWERS = 100;
const keepAnswer = statement(
  'test_full_disk.keep_answer',
  `insert into idempotent_reply (caller, idempotency_key, status, reply, created_at) values ('caller', $1, 200, $2, $3)`,
);

/** Checks the database of a service without load, and returns the copy that was checked. */
async function checkCopy(test: TestContext, ledger: Ledger, inside: string): Promise<Database> {
  // SQLite cannot open a file in another namespace.
  const copy = { engine: 'sqlite', file: join(temporaryFolder(test), 'latchkey.db') } as const;
  const [from, to] = [join(inside, 'latchkey.db'), copy.file];
  await ledger.check(() => {
    // Jobs go on. What they append to the log does no harm, but a log that is written back meanwhile tears the copy.
    for (let before = ''; before !== generationOf(from); ) {
      before = generationOf(from);
      for (const end of ['', '-wal']) copyFileSync(`${from}${end}`, `${to}${end}`);
    }
    return copy;
  });
  return copy;
}

/** Names the time between two moments at which SQLite writes its log back to the file. */
function generationOf(file: string): string {
  const header = readFileSync(`${file}-wal`).subarray(0, WAL_HEADER_BYTES).toString('hex');
  return `${statSync(file, { bigint: true }).mtimeNs} ${header}`;
}

describe('a SQLite database', {
  skip: NO_SMALL_DISKS,
}, () => {
  it('whose disk is full serves reads, and takes writes again once there is room, without a loss', async (test) => {
    const { service, inside, filler, states } = await startOnSmallDisk(test, { size: '80m' });
    const ledger = new Ledger(() => [service], randomInt);
    const readiness = async () => (await service.send('/readyz', undefined, { method: 'GET' })).body.writes;

    ledger.start();
    await ledger.untilChanged(40);
    for (let round = 0; round < 2; round += 1) {
      // Repeatedly, since a log that is written back frees room.
      while (states().length === 2 * round) {
        fill(filler, inside);
        await wait(10);
      }
      assert.equal((await service.send('/verify', { licenseKey: 'none', productId: 'app' })).status, 404);
      assert.equal(await readiness(), false);
      rmSync(filler);
      await ledger.untilChanged(40);
      assert.equal(await readiness(), true);
    }
    await ledger.pause();
    await checkCopy(test, ledger, inside);
    // The second outage follows the first so soon that its end is reported with a delay.
    while (states().length < 4) await wait(50);
    assert.deepEqual(states(), ['database.away', 'database.back', 'database.away', 'database.back']);
    for (const { event, serves } of service.log) if (event === 'database.away') assert.equal(serves, 'reads');
    assert.equal(await service.stop(), 0);
  });

  it('whose reserve cannot be deleted answers 503 on a full disk, and takes writes again once there is room', async (test) => {
    const { service, inside, filler, states } = await startOnSmallDisk(test, { size: '80m' });
    const ledger = new Ledger(() => [service], randomInt);
    // As a copy-on-write file system refuses to delete a file when it is full.
    mkdirSync(join(inside, 'latchkey.db-reserve'));
    ledger.start();
    await ledger.untilChanged(40);
    while (states().length === 0) {
      fill(filler, inside);
      await wait(10);
    }
    rmSync(filler);
    await ledger.untilChanged(40);
    await ledger.pause();
    assert.deepEqual(
      service.log.filter(({ failure }) => failure !== undefined),
      [],
    );
    assert.deepEqual(states(), ['database.away', 'database.back']);
    assert.equal(await service.stop(), 0);
  });

  it('makes room inside its file by tidying on a disk that stays full, and takes writes again, without a loss', async (test) => {
    const prepared = await freshFor(test, 'sqlite');
    const storage = await openStorage(prepared);
    const keptAt = toTimestamp(systemClock() - 23 * HOUR_MS);
    for (let index = 0; index < OLD_ANSWERS; index += 1)
      await storage.transaction((tx) => tx.run(keepAnswer, `old ${index}`, 'x'.repeat(700_000), keptAt));
    await storage.close();

    const clockFile = `${prepared.file}.clock`;
    writeFileSync(clockFile, '0');
    const { service, inside, filler, states } = await startOnSmallDisk(test, {
      size: '240m',
      source: prepared.file,
      environment: {
        NODE_OPTIONS: `--import=${HOOK}`,
        LATCHKEY_TEST_CLOCK_FILE: clockFile,
        LATCHKEY_TEST_MINUTE_MS: '200',
        LATCHKEY_TEST_TIME_PASSES: 'on',
      },
    });
    const ledger = new Ledger(() => [service], randomInt);

    ledger.start();
    await ledger.untilChanged(40);
    const reserve = join(inside, 'latchkey.db-reserve');
    while (!existsSync(reserve)) await wait(20);
    await wait(1_000);
    // The service releases its reserve, and the test takes that, too, once it has been of use.
    fill(filler, inside);
    while (states().length === 0) await wait(20);
    assert.ok(!existsSync(reserve));
    // Fills any free room, all the time.
    const fillingUp = setInterval(() => fill(filler, inside), 20);
    test.after(() => clearInterval(fillingUp));
    writeFileSync(clockFile, String(2 * HOUR_MS));
    while (states().length === 1) await wait(20);
    await ledger.untilChanged(40);
    await ledger.pause();
    clearInterval(fillingUp);

    const left = await rowOf(
      await checkCopy(test, ledger, inside),
      "select count(*) as number from idempotent_reply where caller = 'caller'",
    );
    assert.equal(Number(left?.number), 0);
    assert.deepEqual(states(), ['database.away', 'database.back']);
    assert.equal(await service.stop(), 0);
  });
});
