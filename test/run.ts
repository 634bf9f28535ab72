/**
 * Runs tests with node:test, in one run that counts the tests of all packages.
 *
 *   npm test                       every test of every package, except for the next ones
 *   npm run test:system            the long tests of whole processes, *.system.test.ts
 *   npm test -- PATH...            the test files at these paths or below these folders; a system test only by its path
 *   npm run test:system -- PATH... the same for system tests
 *   npm test -- --watch PATH...    the same, again after each change
 *
 * The files of a long run share a few processes, the lanes, because importing the service costs 0.6 CPU-seconds per
 * process. All files of a short run, and the system tests, get a process each. Journeys that waited in vain run once
 * more (second-run.ts).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundlePrograms } from './bundled-programs.ts';
import { renewConsole } from './console-build.ts';
import { isSystemTest, opensBrowser, packageOf, ROOT, testFiles } from './files.ts';
import { filesInTree, makeRunFolder, removeRunFolder } from './run-folder.ts';
import { filesToRepeat, readFailures } from './second-run.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { watch: { type: 'boolean', default: false }, system: { type: 'boolean', default: false } },
});

/** Tests wait for the disk and for PostgreSQL now and then, so there is one process more than there are cores. */
const PROCESSES = Number(process.env.LATCHKEY_TEST_CONCURRENCY ?? availableParallelism() + 1);
/** A browser and its console keep a core each busy, and so do the nodes of a system test. */
const BUSY_PROCESSES = Math.max(1, PROCESSES - 1);
/** A run of fewer files gains nothing from lanes and bundles, and a file alone is easier to debug. */
const LONG_RUN = 20;

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Runs the files, and writes the full report into `logName` at the root.
 *
 * @returns whether all tests passed, and otherwise the files worth a second run
 */
async function run(
  files: readonly string[],
  logName: string,
): Promise<{ readonly hasPassed: boolean; readonly repeat: readonly string[] }> {
  const folder = makeRunFolder();
  const isLong = files.length > LONG_RUN && !values.watch;
  const own = isLong ? files.filter(isSystemTest) : files;
  const queue = join(folder, 'queue');
  const lanes = makeLanes(
    queue,
    files.filter((file) => !own.includes(file)),
  );
  const log = join(ROOT, logName);
  const args = [
    '--test',
    ...(values.watch ? ['--watch'] : []),
    `--import=${here('time-limit.ts')}`,
    `--import=${here('bundled-programs.ts')}`,
    `--test-concurrency=${values.system ? BUSY_PROCESSES : PROCESSES}`,
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
    LATCHKEY_TEST_PACKAGES: [...new Set(files.map(packageOf))].join(','),
    LATCHKEY_TEST_LOG: log,
    LATCHKEY_TEST_FAILURES: join(folder, 'failures.json'),
    // The system tests are of processes as they start for operators, from their sources.
    ...(isLong && !values.system ? await bundlePrograms(join(folder, 'programs')) : {}),
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

/** Runs the files and, if only waits of journeys failed, these journeys once more. Returns whether all passed. */
async function haveAllPassed(files: readonly string[]): Promise<boolean> {
  const first = await run(files, values.system ? 'system.test.log' : 'all.test.log');
  if (first.hasPassed || first.repeat.length === 0) return first.hasPassed;
  const names = first.repeat.map((file) => relative(ROOT, file)).join(', ');
  console.log(`\nOnly waits ran out in ${names}. The second run, by itself:`);
  const second = await run(first.repeat, 'second.test.log');
  if (second.hasPassed) console.log(`\nPassed on the second run only: ${names}`);
  return second.hasPassed;
}

/** Makes a file for node:test for each lane. Its tests are those of the files that the lane takes from the queue. */
function makeLanes(folder: string, files: readonly string[]): string[] {
  mkdirSync(folder);
  if (files.length === 0) return [];
  // Files with a browser come first, because they take long: the short ones fill the lanes evenly at the end.
  const browsing = files.filter(opensBrowser);
  const queue = [...browsing, ...files.filter((file) => !opensBrowser(file))];
  writeFileSync(join(folder, 'queue.json'), JSON.stringify(queue));
  return Array.from({ length: PROCESSES }, (_, index) => {
    const file = join(folder, `lane-${index + 1}.test.ts`);
    const first = index < BUSY_PROCESSES ? 0 : browsing.length;
    writeFileSync(file, `import { runLane } from ${JSON.stringify(here('lane.ts'))};\nawait runLane(${first});\n`);
    return file;
  });
}

/** The files that the command line chooses; ends the process if a path has none. */
function chosenFiles(): readonly string[] {
  try {
    return testFiles({ paths: positionals, isSystem: values.system });
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

const files = chosenFiles();
renewConsole();
const before = filesInTree();
if (!(await haveAllPassed(files))) process.exitCode = 1;
const left = [...filesInTree().difference(before)];
if (left.length > 0) {
  console.error(`The tests left files behind: ${left.join(', ')}. Give them a folder of their own.`);
  process.exitCode = 1;
}
