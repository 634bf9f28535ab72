/** A copy of the tree with its packages, for tests that run in another folder or with changed sources. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { ROOT } from './files.ts';

/** Both packages and browsers are started in the folder, so every user must be able to enter it. */
const ENTERED_BY_ALL = 0o755;

/**
 * Copies the files of the tree that git does not ignore, the packages, and the console that `npm ci` has built.
 *
 * @param folder must not exist, but its parent must
 * @param user the number of the owner of the copy; the current user by default
 * @returns the folder
 */
export function copyTree(folder: string, user?: number): string {
  mkdirSync(folder, ENTERED_BY_ALL);
  const shell = (script: string) => execFileSync('sh', ['-c', script, 'sh', folder], { cwd: ROOT, stdio: 'inherit' });
  shell('git ls-files -co --exclude-standard -z | xargs -0 cp --parents -a -t "$1"');
  shell('cp --parents -a packages/console/dist "$1"');
  // Links to the files of packages are enough where the file system allows them. The owner of a file stays.
  shell('cp -al node_modules "$1" 2>&- || cp -a node_modules "$1"');
  const isOwn = '-type d -o -not -path "$1/node_modules/*"';
  if (user !== undefined) shell(`find "$1" \\( ${isOwn} \\) -exec chown -h ${user}:${user} {} +`);
  return folder;
}
