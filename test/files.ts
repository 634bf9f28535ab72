/** The test files of all packages, the ones that cannot share a process, and the long ones of `npm run test:system`. */
import { existsSync, globSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the workspace. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Every test, in the order in which the packages run. */
const PATTERNS = [
  'packages/server/test/**/*.test.ts',
  'packages/client/test/**/*.test.ts',
  'packages/console/test/**/*.test.ts',
  'bench/test/**/*.test.ts',
  'test/*.test.ts',
];

/** Folders and files whose tests need a process for themselves. */
const OWN_PROCESS: readonly string[] = [
  // Each file holds a browser and a console of its own until it ends.
  'packages/console/test/browser/',
];

const everyFile = () =>
  PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: ROOT }).sort()).map((file) => join(ROOT, file));

/** Files whose tests kill, start or install whole processes, and take long: CONTRIBUTING.md lists their seconds. */
const isSystemTest = (file: string) => file.endsWith('.system.test.ts');

/** Files to choose from: without paths, those of `npm run test:system` or all others. */
export interface Choice {
  /** Relative to the current folder. They choose files of both kinds at or below them. */
  readonly paths: readonly string[];
  readonly isSystem: boolean;
}

/** The chosen test files. */
export function testFiles({ paths, isSystem }: Choice): string[] {
  return paths.length === 0 ? everyFile().filter((file) => isSystemTest(file) === isSystem) : below(paths, everyFile());
}

function below(paths: readonly string[], files: readonly string[]): string[] {
  const wanted = paths.map(found);
  return files.filter((file) =>
    wanted.some((path) => file === path || file.startsWith(path.endsWith(sep) ? path : path + sep)),
  );
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

/** Whether a file's tests need a process for themselves. */
export function needsOwnProcess(file: string): boolean {
  const path = relative(ROOT, file).replaceAll(sep, '/');
  return isSystemTest(file) || OWN_PROCESS.some((each) => path.startsWith(each));
}
