/** A fresh checkout, with the installed packages, for tests that start the service as its readers do. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './page-commands.ts';

/** Copies the files of the tree that git does not ignore, and links the packages. @param root may be absent */
export function makeCheckout(root: string): void {
  mkdirSync(root, { recursive: true });
  const copy = 'git ls-files -co --exclude-standard -z | xargs -0 cp --parents -t "$1"';
  execFileSync('sh', ['-c', copy, 'sh', root], { cwd: ROOT });
  linkModules(root);
}

/** Links to the installed packages; those of the workspace are the ones of the copy. */
function linkModules(root: string): void {
  const installed = join(ROOT, 'node_modules');
  const modules = join(root, 'node_modules');
  mkdirSync(join(modules, '@latchkey'), { recursive: true });
  for (const name of readdirSync(installed))
    if (name !== '@latchkey' && name !== '.package-lock.json') symlinkSync(join(installed, name), join(modules, name));
  const members = { bench: 'bench', client: 'packages/client', console: 'packages/console', server: 'packages/server' };
  for (const [name, folder] of Object.entries(members))
    symlinkSync(join('../..', folder), join(modules, '@latchkey', name));
}
