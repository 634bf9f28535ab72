/**
 * A SQLite file with damaged pages: the service sends no replies from it, logs that once, and refuses to start on it.
 */
import assert from 'node:assert/strict';
import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type Answer, startApp, type TestApp } from '../../support/app.ts';
import { environmentOf, runCommandHere } from '../../support/command.ts';
import { damageRows } from '../../support/damaged-file.ts';
import { freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import type { TestDatabase } from '../../support/test-database.ts';

const LICENSES = 400;
const QUIET = { LATCHKEY_LOG_LEVEL: 'fatal' };

interface DamagedFile {
  readonly shared: TestDatabase;
  readonly file: string;
  /** A copy from before the damage. */
  readonly backup: string;
  readonly licenseKeys: readonly string[];
  /** Services to stop at the end. */
  readonly opened: { stop(): Promise<unknown> }[];
}

/** A file with licenses in which some pages were overwritten while no service ran. */
async function damagedFile(test: TestContext): Promise<DamagedFile> {
  const shared = await freshDatabase('sqlite');
  const opened: { stop(): Promise<unknown> }[] = [];
  test.after(async () => {
    for (const each of opened) await each.stop();
    await shared.remove();
  });
  assert.ok(shared.database.engine === 'sqlite');
  const { file } = shared.database;
  const app = await startApp('sqlite', QUIET, shared);
  const licenseKeys = await Promise.all(Array.from({ length: LICENSES }, () => app.license()));
  await app.stop();
  const backup = `${file}.backup`;
  await copyFile(file, backup);
  assert.ok(damageRows(file, 'license') > 5);
  return { shared, file, backup, licenseKeys, opened };
}

const verifyAll = (app: Pick<TestApp, 'send'>, keys: readonly string[]): Promise<readonly Answer[]> =>
  Promise.all(keys.map((licenseKey) => app.send('/verify', { licenseKey, productId: 'app' })));

describe('a SQLite file with damaged pages', () => {
  it('is answered 503 by everything once a call has met one, as /readyz is, and never 500', async (test) => {
    const { shared, licenseKeys, opened } = await damagedFile(test);
    const app = await startApp('sqlite', QUIET, shared, { writeProbeIntervalMs: 20 });
    opened.push(app);
    const first = await verifyAll(app, licenseKeys);
    assert.deepEqual(
      [...new Set(first.map(({ status }) => status))].filter((status) => status !== 200),
      [503],
      'some were answered before the first page was met, none wrongly',
    );
    for (const answer of await verifyAll(app, licenseKeys)) assert.equal(answer.status, 503);
    const calls = [
      app.admin('/createLicense', { email: 'ada@example.com', productId: 'app' }),
      app.admin('/listLicenses', {}),
      new Machine(app, licenseKeys[0] ?? '').activate(),
      app.send('/readyz', undefined, { method: 'GET' }),
    ];
    for (const { status } of await Promise.all(calls)) assert.equal(status, 503);
  });

  it('is found by a list of the reader thread as well, and then nothing is written any more', async (test) => {
    const { shared, opened } = await damagedFile(test);
    const app = await startApp('sqlite', QUIET, shared);
    opened.push(app);
    assert.equal((await app.admin('/listLicenses', { limit: 200 })).status, 503);
    const order = { email: 'ada@example.com', productId: 'app' };
    assert.equal((await app.admin('/createLicense', order)).status, 503);
    assert.equal((await app.send('/readyz', undefined, { method: 'GET' })).status, 503);
  });

  it('has one line in the log, which says what to do, and none that it is back', async (test) => {
    const { shared, file, licenseKeys, opened } = await damagedFile(test);
    const service = await startServerProcess(shared.database, { LATCHKEY_DATA_DIR: dirname(file) });
    opened.push(service);
    for (let time = 0; time < 3; time += 1) await verifyAll(service, licenseKeys);
    await service.stop();
    const said = linesOf(service);
    assert.deepEqual(
      said.map(({ event }) => event),
      ['database.damaged'],
    );
    assert.match(String(said[0]?.reason), /malformed/);
    assert.match(String(said[0]?.nextStep), /the command check.* sqlite3/);
    assert.ok(!service.log.some(({ status }) => status === 500));
  });

  it('is refused by the next start, which names the damage, and served after a restore', async (test) => {
    const { shared, file, backup, licenseKeys, opened } = await damagedFile(test);
    const first = await startApp('sqlite', QUIET, shared);
    await verifyAll(first, licenseKeys);
    await first.stop();
    const again = startServerProcess(shared.database, { LATCHKEY_DATA_DIR: dirname(file) });
    opened.push({ stop: () => again.then((service) => service.stop()).catch(() => undefined) });
    await assert.rejects(
      again,
      /cannot start: .* is damaged \(license: .*with sqlite3: see "The file of SQLite is damaged"/,
    );

    assert.equal((await runCommandHere(['restore', backup], environmentOf(shared.database))).code, 0);
    const restored = await startApp('sqlite', QUIET, shared);
    opened.push(restored);
    for (const { status } of await verifyAll(restored, licenseKeys)) assert.equal(status, 200);
    assert.deepEqual(await notesBeside(file), []);
  });

  it('is served again when a second check finds it sound', async (test) => {
    const { shared, file, backup, licenseKeys, opened } = await damagedFile(test);
    const first = await startApp('sqlite', QUIET, shared);
    await verifyAll(first, licenseKeys);
    await first.stop();
    assert.equal((await notesBeside(file)).length, 1);
    // Written in place, so that the note still refers to the same file, as after a fault of the cable.
    await copyFile(backup, file);
    const again = await startApp('sqlite', QUIET, shared);
    opened.push(again);
    for (const { status } of await verifyAll(again, licenseKeys)) assert.equal(status, 200);
    assert.deepEqual(await notesBeside(file), []);
  });

  it('is named by check, which changes nothing, with the tables that are damaged', async (test) => {
    const { shared, file } = await damagedFile(test);
    const { code, out, err } = await runCommandHere(['check'], environmentOf(shared.database));
    assert.deepEqual([code, out], [1, '']);
    assert.match(
      err,
      /is damaged \(license: database disk image is malformed\)\. Restore the last backup, or .* sqlite3/,
    );
    assert.deepEqual(await notesBeside(file), []);
  });

  it('keeps a service from starting that finds no database in it, with the same advice', async (test) => {
    const { shared, file } = await damagedFile(test);
    const other = `${file}.other`;
    await copyFile(import.meta.filename, other);
    await rename(other, file);
    for (const suffix of ['-wal', '-shm']) await rm(`${file}${suffix}`, { force: true });
    const starting = startServerProcess(shared.database, { LATCHKEY_DATA_DIR: dirname(file) });
    await assert.rejects(starting, /cannot start: .*file is not a database/);
    const { code, err } = await runCommandHere(['check'], environmentOf(shared.database));
    assert.equal(code, 1);
    assert.match(err, /is damaged \(file is not a database\)/);
  });
});

const linesOf = (service: ServerProcess) => service.log.filter(({ event }) => String(event).startsWith('database.'));

/** The notes of damage beside a file. */
async function notesBeside(file: string): Promise<readonly string[]> {
  return (await readdir(dirname(file))).filter((name) => name === `${basename(file)}-damaged`);
}
