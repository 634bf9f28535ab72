/** A copy that is killed at any moment can be resumed, and ends with the data of the source. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tables } from '../../src/app.ts';
import { jitterMs } from '../../src/ground/base/random.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { isCopied } from '../../src/storage/contract/table.ts';
import { allRows, putRows } from '../support/all-rows.ts';
import { nameOf, runCommand } from '../support/command.ts';
import { emptyDatabase, engines } from '../support/databases.ts';
import { freshFor } from '../support/for-test.ts';
import { rowOf } from '../support/own-connection.ts';
import { processEnvironment } from '../support/process-environment.ts';

const OWN = tables.filter((table) => !isCopied(table)).map(({ name }) => name);
/** A copy writes them in more than 20 pages. */
const ROWS = 40_000;
const KILLS = 3;
/** Copies that may end before they are killed, because this process was not scheduled in time. */
const MAX_ENDED = 20;

/** The target's own record of its rows; null without one. */
async function recorded(target: Database): Promise<number | null> {
  const row = await rowOf(target, 'select progress from database_copy').catch(() => null);
  if (row === null) return null;
  const progress = JSON.parse(String(row.progress)) as Record<string, { rows: number }>;
  return Object.values(progress).reduce((sum, { rows }) => sum + rows, 0);
}

/** Starts a copy, and kills it once it has written `rows`. Returns whether it was still working. */
async function kill(args: readonly string[], target: Database, rows: number): Promise<boolean> {
  const program = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { env: processEnvironment, stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (child.exitCode === null && ((await recorded(target)) ?? 0) < rows) await wait(1);
  child.kill('SIGKILL');
  const [code] = await ended;
  return code === null;
}

for (const from of engines)
  for (const to of engines.filter((each) => each !== from))
    describe(`a copy from ${from} to ${to} that is killed`, () => {
      it(`goes on ${KILLS} times and has every row once`, async (test) => {
        const source = await freshFor(test, from);
        const rows = Array.from({ length: ROWS }, (_, index) => [`address ${index}`, '[]', '2027-01-01']);
        await putRows(source, { rate: rows });
        let target = await emptyDatabase(to);
        test.after(() => target.remove());
        const args = () => ['copy', '--from', nameOf(source), '--to', nameOf(target.database)];
        let before = 0;
        let killed = 0;
        for (let ended = 0; killed < KILLS; ) {
          const working = await kill(args(), target.database, before + 1 + jitterMs(ROWS - before - 1));
          const now = (await recorded(target.database))!;
          assert.ok(now >= before, 'what was written stays');
          if (working && now < ROWS) {
            killed += 1;
            before = now;
          } else {
            ended += 1;
            assert.ok(ended <= MAX_ENDED, `${ended} copies ended before they were killed`);
            await target.remove();
            target = await emptyDatabase(to);
            before = 0;
          }
        }
        test.diagnostic(`killed ${killed} times, at ${before} rows at last`);
        const { code, err } = await runCommand(args());
        assert.equal(code, 0, err);
        assert.deepEqual(await allRows(target.database, OWN), await allRows(source, OWN));
      });
    });
