/**
 * Breaks the service in small ways, one at a time, and lists the breaks that no test notices:
 *
 *   npm run mutants                                   60 breaks of the service, drawn at random
 *   npm run mutants -- --count 300 --seed 7           more of them, and others
 *   npm run mutants -- packages/server/src/licenses   of the files at these paths or below
 *   npm run mutants -- --files 30                     with more test files for each break
 *
 * The breaks are made in a copy of the tree, so the checkout stays as it is. The nearest tests run first, and the first
 * failure ends them. The same seed draws the same breaks as long as the sources stay.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomOf } from '../packages/server/test/faults/random.ts';
import { type Break, breaksOf, broken } from './breaks.ts';
import { ROOT } from './files.ts';
import { NearestTests } from './nearest-tests.ts';
import { makeRunFolder, removeRunFolder } from './run-folder.ts';
import { copyTree } from './tree-copy.ts';

const SOURCES = 'packages/{server,client}/src/**/*.ts';
/** Pages for people are not rules, and the tables of the tests are made before the breaks. */
const LEFT_OUT = /\/src\/(reference|storage\/migrations)\//;
/** A break that makes a test wait for ever is noticed. */
const FILE_LIMIT_MS = 120_000;

interface Candidate extends Break {
  /** Below the root. */
  readonly file: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    files: { type: 'string', default: '12' },
  },
});
/** Ends the tests that are running. */
let endTests: () => unknown = () => {};
const sources = globSync(SOURCES, { cwd: ROOT }).sort();
const random = randomOf(Number(values.seed));

/** Draws breaks: first the kind, so that each kind is drawn equally often, then the place. */
function draw(): readonly Candidate[] {
  const isWanted = (file: string) =>
    !LEFT_OUT.test(file) && (positionals.length === 0 || positionals.some((path) => file.startsWith(path)));
  const all = sources
    .filter(isWanted)
    .flatMap((file) => breaksOf(readFileSync(join(ROOT, file), 'utf8')).map((each) => ({ ...each, file })));
  const byKind = Object.values(Object.groupBy(all, ({ kind }) => kind));
  const drawn: Candidate[] = [];
  while (drawn.length < Number(values.count) && byKind.some(({ length }) => length > 0)) {
    const ofKind = byKind[random(byKind.length)]!;
    if (ofKind.length > 0) drawn.push(...ofKind.splice(random(ofKind.length), 1));
  }
  return drawn;
}

/** Runs a test file of the copy until its first failure. Returns the failure; null if all its tests passed. */
async function failureOf(copy: string, file: string): Promise<string | null> {
  const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const args = ['--test', `--import=${here('time-limit.ts')}`, `--test-reporter=${join(copy, 'test/reporter.ts')}`];
  const env = { ...process.env, LATCHKEY_TEST_FILE_LIMIT_MS: String(FILE_LIMIT_MS) };
  const child = spawn(process.execPath, [...args, join(copy, file)], {
    ...{ cwd: copy, env, detached: true },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // The whole group, so that no service of the test stays.
  const end = () => child.exitCode === null && process.kill(-child.pid!, 'SIGKILL');
  endTests = end;
  let said = '';
  let failure: string | null = null;
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    failure ??= /^✖ (.*)$/m.exec(said)?.[1] ?? null;
    if (failure !== null) end();
  });
  const [code] = await once(child, 'close');
  return failure ?? (code === 0 ? null : `${file} ended with ${code}`);
}

/** The first failure of the nearest tests; null if they do not notice the break. */
async function noticed(copy: string, each: Candidate, nearest: NearestTests): Promise<string | null> {
  const path = join(copy, each.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, broken(source, each));
  try {
    for (const file of nearest.of(join(ROOT, each.file), each.start, Number(values.files))) {
      const failure = await failureOf(copy, relative(ROOT, file));
      if (failure !== null) return failure;
    }
    return null;
  } finally {
    writeFileSync(path, source);
  }
}

function shown({ file, line, start, end, replacement, kind }: Candidate): string {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return `${file}:${line} ${kind}: ${source.slice(start, end)} → ${replacement || 'nothing'}`.replace(/\s+/g, ' ');
}

const folder = makeRunFolder();
const place = mkdtempSync(join(tmpdir(), 'latchkey-mutants-'));
chmodSync(place, 0o755);
const survivors: string[] = [];
let made = 0;
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    isInterrupted = true;
    endTests();
  });
const drawn = draw();
process.env.TMPDIR = folder;
process.env.LATCHKEY_TEST_PACKAGES = 'packages/server';
// Imported late, because the fixtures are made in the folder of temporary files.
const { globalSetup, globalTeardown } = await import('./global-setup.ts');
await globalSetup();
try {
  const copy = copyTree(join(place, 'latchkey'));
  const nearest = new NearestTests(sources.map((file) => join(ROOT, file)));
  for (const each of drawn) {
    const failure = await noticed(copy, each, nearest);
    if (isInterrupted) break;
    made += 1;
    if (failure === null) survivors.push(shown(each));
    console.log(`${made}/${drawn.length} ${shown(each)}\n    ${failure ?? 'NOT NOTICED'}`);
  }
} finally {
  await globalTeardown();
  rmSync(place, { recursive: true, force: true });
  removeRunFolder(folder);
}
console.log(`\n${made - survivors.length} of ${made} breaks were noticed. The others:`);
for (const each of survivors) console.log(`  ${each}`);
