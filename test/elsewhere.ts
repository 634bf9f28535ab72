/**
 * Runs tests as they run in other places, one place after the other, and lists the places where a test failed:
 *
 *   npm run test:elsewhere                        all tests of `npm test`, in each place
 *   npm run test:elsewhere -- PATH...             these files, in each place
 *   npm run test:elsewhere -- --in busy PATH...   in one place; may be repeated
 *
 * PLACES has the names. Linux only. The place without IPv6 needs `unshare` and `ip`. The place of another user needs
 * root.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './files.ts';
import { copyTree } from './tree-copy.ts';

/** The differences from a plain run. */
interface Place {
  readonly environment?: Readonly<Record<string, string>>;
  /** A command that runs the command of the tests. */
  readonly through?: readonly string[];
  /** The tests run in a copy of the tree, in a folder of this name. */
  readonly folder?: string;
  /** The number of the user who owns the copy. */
  readonly user?: number;
  /** Number of processes that keep a core busy beside the tests. */
  readonly busyLoops?: number;
}

const NOBODY = 65_534;
/** Lets every user enter a folder. */
const ENTERED_BY_ALL = 0o755;

/** Runs a script in a shell, and then the command. */
const after = (script: string) => ['sh', '-c', `${script} && exec "$@"`, 'sh'];
const asUser = (number: number) => ['setpriv', `--reuid=${number}`, `--regid=${number}`, '--clear-groups'];

const PLACES: Readonly<Record<string, Place>> = {
  // Ahead of UTC by 12:45, and by 13:45 in summer.
  'time-zone': { environment: { TZ: 'Pacific/Chatham' } },
  german: { environment: { LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' } },
  // Its digits differ, and its direction of writing.
  arabic: { environment: { LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' } },
  umask: { through: after('umask 077') },
  // Root may write into any folder, but nobody can make one below a device.
  'read-only-home': { environment: { HOME: '/dev/null' } },
  blanks: { folder: 'a path with blanks' },
  'not-root': { folder: 'latchkey', user: NOBODY, through: asUser(NOBODY) },
  // Without an interface beside the loopback, a browser says that it is offline.
  'no-ipv6': {
    through: [
      'unshare',
      '--net',
      ...after(
        'ip link set lo up && ip link add lan type bridge && ip address add 192.0.2.2/24 dev lan && ip link set lan up' +
          ' && ip -6 address flush dev lo && ip -6 address flush dev lan',
      ),
    ],
  },
  // The tests get about a third of two cores, so a file may take six times as long as usual.
  busy: { busyLoops: 4, environment: { LATCHKEY_TEST_FILE_LIMIT_MS: String(30 * 60_000) } },
};

/** Runs the tests in a place. Returns whether all of them passed. */
async function haveAllPassed(place: Place, paths: readonly string[]): Promise<boolean> {
  const temporary = mkdtempSync(join('/tmp', 'latchkey-elsewhere-'));
  const loops: ChildProcess[] = [];
  try {
    chmodSync(temporary, ENTERED_BY_ALL);
    const root = place.folder === undefined ? ROOT : copyTree(join(temporary, place.folder), place.user);
    for (let loop = 0; loop < (place.busyLoops ?? 0); loop += 1)
      loops.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
    const [command = '', ...args] = [...(place.through ?? []), process.execPath, 'test/run.ts', ...paths];
    const home = place.user === undefined ? {} : { HOME: root };
    const env = { ...process.env, ...home, INIT_CWD: root, ...place.environment };
    const [code] = await once(spawn(command, args, { cwd: root, env, stdio: 'inherit' }), 'exit');
    return code === 0;
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
    rmSync(temporary, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { in: { type: 'string', multiple: true, default: Object.keys(PLACES) } },
});
const unknown = values.in.filter((name) => PLACES[name] === undefined);
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}. The places are ${Object.keys(PLACES).join(', ')}.`);
  process.exit(2);
}
const failed: string[] = [];
for (const name of values.in) {
  console.log(`\n== ${name}`);
  if (!(await haveAllPassed(PLACES[name]!, positionals))) failed.push(name);
}
console.log(failed.length === 0 ? '\nAll tests passed in each place.' : `\nTests failed in: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
