/** A copy that is killed at any moment can be resumed, and ends with the data of the source. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tables } from '../../src/app.ts';
import { jitterMs } from '../../src/base/random.ts';
import type { Database } from '../../src/storage/open.ts';
import { isCopied } from '../../src/storage/table.ts';
import { allRows, putRows } from '../support/all-rows.ts';
import { runCommand } from '../support/command.ts';
import { emptyDatabase, engines, freshDatabase } from '../support/databases.ts';
import { rowOf } from '../support/own-connection.ts';
import { processEnvironment } from '../support/process-environment.ts';

const OWN = tables.filter((table) => !isCopied(table)).map(({ name }) => name);
/** Enough that a copy takes a while on any machine. */
const ROWS = 40_000;
const KILLS = 3;
/** Time in which a copy has read and written a few pages. */
const LONGEST_MS = 300;

const named = (database: Database) => (database.engine === 'sqlite' ? database.file : database.url);

/** The target's own record of its rows; null without one. */
async function recorded(target: Database): Promise<number | null> {
  const row = await rowOf(target, 'select progress from database_copy').catch(() => null);
  if (row === null) return null;
  const progress = JSON.parse(String(row.progress)) as Record<string, { rows: number }>;
  return Object.values(progress).reduce((sum, { rows }) => sum + rows, 0);
}

/** Starts a copy, and kills it a random time after its first write. Returns whether it was still working. */
async function kill(args: readonly string[], target: Database, before: number | null): Promise<boolean> {
  const program = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { env: processEnvironment, stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (child.exitCode === null && (await recorded(target)) === before) await wait(5);
  await wait(jitterMs(LONGEST_MS));
  child.kill('SIGKILL');
  const [code] = await ended;
  return code === null;
}

for (const from of engines)
  for (const to of engines.filter((each) => each !== from))
    describe(`a copy from ${from} to ${to} that is killed`, () => {
      it(`goes on ${KILLS} times and has every row once`, async (test) => {
        const source = await freshDatabase(from);
        test.after(source.remove);
        const target = await emptyDatabase(to);
        test.after(target.remove);
        const rows = Array.from({ length: ROWS }, (_, index) => [`address ${index}`, '[]', '2027-01-01']);
        await putRows(source.database, { redemption_attempts: rows });
        const args = ['copy', '--from', named(source.database), '--to', named(target.database)];
        let before: number | null = null;
        let killed = 0;
        for (let round = 0; round < KILLS; round += 1) {
          if (await kill(args, target.database, before)) killed += 1;
          const now = await recorded(target.database);
          assert.ok(now !== null && now >= (before ?? 0), 'what was written stays');
          before = now;
        }
        test.diagnostic(`killed ${killed} times, at ${before} rows at last`);
        assert.ok(killed > 0);
        const { completed } = (await rowOf(
          target.database,
          'select count(completed_at) as completed from database_copy',
        ))!;
        if (Number(completed) === 0) {
          const { code, err } = await runCommand(args);
          assert.equal(code, 0, err);
        }
        assert.deepEqual(await allRows(target.database, OWN), await allRows(source.database, OWN));
      });
    });
