/**
 * A disk that is full at each step of the commands that write much. A command does all or nothing, leaves the database
 * unchanged if it fails, gives the reason, and succeeds once there is room.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Database } from '../../src/storage/contract/database.ts';
import { environmentOf, runCommandHere } from '../support/command.ts';
import { freshFor, served } from '../support/for-test.ts';
import { processEnvironment } from '../support/process-environment.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { Attempt } from './small-disk.ts';

const NAMESPACE = ['--user', '--map-root-user', '--mount'];
const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', [...NAMESPACE, 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0;
const PROGRAM = fileURLToPath(new URL('./small-disk.ts', import.meta.url));

/** Lines of a batch of an import; and of some batches, so that one may be added and the next one not. */
const BATCH_LINES = 2_000;
const LINES = 4 * BATCH_LINES;

const run = (database: Database, ...args: string[]) => runCommandHere(args, environmentOf(database));

/** A database whose backup lacks a revocation, the backup, and a file of licenses to import. */
async function prepared(test: TestContext) {
  const database = await freshFor(test, 'sqlite');
  const licensesFile = join(temporaryFolder(test), 'licenses.jsonl');
  const line = (index: number) =>
    `${JSON.stringify({ licenseKey: `KEY-NUMBER-${index}`, email: 'ada@example.com', productId: 'app' })}\n`;
  writeFileSync(licensesFile, Array.from({ length: LINES }, (_, index) => line(index)).join(''));
  const backup = join(temporaryFolder(test), 'backup.db');
  await served(database, async (app) => {
    const licenseKey = await app.license();
    assert.equal((await run(database, 'backup', backup)).code, 0);
    app.clock.move(60_000);
    assert.equal((await app.admin('/revokeLicense', { licenseKey })).status, 200);
    await app.license();
  });
  return { data: dirname(database.file), backup, licensesFile };
}

/** Runs a command with more and more room until it succeeds; the last attempt is that one. */
async function attempts(test: TestContext, operation: string, data: string, given = ''): Promise<readonly Attempt[]> {
  const mount = temporaryFolder(test);
  const script = `mount -t tmpfs -o size=64m none ${mount} && exec "$0" "$@"`;
  const program = [process.execPath, PROGRAM, operation, mount, data, given];
  const { stdout } = await promisify(execFile)('unshare', [...NAMESPACE, 'sh', '-c', script, ...program], {
    env: processEnvironment,
    maxBuffer: 1e9,
  });
  const all = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Attempt);
  assert.ok(all.length > 3, 'it needs no room');
  assert.equal(all.at(-1)?.code, 0);
  for (const { room, code, err, again } of all.slice(0, -1)) {
    assert.equal(code, 1, `with ${room} bytes: ${err}`);
    assert.match(err, /\. The disk of \S+ has only \d+ bytes? free\.$/m, `with ${room} bytes`);
    assert.equal(again, 0, `once more, after ${room} bytes`);
  }
  return all;
}

describe('on a disk that is full at any step', {
  skip: !canMount && 'this system lets nobody mount a small file system (unshare)',
}, () => {
  it('a backup is made whole or not at all', async (test) => {
    const { data } = await prepared(test);
    for (const { code, before, after, licenses, licensesAgain } of await attempts(test, 'backup', data)) {
      if (code !== 0) assert.deepEqual(after, before);
      assert.equal(licenses, code === 0 ? 2 : null);
      assert.equal(licensesAgain, 2);
    }
  });

  it('a restore puts the whole backup in place or leaves the database as it was', async (test) => {
    const { data, backup } = await prepared(test);
    for (const { room, code, before, after, licenses, licensesAgain } of await attempts(
      test,
      'restore',
      data,
      backup,
    )) {
      if (code !== 0) assert.deepEqual(after, before, `with ${room} bytes`);
      assert.equal(licenses, code === 0 ? 1 : 2);
      assert.equal(licensesAgain, 1);
    }
  });

  it('an import adds whole batches, and the rest when it is run again', async (test) => {
    const { data, licensesFile } = await prepared(test);
    const seen = new Set<number | null>();
    for (const { code, licenses, licensesAgain } of await attempts(test, 'import', data, licensesFile)) {
      seen.add(licenses);
      assert.equal((licenses! - 2) % BATCH_LINES, 0, `${licenses} licenses`);
      if (code === 0) assert.equal(licenses, LINES + 2);
      assert.equal(licensesAgain, LINES + 2);
    }
    assert.ok(seen.size > 2, 'no attempt ended between two batches');
  });
});
