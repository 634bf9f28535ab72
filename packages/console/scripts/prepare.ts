/** Builds the console after `npm ci`; does nothing if Vite is not installed, as with `--omit=dev`. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

try {
  createRequire(import.meta.url).resolve('vite/package.json');
} catch {
  process.stdout.write('The console is not built: Vite is not installed here.\n');
  process.exit(0);
}
process.exit(spawnSync('npm', ['run', 'build', '--silent'], { stdio: 'inherit', shell: true }).status ?? 1);
