/** The data directory is created together with its parents, or the start fails at once with the reason. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../../../src/runtime/config/config.ts';
import { accessWarnings, dataDirectoryFault, makeDataDirectory } from '../../../src/runtime/config/data-directory.ts';
import { processEnvironment } from '../../support/process-environment.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));
/** Far longer than a failing start takes, far shorter than forever. */
const PATIENCE_MS = 60_000;

function run(args: readonly string[], directory: string): Promise<{ code: number | null; stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...processEnvironment, PORT: '0', LATCHKEY_DATA_DIR: directory };
    const child = execFile(
      process.execPath,
      args,
      { env, timeout: PATIENCE_MS, killSignal: 'SIGKILL' },
      (_error, _stdout, stderr) => resolve({ code: child.exitCode, stderr }),
    );
  });
}

describe('the data directory', () => {
  it('is made for its owner alone, with all directories that lead to it', (test) => {
    const root = temporaryFolder(test);
    const directory = join(root, 'one', 'two', 'three');
    assert.equal(dataDirectoryFault(directory), null);
    assert.deepEqual(readdirSync(root), [], 'looking made something');
    assert.deepEqual(makeDataDirectory(directory), []);
    for (const each of [join(root, 'one'), directory]) assert.equal(statSync(each).mode & 0o777, 0o700);
    assert.deepEqual(makeDataDirectory(directory), [], 'the second time');
    assert.equal(dataDirectoryFault(directory), null);
    assert.deepEqual(readdirSync(directory), [], 'looking made something');
  });

  it('is made also if a directory that leads to it appears meanwhile', (test) => {
    // Both names of one directory are missing at first, and making the first makes the second.
    const directory = `${join(temporaryFolder(test), 'one')}/./two`;
    assert.deepEqual(makeDataDirectory(directory), []);
    assert.equal(statSync(directory).mode & 0o777, 0o700);
  });

  it('cannot be made below a file, nor at a symbolic link that leads nowhere', (test) => {
    const root = temporaryFolder(test);
    writeFileSync(join(root, 'file'), '');
    symlinkSync(join(root, 'nowhere', 'at', 'all'), join(root, 'link'));
    for (const directory of [join(root, 'file', 'data'), join(root, 'link')]) {
      assert.throws(
        () => makeDataDirectory(directory),
        (error) => {
          assert.ok(error instanceof ConfigError);
          assert.ok(error.message.startsWith(`LATCHKEY_DATA_DIR names ${directory}, which cannot be created (E`));
          return true;
        },
      );
    }
    assert.match(dataDirectoryFault(join(root, 'file', 'data')) ?? '', /cannot be created \(ENOTDIR\)$/);
  });

  const isAllowedAll = process.getuid?.() === 0 && 'the administrator may write everywhere';
  it('must be one that files can be made in', { skip: isAllowedAll }, (test) => {
    const directory = join(temporaryFolder(test), 'closed');
    mkdirSync(directory, { mode: 0o500 });
    assert.match(dataDirectoryFault(directory) ?? '', /in which no files can be created \(EACCES\)$/);
  });

  const noProc = process.platform !== 'linux' && 'only Linux has /proc';
  for (const [what, args] of [
    ['a start', [MAIN]],
    ['check', [CLI, 'check']],
  ] as const)
    it(`in /proc ends ${what} with a sentence, and does not try for ever`, { skip: noProc }, async () => {
      for (const directory of ['/proc/x', '/proc/x/y/data']) {
        const { code, stderr } = await run(args, directory);
        assert.equal(code, 1, `${directory}: ${stderr}`);
        assert.match(
          stderr,
          new RegExp(
            `^LATCHKEY_DATA_DIR names ${directory}, which cannot be created \\(E\\w+\\) \\(LATCHKEY_DATA_DIR is set in the environment\\)$`,
            'm',
          ),
        );
      }
    });
});

describe('a file that others may use', { skip: process.platform === 'win32' && 'Windows keeps no such modes' }, () => {
  const { uid, gid } = statSync(import.meta.dirname);
  const other = uid + 1;

  for (const [mode, user, groups, isOpen] of [
    [0o600, uid, [gid], false],
    [0o640, uid, [gid], true],
    [0o640, other, [gid], false],
    [0o640, other, [gid + 1], true],
    [0o660, other, [gid], true],
    [0o644, other, [gid], true],
  ] as const)
    it(`of mode ${mode.toString(8)}, of ${user === uid ? 'this' : 'another'} user, ${isOpen ? 'is' : 'is not'} called open to others`, (test) => {
      const file = join(temporaryFolder(test), 'tls-key.pem');
      writeFileSync(file, '');
      chmodSync(file, mode);
      const owner = statSync(file);
      const shift = {
        user: user === uid ? owner.uid : owner.uid + 1,
        groups: groups.map((each) => each - gid + owner.gid),
      };
      assert.equal(accessWarnings(file, shift).length, isOpen ? 1 : 0);
    });
});
