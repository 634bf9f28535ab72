/** An import that is killed leaves complete batches, and can be repeated. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { jitterMs } from '../../src/base/random.ts';
import { environmentOf, runCommand } from '../support/command.ts';
import { engines, freshDatabase } from '../support/databases.ts';
import { rowOf } from '../support/own-connection.ts';
import { processEnvironment } from '../support/process-environment.ts';

const LINES = 20_000;
/** See BATCH_LINES of transfer/import.ts. */
const BATCH = 2_000;
/** Time in which a few batches are written. */
const LONGEST_MS = 300;

for (const engine of engines)
  describe(`an import on ${engine} that is killed`, () => {
    it('leaves whole batches, and goes on when it is run again', async (test) => {
      const { database, remove } = await freshDatabase(engine);
      test.after(remove);
      const directory = mkdtempSync(join(tmpdir(), 'latchkey-import-'));
      test.after(() => rmSync(directory, { recursive: true }));
      const file = join(directory, 'licenses.jsonl');
      const line = (index: number) =>
        JSON.stringify({ licenseKey: `key number ${index}`, email: `ada${index}@example.com`, productId: 'app' });
      writeFileSync(file, Array.from({ length: LINES }, (_, index) => `${line(index)}\n`).join(''));
      const count = async (table: string) =>
        Number((await rowOf(database, `select count(*) as rows from ${table}`))?.rows);
      const program = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
      const child = spawn(process.execPath, [program, 'import', file], {
        env: { ...processEnvironment, ...environmentOf(database) },
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      while (child.exitCode === null && (await count('license')) === 0) await wait(5);
      await wait(jitterMs(LONGEST_MS));
      child.kill('SIGKILL');
      const [code] = await ended;
      const kept = await count('license');
      test.diagnostic(`ended with ${code} at ${kept} licenses`);
      assert.ok(kept > 0 && kept % BATCH === 0, `${kept} licenses`);
      assert.equal(await count('event'), kept);
      const again = await runCommand(['import', file], environmentOf(database));
      assert.equal(again.code, 0, again.err);
      const added = LINES - kept;
      assert.equal(
        again.out,
        `Added: ${added === 0 ? 'nothing' : `license ${added}`}.\nAlready present: ${kept}. Refused: 0.\n`,
      );
      assert.equal(await count('license'), LINES);
      assert.equal(await count('event'), LINES);
    });
  });
