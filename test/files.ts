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
  'packages/console/test/**/*.test.ts',
  'test/*.test.ts',
];

/** Its files keep a browser busy beside their own process. */
const BROWSER_TESTS = 'packages/console/test/browser/';

const everyFile = () =>
  PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: ROOT }).sort()).map((file) => join(ROOT, file));

/** Files whose tests kill, start or install whole processes, and take long: CONTRIBUTING.md lists their seconds. */
export const isSystemTest = (file: string) => file.endsWith('.system.test.ts');

/** Files to choose from: without paths, those of `npm run test:system` or all others. */
export interface Choice {
  /** Relative to the current folder. They choose files of both kinds at or below them. */
  readonly paths: readonly string[];
  readonly isSystem: boolean;
}

/**
 * The chosen test files.
 *
 * @throws an error that names a path without tests: a mistyped path must not shrink the run without a word
 */
export function testFiles({ paths, isSystem }: Choice): string[] {
  const files = everyFile();
  if (paths.length === 0) return files.filter((file) => isSystemTest(file) === isSystem);
  const chosen = new Set(paths.flatMap((path) => below(path, files)));
  return files.filter((file) => chosen.has(file));
}

function below(given: string, files: readonly string[]): string[] {
  const path = found(given);
  const folder = path.endsWith(sep) ? path : path + sep;
  const chosen = files.filter((file) => file === path || file.startsWith(folder));
  if (chosen.length === 0) throw new Error(`no test file matches ${given}`);
  return chosen;
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
