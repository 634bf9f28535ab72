/** An import that is killed leaves complete batches, and can be repeated. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { jitterMs } from '../../src/ground/base/random.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { environmentOf, runCommand } from '../support/command.ts';
import { type Engine, engines, freshDatabase } from '../support/databases.ts';
import { rowOf } from '../support/own-connection.ts';
import { processEnvironment } from '../support/process-environment.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LINES = 20_000;
/** See BATCH_LINES of operations/transfer/import.ts. */
const BATCH = 2_000;
/** Imports that may end before they are killed, because this process was not scheduled in time. */
const MAX_ENDED = 20;

async function count(database: Database, table: string): Promise<number> {
  return Number((await rowOf(database, `select count(*) as rows from ${table}`))?.rows);
}

/** Imports a file, and kills the process at a random number of licenses. Returns the database that it leaves. */
async function killedImport(test: TestContext, engine: Engine, file: string) {
  const program = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
  for (let ended = 0; ended < MAX_ENDED; ended += 1) {
    const { database } = await freshDatabase(engine, test);
    const child = spawn(process.execPath, [program, 'import', file], {
      env: { ...processEnvironment, ...environmentOf(database) },
      stdio: 'ignore',
    });
    const exit = once(child, 'exit');
    const licenses = 1 + jitterMs(LINES - 1);
    while (child.exitCode === null && (await count(database, 'license')) < licenses) await wait(1);
    child.kill('SIGKILL');
    const [code] = await exit;
    const kept = await count(database, 'license');
    if (code === null && kept < LINES) return { database, kept };
  }
  throw new Error(`${MAX_ENDED} imports ended before they were killed`);
}

for (const engine of engines)
  describe(`an import on ${engine} that is killed`, () => {
    it('leaves whole batches, and goes on when it is run again', async (test) => {
      const directory = temporaryFolder(test);
      const file = join(directory, 'licenses.jsonl');
      const line = (index: number) =>
        JSON.stringify({ licenseKey: `key number ${index}`, email: `ada${index}@example.com`, productId: 'app' });
      writeFileSync(file, Array.from({ length: LINES }, (_, index) => `${line(index)}\n`).join(''));
      const { database, kept } = await killedImport(test, engine, file);
      assert.equal(kept % BATCH, 0, `${kept} licenses`);
      assert.equal(await count(database, 'event'), kept);
      const again = await runCommand(['import', file], environmentOf(database));
      assert.equal(again.code, 0, again.err);
      const added = LINES - kept;
      assert.equal(again.out, `Added: license ${added}.\nAlready present: ${kept}. Refused: 0.\n`);
      assert.equal(await count(database, 'license'), LINES);
      assert.equal(await count(database, 'event'), LINES);
    });
  });
