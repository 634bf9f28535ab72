/**
 * A file is copied over the database under a running service, or after one was killed: nothing mixed is ever served.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { ADMIN_SECRET, startApp } from '../../support/app.ts';
import { environmentOf, runCommandHere } from '../../support/command.ts';
import { freshDatabase, type TestDatabase } from '../../support/databases.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';

const ORDER = { email: 'ada@example.com', productId: 'app' };

interface Served {
  readonly database: TestDatabase['database'];
  readonly file: string;
  /** Made by the command backup while the service ran; it has the licenses of `before`. */
  readonly backup: string;
  readonly before: readonly string[];
  readonly service: ServerProcess;
  start(): Promise<ServerProcess>;
}

/** A service with some licenses, and a backup of them. */
async function served(test: TestContext): Promise<Served> {
  const { database, remove } = await freshDatabase('sqlite');
  assert.ok(database.engine === 'sqlite');
  const { file } = database;
  const started: ServerProcess[] = [];
  test.after(async () => {
    for (const each of started) await each.kill();
    await remove();
  });
  const start = async () => {
    const service = await startServerProcess(database, { LATCHKEY_DATA_DIR: dirname(file) });
    started.push(service);
    return service;
  };
  const service = await start();
  const before = await issued(service, 30);
  mkdirSync(join(dirname(file), 'backups'));
  const backup = join(dirname(file), 'backups', 'backup.db');
  assert.equal((await runCommandHere(['backup', backup], environmentOf(database))).code, 0);
  return { database, file, backup, before, service, start };
}

const create = (service: ServerProcess) => service.send('/createLicense', { adminSecret: ADMIN_SECRET, ...ORDER });

async function issued(service: ServerProcess, count: number): Promise<readonly string[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => create(service)));
  return answers.map(({ status, body }) => {
    assert.equal(status, 200);
    return body.licenseKey;
  });
}

const verify = async (service: Pick<ServerProcess, 'send'>, licenseKey = '') =>
  (await service.send('/verify', { licenseKey, productId: 'app' })).status;

const readiness = async (service: ServerProcess) =>
  (await service.send('/readyz', undefined, { method: 'GET' })).status;

/** The folders with the saved remains of the earlier database. */
const savedBeside = (file: string) =>
  readdirSync(dirname(file)).filter((name) => name.startsWith('latchkey.db.foreign-write-'));

const linesOf = (service: ServerProcess) => service.log.filter(({ event }) => String(event).startsWith('database.'));

