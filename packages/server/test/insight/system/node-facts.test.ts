/** Facts that the node reads from its files, and those it cannot read. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { BELIEVED } from '../../../src/platform/believed-time/believed-time.ts';
import { readConfig } from '../../../src/runtime/config/read-config.ts';
import { type Sizes, watchNode } from '../../../src/runtime/service/node-facts.ts';

const NO_SIZES: Sizes = { fileBytes: null, diskFreeBytes: null, diskTotalBytes: null };

/** Facts about the database in a directory. */
async function databaseIn(dataDirectory: string, look?: (file: string) => Promise<Sizes>) {
  const config = readConfig({ LATCHKEY_DATA_DIR: dataDirectory });
  const subjects = {
    config,
    startedAt: 0,
    countriesBuiltAt: null,
    certificate: () => null,
    clockState: () => BELIEVED,
  };
  return (await watchNode(subjects, look)()).database;
}

describe('facts of the node', () => {
  it('have no sizes of a file that is not there', async () => {
    const directory = join(import.meta.dirname, 'nothing-here');
    const location = join(directory, 'latchkey.db');
    assert.deepEqual(await databaseIn(directory), { engine: 'sqlite', location, ...NO_SIZES });
  });

  it('wait for sizes no longer than a second', async () => {
    const { engine, location, ...sizes } = await databaseIn('/', () => new Promise(() => {}));
    assert.deepEqual(sizes, NO_SIZES);
  });
});
