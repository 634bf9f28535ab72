/**
 * Shows the way of one call through the code. Starts a service, sends the example of the endpoint from the reference,
 * and prints the files and functions that ran, by thread and room.
 *
 * V8 counts the functions; files of packages are left out. The timers of the service rest.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { endpointsByPath } from '../src/app.ts';
import { systemClock } from '../src/ground/base/clock.ts';
import { ExampleRun } from '../test/runtime/reference/example-run.ts';
import { ADMIN_SECRET } from '../test/support/app.ts';
import { engines, freshDatabase } from '../test/support/databases.ts';
import { startServerProcess } from '../test/support/server-process.ts';
import { readCommandLine, refuseCommandLine } from './command-line.ts';

/** Time for work after the answer, such as counting the call. */
const AFTERWARDS_MS = 50;

const USAGE = `Usage: npm run way -- /ENDPOINT [options]

Prints the files and functions that one call runs, by thread and folder. The call is the example in the reference.

  --engine ENGINE   ${engines.join(' or ')} (sqlite)
`;

const { values, positionals } = readCommandLine(USAGE, { engine: { type: 'string', default: 'sqlite' } }, 1);
const endpoint = endpointsByPath.get(positionals[0] as `/${string}`);
const engine = engines.find((each) => each === values.engine);
if (endpoint === undefined || engine === undefined)
  refuseCommandLine(`Name one endpoint, such as /validate; --engine is one of ${engines.join(', ')}`);

interface ThreadCount {
  /** The thread's role. */
  readonly name: string;
  readonly scripts: readonly Profiler.ScriptCoverage[];
}

const SOURCES = pathToFileURL(join(import.meta.dirname, '../src/')).href;
const folder = mkdtempSync(join(tmpdir(), 'latchkey-way-'));
const fresh = await freshDatabase(engine);
const service = await startServerProcess(
  fresh.database,
  {
    NODE_OPTIONS: `--import=${new URL('./way-thread.ts', import.meta.url).href}`,
    WAY_FOLDER: folder,
    LATCHKEY_LOG_LEVEL: 'info',
  },
  [new URL('./way-service.ts', import.meta.url).pathname],
);

/** The functions that each thread ran since the last count. */
let counted = 0;
async function takeCount(): Promise<readonly ThreadCount[]> {
  counted += 1;
  process.kill(service.pid, 'SIGUSR2');
  const threads = readdirSync(folder).flatMap((name) => /^thread-(\d+)$/.exec(name)?.[1] ?? []);
  const files = threads.map((thread) => join(folder, `${counted}-${thread}.json`));
  while (!files.every((file) => existsSync(file))) await wait(5);
  return files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
}

try {
  const run = new ExampleRun({
    send: service.send,
    admin: (path, body = {}) => service.send(path, { adminSecret: ADMIN_SECRET, ...body }),
    clock: { now: systemClock },
  });
  await run.prepare(endpoint);
  // Calls that may be repeated are shown as they run once everything is loaded.
  if (endpoint.work.kind !== 'write') await run.call(endpoint, endpoint.methods[0]!);
  await wait(AFTERWARDS_MS);
  await takeCount();
  const answer = await run.call(endpoint, endpoint.methods[0]!);
  await wait(AFTERWARDS_MS);
  const threads = await takeCount();
  process.stdout.write(`${endpoint.path} on ${engine}: ${answer.status}\n`);
  const files = new Set<string>();
  for (const { name, scripts } of threads) show(name, scripts, files);
  process.stdout.write(`\n${files.size} files\n`);
} finally {
  await service.stop();
  await fresh.remove();
  rmSync(folder, { recursive: true });
}

/** Prints the functions of one thread and adds their files to `files`. */
function show(thread: string, scripts: readonly Profiler.ScriptCoverage[], files: Set<string>): void {
  const ran = scripts
    .filter(({ url }) => url.startsWith(SOURCES))
    .map(({ url, functions }) => ({ file: url.slice(SOURCES.length), names: namesOf(functions) }))
    .filter(({ names }) => names.length > 0);
  if (ran.length === 0) return;
  process.stdout.write(`\n${thread}\n`);
  for (const [room, those] of Map.groupBy(ran, ({ file }) => roomOf(file))) {
    process.stdout.write(`  ${room}\n`);
    for (const { file, names } of those) {
      files.add(file);
      process.stdout.write(`    ${basename(file)}: ${names.join(', ')}\n`);
    }
  }
}

/** The folder of a file below src. */
function roomOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '.';
}

/** The names of the functions that ran; all without a name count as one. */
function namesOf(functions: readonly Profiler.FunctionCoverage[]): readonly string[] {
  const names = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName);
  return [...new Set(names.map((name) => (name === '' ? 'a function without a name' : name)))];
}
