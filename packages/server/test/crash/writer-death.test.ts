/** The thread that writes SQLite may die of a bug; then nobody writes, and the process must not go on as if somebody did. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ADMIN_SECRET } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { startServerProcess } from '../support/server-process.ts';

/** Runs first in each thread of the service; in threads but the main one it ends the thread once a file is there. */
const SABOTAGE = `
  import { existsSync } from 'node:fs';
  import { isMainThread } from 'node:worker_threads';
  const end = () => {
    if (existsSync(process.env.LATCHKEY_TEST_END_THREADS)) HOW;
  };
  if (!isMainThread) setInterval(end, 10).unref();
`;

for (const [name, how] of [
  ['throws what nobody catches', "throw new Error('the sabotage of the test')"],
  ['ends by itself', 'process.exit(0)'],
] as const)
  describe(`a writer thread that ${name}`, () => {
    it('ends the process with status 1, which says so first', async (test) => {
      const { database, remove } = await freshDatabase('sqlite');
      test.after(remove);
      assert.ok(database.engine === 'sqlite');
      const directory = dirname(database.file);
      const [sabotage, signal] = [join(directory, 'sabotage.mjs'), join(directory, 'end')];
      await writeFile(sabotage, SABOTAGE.replace('HOW', how));
      const service = await startServerProcess(database, {
        LATCHKEY_DATA_DIR: directory,
        LATCHKEY_TEST_END_THREADS: signal,
        NODE_OPTIONS: `--import=${pathToFileURL(sabotage).href}`,
      });
      const order = { adminSecret: ADMIN_SECRET, email: 'ada@example.com', productId: 'app' };
      assert.equal((await service.send('/createLicense', order)).status, 200);
      await writeFile(signal, '');
      assert.equal(await service.ended, 1);
      assert.ok(service.log.some(({ event }) => event === 'writer.died'));
    });
  });
