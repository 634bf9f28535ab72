/**
 * Compares this version with another checkout, whose packages are installed.
 *
 * Both run side by side, each on its own fresh database, at the time of one clock. They get the same random calls, one
 * after the other, and their answers are compared byte for byte, except for generated values, which must correspond
 * from then on. Prints the seed, the differences, and the additions of this version; exits with 1 after a difference
 * that lockstep/declared-differences.ts does not declare.
 *
 * Idempotency keys are sent only where this version heeds them: to endpoints that write, and without `dryRun`.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endpoints } from '../src/app.ts';
import { engines } from '../test/support/databases.ts';
import { readCommandLine, refuseCommandLine } from './command-line.ts';
import { type ComparedService, LentClock, startCompared } from './lockstep/compared-service.ts';
import { readOtherVersion } from './lockstep/other-version.ts';
import { type LockstepReport, type ReportedDifference, runInLockstep } from './lockstep/run.ts';

const USAGE = `Usage: npm run lockstep -- --beside FOLDER [options]

Compares the answers of this version with those of another checkout, whose packages are installed.

  --beside FOLDER   the other checkout
  --engine ENGINE   ${engines.join(' or ')} (sqlite)
  --calls N         the number of random calls (40000)
  --seed N          repeats the calls of an earlier run, which printed it
  --without PATH    an endpoint to leave out, because the other checkout fails there; may be repeated
`;

const { values } = readCommandLine(USAGE, {
  beside: { type: 'string' },
  engine: { type: 'string', default: 'sqlite' },
  calls: { type: 'string', default: '40000' },
  seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  without: { type: 'string', multiple: true, default: [] },
});
const engine = engines.find((each) => each === values.engine);
const [calls, seed] = [Number(values.calls), Number(values.seed)];
const areNumbers = Number.isSafeInteger(calls) && calls > 0 && Number.isSafeInteger(seed) && seed >= 0;
const without = new Set(values.without);
const areEndpoints = without.isSubsetOf(new Set(endpoints.map(({ path }) => path)));
if (values.beside === undefined || engine === undefined || !areNumbers || !areEndpoints)
  refuseCommandLine(
    `--beside is the folder of another checkout, --engine is one of ${engines.join(', ')}, --calls a whole ` +
      'number above 0, --seed a whole number, --without the path of an endpoint',
  );

const say = (line: string) => void process.stdout.write(`${line}\n`);
const beside = resolve(process.env.INIT_CWD ?? '.', values.beside);
const directory = mkdtempSync(join(tmpdir(), 'latchkey-lockstep-'));
const clock = new LentClock(directory);
const started: ComparedService[] = [];
const start = async (folder: string) => {
  const service = await startCompared(folder, engine, clock);
  started.push(service);
  return service;
};
try {
  const services = { here: await start(resolve(import.meta.dirname, '../../..')), beside: await start(beside) };
  say(`${engine}, seed ${seed}, beside ${beside}`);
  const other = readOtherVersion(beside);
  const report = await runInLockstep({ services, clock, other, seed, calls, without, say, tell });
  show(report);
  process.exitCode = report.differing === 0 ? 0 : 1;
} finally {
  await Promise.all(started.map((service) => service.stop()));
  rmSync(directory, { recursive: true });
}

function tell({ number, call, place, here, beside: there, answers }: ReportedDifference): void {
  say(`
call ${number}: ${call}
  at ${place}: ${here} here, ${there} beside
  here:   ${answers.here}
  beside: ${answers.beside}`);
}

function show(report: LockstepReport): void {
  const counted = (heading: string, counts: ReadonlyMap<string, number>) => {
    if (counts.size > 0) say(`\n${heading}`);
    for (const [name, count] of counts) say(`  ${String(count).padStart(6)}  ${name}`);
  };
  counted('Only here:', report.additions);
  counted('Meant to differ:', report.declaredMet);
  const statuses = Object.entries(report.statuses).map(([status, count]) => `${count}x${status}`);
  say(`\n${report.calls} calls: ${statuses.join(', ')}; ${report.agreedLater} reads agreed when sent again`);
  if (report.withoutSuccess.length > 0) say(`Endpoints without a success: ${report.withoutSuccess.join(', ')}`);
  say(report.differing === 0 ? 'Nothing else differs.' : `${report.differing} answers differ.`);
}
