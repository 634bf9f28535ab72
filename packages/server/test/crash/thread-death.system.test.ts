/**
 * A thread beside the main one may end because of a bug. Then nothing can be written, or no lists can be read, so the
 * process must end, too, and a supervisor restarts it.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ADMIN_SECRET } from '../support/app.ts';
import { freshFor } from '../support/for-test.ts';
import { startServerProcess } from '../support/server-process.ts';

/** Runs first in each thread of the service; ends one of them once a file exists. */
const SABOTAGE = `
  import { existsSync } from 'node:fs';
  import { workerData } from 'node:worker_threads';
  const end = () => {
    if (existsSync(process.env.LATCHKEY_TEST_END_THREAD)) HOW;
  };
  if (workerData?.role === 'ROLE') setInterval(end, 10).unref();
`;

for (const role of ['writer', 'reader'] as const)
  for (const [name, how] of [
    ['throws what nobody catches', "throw new Error('the sabotage of the test')"],
    ['ends by itself', 'process.exit(0)'],
  ] as const)
    describe(`a ${role} thread that ${name}`, () => {
      it('ends the process with status 1, which says so first', async (test) => {
        const database = await freshFor(test, 'sqlite');
        const directory = dirname(database.file);
        const [sabotage, signal] = [join(directory, 'sabotage.mjs'), join(directory, 'end')];
        await writeFile(sabotage, SABOTAGE.replace('HOW', how).replace('ROLE', role));
        const service = await startServerProcess(database, {
          LATCHKEY_DATA_DIR: directory,
          LATCHKEY_TEST_END_THREAD: signal,
          NODE_OPTIONS: `--import=${pathToFileURL(sabotage).href}`,
        });
        const caller = { adminSecret: ADMIN_SECRET };
        const order = { ...caller, email: 'ada@example.com', productId: 'app' };
        assert.equal((await service.send('/createLicense', order)).status, 200);
        assert.equal((await service.send('/listLicenses', caller)).status, 200);
        await writeFile(signal, '');
        assert.equal(await service.ended, 1);
        const deaths = service.log.map(({ event }) => String(event)).filter((event) => event.endsWith('.died'));
        assert.deepEqual(deaths, [`${role}.died`]);
      });
    });
