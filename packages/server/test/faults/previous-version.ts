/** The previous version, from the history of the repository. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../../..');
const PACKAGE = 'packages/server/package.json';

/** As long as no commit has another version than this one, this commit serves as the previous version. */
const COMMIT_BEFORE_THE_FIRST_VERSION = '57f071846b7766b856ef4b1830c984ad2b641aaa';

/** The files of another version. */
export interface OtherVersion {
  readonly commit: string;
  /** The path of its `packages/server`. */
  readonly directory: string;
  /** Removes the files. */
  remove(): void;
}

/** The newest commit of another version; null without a history that has one, for example in a packed copy. */
export function findPreviousCommit(): string | null {
  if (git('rev-parse', '--verify', 'HEAD') === null) return null;
  const version = versionIn(readFileSync(join(ROOT, PACKAGE), 'utf8'));
  const commits = (git('rev-list', 'HEAD', '--', PACKAGE) ?? '').split('\n').filter(Boolean);
  const older = commits.find((commit) => {
    const text = git('show', `${commit}:${PACKAGE}`);
    return text !== null && versionIn(text) !== version;
  });
  const named = git('rev-parse', '--verify', '--quiet', `${COMMIT_BEFORE_THE_FIRST_VERSION}^{commit}`);
  return older ?? named?.trim() ?? null;
}

/** Writes the files of a commit to a temporary directory, to be run with the packages installed here. */
export function unpack(commit: string): OtherVersion {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-previous-'));
  const archive = execFileSync('git', ['archive', '--format=tar', commit], {
    cwd: ROOT,
    maxBuffer: 256 * 1024 * 1024,
  });
  execFileSync('tar', ['-x', '-f', '-', '-C', directory], { input: archive });
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(directory, 'node_modules'));
  return {
    commit,
    directory: join(directory, 'packages/server'),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function git(...args: string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return status === 0 ? stdout : null;
}

function versionIn(text: string): string {
  return (JSON.parse(text) as { version: string }).version;
}