describe('a backup that is copied over the database', {
  skip: process.platform === 'win32' && 'Windows lets nobody write over what SQLite has locked',
}, () => {
  it('ends every acknowledgment, also from memory, and the log says once what to do', async (test) => {
    const { file, backup, before, service } = await served(test);
    for (const key of before) assert.equal(await verify(service, key), 200);
    const later = await issued(service, 30);
    execFileSync('cp', [backup, file]);
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(service)));
    for (const { status } of answers) assert.equal(status, 503);
    for (const key of [...before, ...later]) assert.equal(await verify(service, key), 503);
    assert.equal(await readiness(service), 503);
    const lists = await service.send('/listLicenses', { adminSecret: ADMIN_SECRET });
    assert.equal(lists.status, 503);
    assert.equal(await service.stop(), 0);
    const [said, ...more] = linesOf(service);
    assert.deepEqual([said?.event, more], ['database.overwritten', []]);
    assert.match(String(said?.reason), /another program wrote into .*latchkey\.db: its /);
    assert.match(String(said?.nextStep), /stop the service; .*saved beside the file/);
    const [saved = '', ...others] = savedBeside(file);
    assert.deepEqual(others, []);
    assert.ok(statSync(join(dirname(file), saved, 'latchkey.db-wal')).size > 0);
    assert.ok(!service.log.some(({ status }) => status === 500));
    assert.deepEqual(readFileSync(file), readFileSync(backup), 'the file is as it was copied');
  });

  it('is found by a read that is first, and by the next try of a write where nobody calls', async () => {
    const shared = await freshDatabase('sqlite');
    assert.ok(shared.database.engine === 'sqlite');
    const { file } = shared.database;
    const backup = `${file}.copy`;
    execFileSync('cp', [file, backup]);
    for (const finds of ['read', 'probe']) {
      const probes = { writeProbeIntervalMs: finds === 'probe' ? 20 : 3_600_000 };
      const app = await startApp('sqlite', { LATCHKEY_LOG_LEVEL: 'fatal' }, shared, probes);
      const licenseKey = await app.license();
      execFileSync('cp', [backup, file]);
      if (finds === 'read') assert.equal((await app.send('/verify', { licenseKey, productId: 'app' })).status, 503);
      else while ((await app.send('/readyz', undefined, { method: 'GET' })).status !== 503);
      assert.equal((await app.admin('/createLicense', ORDER)).status, 503);
      await app.stop();
      execFileSync('rm', [`${file}-overwritten`]);
    }
    await shared.remove();
  });

  it('loses at most changes acknowledged between two checks, under load', async (test) => {
    const { file, backup, service } = await served(test);
    let copiedAt = Number.POSITIVE_INFINITY;
    const late: number[] = [];
    let isOver = false;
    const worker = async () => {
      while (!isOver) {
        const askedAt = performance.now();
        const answer = await create(service).catch(() => null);
        if (answer?.status === 200 && askedAt > copiedAt) late.push(askedAt - copiedAt);
      }
    };
    const workers = Array.from({ length: 16 }, worker);
    await new Promise((resolve) => setTimeout(resolve, 200));
    // Not cut short first, as cp does: the system ends a process that reads where there is nothing any more.
    execFileSync('dd', [`if=${backup}`, `of=${file}`, 'conv=notrunc', 'status=none']);
    copiedAt = performance.now();
    for (let asked = 0; asked < 40; asked += 1) await create(service).catch(() => null);
    isOver = true;
    await Promise.all(workers);
    assert.deepEqual(late, [], 'calls that came after the copy were acknowledged');
  });

  it('is refused by the next start until a person removes the note, and restored over by the command restore', async (test) => {
    const { database, file, backup, before, service, start } = await served(test);
    const later = await issued(service, 5);
    execFileSync('cp', [backup, file]);
    assert.equal((await create(service)).status, 503);
    await service.stop();
    await assert.rejects(
      start(),
      /cannot start: .*Another program wrote into .*remove .*latchkey\.db-overwritten to serve/,
    );
    const checked = await runCommandHere(['check'], environmentOf(database));
    assert.equal(checked.code, 1);
    assert.match(checked.err, /Another program wrote into/);

    rmSync(`${file}-overwritten`);
    const asItIs = await start();
    for (const key of before) assert.equal(await verify(asItIs, key), 200);
    for (const key of later) assert.equal(await verify(asItIs, key), 404);
    execFileSync('cp', [backup, file]);
    assert.equal((await create(asItIs)).status, 503);
    await asItIs.stop();
    assert.equal((await runCommandHere(['restore', backup], environmentOf(database))).code, 0);
    const restored = await start();
    for (const key of before) assert.equal(await verify(restored, key), 200);
    assert.ok(!existsSync(`${file}-overwritten`));
  });

  it('after a service was killed: is not mixed with the log that was left, which is kept beside it', async (test) => {
    const { file, backup, before, service, start } = await served(test);
    await issued(service, 200);
    await service.kill();
    const log = readFileSync(`${file}-wal`);
    assert.ok(log.length > 0);
    execFileSync('cp', [backup, file]);
    await assert.rejects(
      start(),
      /cannot start: .*Another program wrote into .*its header is that of another database/,
    );
    await assert.rejects(start(), /cannot start: .*Another program wrote into/, 'a second start serves it no more');
    assert.deepEqual(readFileSync(join(dirname(file), savedBeside(file)[0] ?? '', 'latchkey.db-wal')), log);
    rmSync(`${file}-overwritten`);
    const next = await start();
    for (const key of before) assert.equal(await verify(next, key), 200);
  });

  it('is distinguished from a service that was killed, also while its log was written back', async (test) => {
    const { file, service, start } = await served(test);
    const all = [...(await issued(service, 200))];
    await service.kill();
    const second = await start();
    all.push(...(await issued(second, 50)));
    await second.kill();
    // The state after a process was killed within a checkpoint: pages are in the file, and the log still has them.
    const copy = `${file}-kept`;
    execFileSync('cp', [`${file}-wal`, copy]);
    const other = new DatabaseSync(file);
    other.exec('pragma wal_checkpoint(passive)');
    other.close();
    execFileSync('cp', [copy, `${file}-wal`]);
    const third = await start();
    for (const key of all) assert.equal(await verify(third, key), 200);
    assert.deepEqual(savedBeside(file), []);
  });
});
