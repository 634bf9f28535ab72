/** The test files of all packages, the ones with a browser, and the long ones of `npm run test:system`. */
import { existsSync, globSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the workspace. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Every test. The lanes take long files first, so that they end together: those of the bench take the longest. */
const PATTERNS = [
  'bench/test/**/*.test.ts',
  'packages/server/test/**/*.test.ts',
  'packages/client/test/**/*.test.ts',
  'clients/conformance/test/*.test.ts',
  'packages/console/test/**/*.test.ts',
  'test/*.test.ts',
];

/** Its files keep a browser busy beside their own process. */
const BROWSER_TESTS = 'packages/console/test/browser/';

const everyFile = () =>
  PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: ROOT }).sort()).map((file) => join(ROOT, file));

/** Files whose tests kill, start or install whole processes, and take long: CONTRIBUTING.md lists their seconds. */
export const isSystemTest = (file: string) => file.endsWith('.system.test.ts');

/** Files to run: those of one kind, and files of either kind that are named. */
export interface Choice {
  /** Files, and folders whose files of that kind run. Relative to the current folder; without any, all files. */
  readonly paths: readonly string[];
  /** The kind: those of `npm run test:system`, or all others. */
  readonly isSystem: boolean;
}

/**
 * The chosen test files.
 *
 * @throws an error that names a path without tests: a mistyped path must not shrink the run without a word
 */
export function testFiles({ paths, isSystem }: Choice): string[] {
  const files = everyFile();
  const ofKind = files.filter((file) => isSystemTest(file) === isSystem);
  if (paths.length === 0) return ofKind;
  const chosen = new Set(paths.flatMap((path) => filesAt(path, ofKind, files)));
  return files.filter((file) => chosen.has(file));
}

function filesAt(given: string, ofKind: readonly string[], all: readonly string[]): readonly string[] {
  const path = found(given);
  if (all.includes(path)) return [path];
  const isBelow = (file: string) => file.startsWith(path.endsWith(sep) ? path : path + sep);
  const below = ofKind.filter(isBelow);
  if (below.length > 0) return below;
  const other = all.find(isBelow);
  if (other === undefined) throw new Error(`no test file matches ${given}`);
  const command = isSystemTest(other) ? 'npm run test:system' : 'npm test';
  throw new Error(`no test file matches ${given}, but ${command} -- ${given} has some`);
}

/** A path as the person at the terminal means it: below the folder that npm was called in, or below the root. */
function found(path: string): string {
  const called = resolve(process.env.INIT_CWD ?? process.cwd(), path);
  return existsSync(called) ? called : resolve(ROOT, path);
}

/** The folder of a file's package: `packages/server`, `bench`. */
export function packageOf(file: string): string {
  const [first = '', second = ''] = relative(ROOT, file).split(sep);
  return first === 'packages' ? `${first}/${second}` : first;
}

/** Whether a file's tests keep a browser busy. */
export function opensBrowser(file: string): boolean {
  return relative(ROOT, file).replaceAll(sep, '/').startsWith(BROWSER_TESTS);
}
