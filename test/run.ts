/**
 * Runs tests with node:test, one package after the other.
 *
 *   npm test                       every test of every package, except for the next ones
 *   npm run test:system            the long tests of whole processes, *.system.test.ts
 *   npm test -- PATH...            the test files of either kind at these paths or below these folders
 *   npm test -- --watch PATH...    the same, again after each change
 *
 * Most files of a long run share a few processes, the lanes, because importing the service costs 0.6 CPU-seconds per
 * process. All files of a short run, and those of OWN_PROCESS (files.ts), get a process each. A failed package does not
 * keep the next ones from their run. Journeys that waited in vain run once more (second-run.ts).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { needsOwnProcess, packageOf, ROOT, testFiles } from './files.ts';
import { filesInTree, makeRunFolder, removeRunFolder } from './run-folder.ts';
import { filesToRepeat, readFailures } from './second-run.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { watch: { type: 'boolean', default: false }, system: { type: 'boolean', default: false } },
});

/** Tests wait for the disk and for PostgreSQL now and then, so there is one process more than there are cores. */
const PROCESSES = Number(process.env.LATCHKEY_TEST_CONCURRENCY ?? availableParallelism() + 1);
/** A run of fewer files gains nothing from lanes, and a file alone is easier to debug. */
const LONG_RUN = 20;

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Runs the files of one package. Returns whether all tests passed, and otherwise the files worth a second run. */
async function runPackage(
  name: string,
  files: readonly string[],
): Promise<{ readonly hasPassed: boolean; readonly repeat: readonly string[] }> {
  const folder = makeRunFolder();
  const queue = join(folder, 'queue');
  mkdirSync(queue);
  // A browser and its console keep a core each busy, and so do the nodes of a system test.
  const isBusy = name === 'packages/console' || values.system;
  const concurrency = isBusy ? Math.max(1, PROCESSES - 1) : PROCESSES;
  const isLong = files.length > LONG_RUN && !values.watch;
  const own = isLong ? files.filter(needsOwnProcess) : files;
  const shared = files.filter((file) => !own.includes(file));
  const lanes = Array.from({ length: shared.length === 0 ? 0 : concurrency }, (_, index) => laneIn(queue, index + 1));
  writeFileSync(join(queue, 'queue.json'), JSON.stringify(shared));
  const log = join(ROOT, `${name.replace('/', '-')}.test.log`);
  const args = [
    '--test',
    ...(values.watch ? ['--watch'] : []),
    `--import=${here('time-limit.ts')}`,
    `--test-concurrency=${concurrency}`,
    `--test-global-setup=${here('global-setup.ts')}`,
    `--test-reporter=${here('reporter.ts')}`,
    '--test-reporter-destination=stdout',
    '--test-reporter=spec',
    `--test-reporter-destination=${log}`,
    ...lanes,
    ...own,
  ];
  const env = {
    ...process.env,
    TMPDIR: folder,
    LATCHKEY_TEST_QUEUE: queue,
    LATCHKEY_TEST_PACKAGE: name,
    LATCHKEY_TEST_LOG: log,
    LATCHKEY_TEST_FAILURES: join(folder, 'failures.json'),
  };
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env });
  const end = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  const [code, signal] = await once(child, 'exit');
  const repeat = filesToRepeat(readFailures(env.LATCHKEY_TEST_FAILURES)).map((file) => join(ROOT, file));
  removeRunFolder(folder);
  // A run that a signal ended is the last one.
  if (signal !== null) process.exit(1);
  return { hasPassed: code === 0, repeat };
}

/** Runs a package and, if it failed by waits of journeys alone, these journeys once more. */
async function hasPassed(name: string, files: readonly string[]): Promise<boolean> {
  const first = await runPackage(name, files);
  if (first.hasPassed || first.repeat.length === 0) return first.hasPassed;
  const names = first.repeat.map((file) => relative(ROOT, file)).join(', ');
  console.log(`\nOnly waits ran out in ${names}. The second run, by itself:`);
  const second = await runPackage(name, first.repeat);
  if (second.hasPassed) console.log(`\nPassed on the second run only: ${names}`);
  return second.hasPassed;
}

/** Makes a file for node:test whose tests are those of the files that the lane takes from the queue. */
function laneIn(folder: string, number: number): string {
  const file = join(folder, `lane-${number}.test.ts`);
  writeFileSync(file, `import { runLane } from ${JSON.stringify(here('lane.ts'))};\nawait runLane();\n`);
  return file;
}

const asked = Map.groupBy(testFiles({ paths: positionals, isSystem: values.system }), packageOf);
if (asked.size === 0) {
  console.error(`no test file matches ${positionals.join(' ')}`);
  process.exit(2);
}
for (const [name, files] of asked) {
  const before = filesInTree();
  if (!(await hasPassed(name, files))) process.exitCode = 1;
  const left = [...filesInTree().difference(before)];
  if (left.length === 0) continue;
  console.error(`The tests of ${name} left files behind: ${left.join(', ')}. Give them a folder of their own.`);
  process.exitCode = 1;
}
