/** The number of connections that a machine has room for. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { processEnvironment } from '../support/process-environment.ts';

const MODULE = join(import.meta.dirname, '../../src/http/connection-room.ts');

/** The number of connections for a process that may open `files` files, if `asked` are configured. */
async function roomOf(files: number, asked: number): Promise<number> {
  const program = `import { connectionRoom } from ${JSON.stringify(MODULE)}; console.log(connectionRoom(${asked}))`;
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
});
