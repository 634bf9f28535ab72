/**
 * Breaks the service in small ways, one at a time, and lists the breaks that no test notices:
 *
 *   npm run mutants                                   60 breaks of the service, drawn at random
 *   npm run mutants -- --count 300 --seed 7           more of them, and others
 *   npm run mutants -- packages/server/src/licensing/licenses   of the files at these paths or below
 *   npm run mutants -- --seconds 120                  with more tests for each break
 *
 * Each test file runs once, so that its calls of the code to be broken are known. Then the nearest tests of each break
 * run, and the first failure ends them. All this happens in copies of the tree, so the checkout stays as it is. The
 * same seed draws the same breaks as long as the sources stay.
 */
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { randomOf } from '../packages/server/test/faults/random.ts';
import { type Break, breaksOf, broken } from './breaks.ts';
import { readCalls } from './coverage.ts';
import { explanationOf } from './explained-breaks.ts';
import { opensBrowser, ROOT, testFiles } from './files.ts';
import { type MeasuredTest, nearestTests } from './nearest-tests.ts';
import { type Place, Places } from './places.ts';
import { makeRunFolder, removeRunFolder } from './run-folder.ts';
import { SharedWords } from './shared-words.ts';
import { failureOf } from './test-process.ts';
import { copyTree } from './tree-copy.ts';

const SOURCES = 'packages/{server,client}/src/**/*.ts';
/** Pages for people are not rules, and the tables of the tests are made before the breaks. */
const LEFT_OUT = /\/src\/(reference|storage\/migrations)\//;
/** Lines before and after a break whose words tell of it. */
const LINES_AROUND = 6;

interface Located extends Break {
  /** Below the root. */
  readonly file: string;
}

interface Candidate extends Located {
  /** Indexes of the places that run it. */
  readonly places: readonly number[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '40' },
  },
});
const sources = globSync(SOURCES, { cwd: ROOT }).sort();
const random = randomOf(Number(values.seed));

/** Draws breaks: first the kind, so that each kind is drawn equally often, then the place. */
function draw(): readonly Located[] {
  const isWanted = (file: string) =>
    !LEFT_OUT.test(file) && (positionals.length === 0 || positionals.some((path) => file.startsWith(path)));
  const all = sources
    .filter(isWanted)
    .flatMap((file) => breaksOf(readFileSync(join(ROOT, file), 'utf8')).map((each) => ({ ...each, file })));
  const byKind = Object.values(Object.groupBy(all, ({ kind }) => kind));
  const drawn: Located[] = [];
  while (drawn.length < Number(values.count) && byKind.some(({ length }) => length > 0)) {
    const ofKind = byKind[random(byKind.length)]!;
    if (ofKind.length > 0) drawn.push(...ofKind.splice(random(ofKind.length), 1));
  }
  return drawn;
}

/** Adds the places that run each break to `places`. */
function locate(breaks: readonly Located[]): readonly Candidate[] {
  const all = new Places(sources.map((file) => join(ROOT, file)));
  return breaks.map((each) => {
    const found = all.of({ file: join(ROOT, each.file), start: each.start });
    const first = places.length;
    places.push(...found.map(({ file, start }) => ({ file: relative(ROOT, file), start })));
    return { ...each, places: found.map((_, index) => first + index) };
  });
}

/** Runs each test file with the coverage of V8. Files that fail without a break can notice none. */
async function measure(root: string, files: Iterable<string>, tests: MeasuredTest[]): Promise<void> {
  for (const file of files) {
    const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
    const started = performance.now();
    const failure = await failureOf([file], { root, signal, env: { NODE_V8_COVERAGE: folder } });
    const seconds = (performance.now() - started) / 1000;
    if (signal.aborted) return;
    if (failure === null) tests.push({ file, calls: readCalls(folder, root, places), seconds });
    else console.log(`${file} fails without a break: ${failure}`);
    rmSync(folder, { recursive: true });
  }
}

/** The likeness of tests and the lines around a break. The path counts as one of the lines. */
function likenessTo(source: string, { file, line }: Candidate): (test: string) => number {
  const lines = source.split('\n').slice(Math.max(0, line - 1 - LINES_AROUND), line + LINES_AROUND);
  const part = [file, ...lines].join('\n');
  return (test) => words.likeness(test, part);
}

/** Tries breaks, and prints whether the nearest tests notice them. */
async function tryBreaks(root: string, breaks: Iterable<Candidate>, tests: readonly MeasuredTest[]): Promise<void> {
  for (const each of breaks) {
    const path = join(root, each.file);
    const source = readFileSync(path, 'utf8');
    const explained = explanationOf(each, source);
    if (explained !== undefined) {
      explainedCount += 1;
      show(each, `explained: ${explained}`);
      continue;
    }
    writeFileSync(path, broken(source, each));
    const files = nearestTests(tests, { ...each, likeness: likenessTo(source, each) }, Number(values.seconds));
    const started = performance.now();
    const failure = files.length === 0 ? null : await failureOf(files, { root, signal });
    const seconds = Math.round((performance.now() - started) / 1000);
    writeFileSync(path, source);
    if (signal.aborted) return;
    if (failure === null) survivors.push(`${nameOf(each)} (${files.length} test files)`);
    else noticedCount += 1;
    show(each, `${failure ?? `NOT NOTICED by ${files.length} test files`} (${seconds} s)`);
  }
}

const judgedCount = () => noticedCount + explainedCount + survivors.length;

function show(each: Candidate, outcome: string): void {
  console.log(`${judgedCount()}/${drawn.length} ${nameOf(each)}\n    ${outcome}`);
}

function nameOf({ file, line, start, end, replacement, kind }: Candidate): string {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return `${file}:${line} ${kind}: ${source.slice(start, end)} → ${replacement || 'nothing'}`.replace(/\s+/g, ' ');
}

const interrupted = new AbortController();
const { signal } = interrupted;
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());
const began = Date.now();
const minutes = () => ((Date.now() - began) / 60_000).toFixed(1);
const folder = makeRunFolder();
const place = mkdtempSync(join(tmpdir(), 'latchkey-mutants-'));
chmodSync(place, 0o755);
const places: Place[] = [];
const drawn = locate(draw());
const files = testFiles({ paths: [], isSystem: false }).filter((file) => !opensBrowser(file));
const words = new SharedWords(new Map(files.map((file) => [relative(ROOT, file), readFileSync(file, 'utf8')])));
const survivors: string[] = [];
let noticedCount = 0;
let explainedCount = 0;
process.env.TMPDIR = folder;
process.env.LATCHKEY_TEST_PACKAGES = 'packages/server';
// Imported late, because the fixtures are made in the folder of temporary files.
const { globalSetup, globalTeardown } = await import('./global-setup.ts');
await globalSetup();
try {
  const copies = Array.from({ length: availableParallelism() }, (_, index) => copyTree(join(place, `copy-${index}`)));
  const tests: MeasuredTest[] = [];
  const queue = files.map((file) => relative(ROOT, file)).values();
  await Promise.all(copies.map((copy) => measure(copy, queue, tests)));
  console.log(`${tests.length} test files measured in ${minutes()} minutes`);
  const breaks = drawn.values();
  await Promise.all(copies.map((copy) => tryBreaks(copy, breaks, tests)));
} finally {
  await globalTeardown();
  rmSync(place, { recursive: true, force: true });
  removeRunFolder(folder);
}
console.log(
  `\n${noticedCount} of ${judgedCount()} breaks were noticed, ${explainedCount} are explained, in ${minutes()} minutes. The others:`,
);
for (const each of survivors) console.log(`  ${each}`);
