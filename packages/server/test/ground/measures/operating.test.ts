/**
 * Metrics for operators beside those of calls: waiting calls, failed jobs, the disk, the size of the database, the
 * newest backup.
 */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startMeasuringDisk } from '../../../src/ground/measures/disk.ts';
import { Measures } from '../../../src/ground/measures/measures.ts';
import { inspectBackup } from '../../../src/storage/sqlite/sqlite-backup.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { runCommandHere } from '../../support/command.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { LockHolder } from '../../support/lock-holder.ts';
import { Machine } from '../../support/machine.ts';
import { execute } from '../../support/own-connection.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { scrape, scrapedValue, scrapeUntil } from './scrape.ts';

const METRICS = { LATCHKEY_METRICS_PORT: '0', LATCHKEY_LOG_LEVEL: 'fatal' };
const measured = async (app: TestApp, name: string) => scrapedValue(await scrape(app), name);

/** Measures places once. Returns the value of one metric. */
async function lookedAt(places: Parameters<typeof startMeasuringDisk>[1], name: string): Promise<unknown> {
  const measures = new Measures();
  const stop = startMeasuringDisk(measures, places);
  try {
    for (;;) {
      const found = measures.samples().find((sample) => sample.name === name);
      if (found !== undefined) return found.value;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  } finally {
    stop();
  }
}

for (const engine of engines)
  describe(`the metrics for operators on ${engine}`, () => {
    it('show the number of waiting calls', async (test) => {
      const shared = await freshDatabase(engine);
      const { database } = shared;
      const app = await startApp(engine, METRICS, shared);
      let holder: pg.Client | LockHolder;
      test.after(async () => {
        await app.stop();
        await shared.remove();
      });
      const licenseKey = await app.license();
      if (database.engine === 'sqlite') holder = await LockHolder.of(database.file);
      else {
        holder = new pg.Client(database.url);
        await holder.connect();
        await holder.query('begin');
        await holder.query('select 1 from license where license_key = $1 for update', [licenseKey]);
      }
      const waiting = Array.from({ length: 3 }, (_, index) =>
        new Machine(app, licenseKey, `machine-${index}`).activate(),
      );
      await scrapeUntil(app, (samples) => scrapedValue(samples, 'latchkey_waiting_calls') === 3);
      await (holder instanceof pg.Client ? holder.end() : holder.release());
      await Promise.all(waiting);
      assert.equal(await measured(app, 'latchkey_waiting_calls'), 0);
    });

    it('show the size of the database and the free space of the disk', async (test) => {
      const app = await startApp(engine, METRICS);
      test.after(() => app.stop());
      await scrapeUntil(app, (samples) => (scrapedValue(samples, 'latchkey_database_bytes') ?? 0) > 100_000);
      await scrapeUntil(app, (samples) => (scrapedValue(samples, 'latchkey_disk_bytes') ?? 0) > 0);
      const [free, all] = [await measured(app, 'latchkey_disk_free_bytes'), await measured(app, 'latchkey_disk_bytes')];
      assert.ok(free! > 0 && free! < all!, `${free} of ${all}`);
    });
  });

describe('the metric of the newest backup', () => {
  const NAME = 'latchkey_last_backup_timestamp_seconds';

  it('is 0 without a known backup', async (test) => {
    const dataDirectory = temporaryFolder(test);
    const backupMark = join(dataDirectory, 'last-backup');
    assert.equal(await lookedAt({ dataDirectory, databaseFile: null, backupMark }, NAME), 0);
  });

  it('is the time of the last change of the mark, by any program', async (test) => {
    const dataDirectory = temporaryFolder(test);
    const backupMark = join(dataDirectory, 'mark');
    writeFileSync(backupMark, '');
    utimesSync(backupMark, 1_800_000_000, 1_800_000_000);
    assert.equal(await lookedAt({ dataDirectory, databaseFile: null, backupMark }, NAME), 1_800_000_000);
  });

  it('is read again every 15 seconds', async (test) => {
    test.mock.timers.enable({ apis: ['setInterval'] });
    const dataDirectory = temporaryFolder(test);
    const backupMark = join(dataDirectory, 'mark');
    const measures = new Measures();
    const value = () => measures.samples().find(({ name }) => name === NAME)?.value;
    const waitFor = async (wanted: number) => {
      for (let tries = 0; value() !== wanted && tries < 2_000; tries++) await wait(5);
      assert.equal(value(), wanted);
    };
    const stop = startMeasuringDisk(measures, { dataDirectory, databaseFile: null, backupMark });
    test.after(stop);
    await waitFor(0);
    writeFileSync(backupMark, '');
    utimesSync(backupMark, 1_800_000_000, 1_800_000_000);
    test.mock.timers.tick(15_000);
    await waitFor(1_800_000_000);
  });

  it('is touched by the command backup when it has succeeded, and not before', async (test) => {
    const { database } = await freshDatabase('sqlite', test);
    assert.ok(database.engine === 'sqlite');
    const dataDirectory = dirname(database.file);
    const environment = { LATCHKEY_DATA_DIR: dataDirectory };
    const places = { dataDirectory, databaseFile: null, backupMark: join(dataDirectory, 'last-backup') };
    const target = join(temporaryFolder(test), 'backup.db');
    const before = Math.floor(Date.now() / 1000) - 1;
    writeFileSync(target, 'in the way');
    assert.equal((await runCommandHere(['backup', target], environment)).code, 1);
    assert.equal(await lookedAt(places, NAME), 0);
    rmSync(target);
    const { code, out } = await runCommandHere(['backup', target], environment);
    assert.equal(code, 0);
    assert.doesNotMatch(out, /last-backup/, 'it need not be kept');
    assert.ok(Number(await lookedAt(places, NAME)) >= before);
  });

  it('leaves a backup whole that is written to the place of the mark', async (test) => {
    const { database } = await freshDatabase('sqlite', test);
    assert.ok(database.engine === 'sqlite');
    const dataDirectory = dirname(database.file);
    const target = join(dataDirectory, 'last-backup');
    const { code, err } = await runCommandHere(['backup', target], { LATCHKEY_DATA_DIR: dataDirectory });
    assert.equal(code, 0, err);
    assert.ok(inspectBackup(target).schemaVersion > 0);
  });

  it('leaves a backup that cannot be noted one that succeeded', async (test) => {
    const { database } = await freshDatabase('sqlite', test);
    assert.ok(database.engine === 'sqlite');
    const mark = join(temporaryFolder(test), 'folder');
    mkdirSync(mark);
    const environment = { LATCHKEY_DATA_DIR: dirname(database.file), LATCHKEY_BACKUP_MARK: mark };
    const { code, err } = await runCommandHere(['backup', join(temporaryFolder(test), 'backup.db')], environment);
    assert.equal(code, 0, err);
    assert.match(err, /^Warning: the metrics do not show this backup \(LATCHKEY_BACKUP_MARK\): /m);
  });
});

describe('the metric of failed jobs', () => {
  it('counts each run of a job that could not do its work', async (test) => {
    const app = await startApp('postgres', METRICS, undefined, { memory: { countIntervalMs: 20 } });
    test.after(() => app.stop());
    assert.equal(await measured(app, 'latchkey_failed_jobs_total'), 0);
    await execute(app.database, 'alter table statistic rename to hidden');
    await app.send('/verify', { licenseKey: await app.license(), productId: 'app' });
    await scrapeUntil(app, (samples) => (scrapedValue(samples, 'latchkey_failed_jobs_total') ?? 0) > 0);
  });
});
