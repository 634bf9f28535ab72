/** The number of connections that a machine has room for. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { processEnvironment } from '../../support/process-environment.ts';

const MODULE = join(import.meta.dirname, '../../../src/runtime/http/connection-room.ts');

/**
 * The number of connections for a process that may open `files` files, if `asked` are configured.
 *
 * @param memory bytes of the container; only an administrator can set a real limit
 */
async function roomOf(files: number, asked: number | null, memory = 0): Promise<number> {
  const program = `import { connectionRoom } from ${JSON.stringify(MODULE)};
    if (${memory} > 0) process.constrainedMemory = () => ${memory};
    console.log(connectionRoom(${asked}))`;
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', `ulimit -n ${files} && exec "$0" --input-type=module --eval "$1"`, process.execPath, program],
    { env: processEnvironment },
  );
  return Number(stdout);
}

const isWindows = process.platform === 'win32' && 'Windows has no limit of open files';

describe('the room for connections', { skip: isWindows }, () => {
  it('is the number of open files less 500, at least 100, and at most the number that is asked for', async () => {
    assert.equal(await roomOf(1_000, 1_000_000), 500);
    assert.equal(await roomOf(550, 1_000_000), 100);
    assert.equal(await roomOf(1_000, 7), 7);
  });

  it('is what half of the memory of its container holds at 128 KiB each, at least 100, unless a number is asked for', async () => {
    assert.equal(await roomOf(1_000, null, 300 * 256 * 1024), 300);
    assert.equal(await roomOf(1_000, null, 300 * 256 * 1024 - 1), 299);
    assert.equal(await roomOf(1_000, null, 50 * 256 * 1024), 100);
    assert.equal(await roomOf(1_000, 400, 300 * 256 * 1024), 400);
  });
});
