/**
 * A disk that is really full, and has room again. The file system of the database is a small one in memory, mounted in a
 * namespace of the service's own (`unshare`), which needs no rights where the system lets users make namespaces.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { Ledger } from './ledger.ts';

const NAMESPACE = ['--user', '--map-root-user', '--mount'];
const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', [...NAMESPACE, 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0;

/** Writes until nothing more goes onto the file system of a directory. */
function fill(filler: string, directory: string): void {
  const { bavail, bsize } = statfsSync(directory);
  try {
    writeFileSync(filler, Buffer.alloc(bavail * bsize), { flag: 'a' });
  } catch (error) {
    // The service was quicker with some of it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

describe('a SQLite database', {
  skip: !canMount && 'this system lets nobody mount a small file system (unshare)',
}, () => {
  it('whose disk is full serves reads, and takes writes again once there is room, without a loss', async (test) => {
    const directory = mkdtempSync(join(tmpdir(), 'latchkey-full-'));
    test.after(() => rmSync(directory, { recursive: true, force: true }));
    const mount = `mount -t tmpfs -o size=80m none ${directory} && exec "$0" "$@"`;
    const service: ServerProcess = await startServerProcess(
      { engine: 'sqlite', file: join(directory, 'latchkey.db') },
      { LATCHKEY_DATA_DIR: directory },
      ['main.ts'],
      ['unshare', ...NAMESPACE, 'sh', '-c', mount],
    );
    test.after(() => service.kill());
    // The same directory as the service sees it.
    const inside = `/proc/${service.pid}/root${directory}`;
    const filler = join(inside, 'filler');
    const ledger = new Ledger(() => [service], randomInt);
    const said = () => service.log.map(({ event }) => event).filter((event) => String(event).startsWith('database.'));
    const readiness = async () => (await service.send('/readyz', undefined, { method: 'GET' })).body.writes;

    ledger.start();
    await ledger.untilChanged(40);
    for (let round = 0; round < 2; round += 1) {
      // Again and again, since a log that is written back gives room.
      while (said().length === 2 * round) {
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
    // SQLite cannot open what is in another namespace; nothing writes at the moment.
    const copy = join(mkdtempSync(join(tmpdir(), 'latchkey-full-')), 'latchkey.db');
    test.after(() => rmSync(dirname(copy), { recursive: true, force: true }));
    await ledger.check(() => {
      for (const end of ['', '-wal']) copyFileSync(join(inside, `latchkey.db${end}`), `${copy}${end}`);
      return { engine: 'sqlite', file: copy };
    });
    assert.deepEqual(said(), ['database.away', 'database.back', 'database.away', 'database.back']);
    for (const { event, serves } of service.log) if (event === 'database.away') assert.equal(serves, 'reads');
    assert.equal(await service.stop(), 0);
  });
});
