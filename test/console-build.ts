/** The build of the console that the service under test serves. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './files.ts';

const CONSOLE = join(ROOT, 'packages/console');
/** Written last. */
const BUILT = join(CONSOLE, 'dist/index.html.br');
const SOURCES = ['index.html', 'package.json', 'vite.config.ts', 'scripts/**/*', 'src/**/*', 'public/**/*'];

/**
 * Builds the console again if a source is newer than the build. `npm ci` makes the build, so after a change it would
 * hide the change from every test of a whole service.
 *
 * @throws if the build fails
 */
export function renewConsole(): void {
  if (existsSync(BUILT) && changedMs() <= statSync(BUILT).mtimeMs) return;
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: CONSOLE, stdio: 'inherit' });
  if (status !== 0) throw new Error('the console cannot be built');
}

/** The time of the newest source, in milliseconds since 1970. */
function changedMs(): number {
  return Math.max(...globSync(SOURCES, { cwd: CONSOLE }).map((file) => statSync(join(CONSOLE, file)).mtimeMs));
}
