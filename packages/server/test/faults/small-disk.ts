/**
 * Runs commands on a file system with less and less room than they need, a small one in memory in a namespace (see
 * full-disk-commands.test.ts), and prints the outcome of each as a line of JSON.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, runCommandHere } from '../support/command.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';

/** Outcome of a command with some room. */
export interface Attempt {
  readonly room: number;
  readonly code: Ended['code'];
  readonly out: string;
  readonly err: string;
  /** Files before and afterwards, by name, with a hash; the log of SQLite is not hashed. */
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  readonly licenses: number | null;
  /** Exit code of the same command once there was room again. */
  readonly again: Ended['code'];
  readonly licensesAgain: number | null;
}

const [operation = '', mount = '', source = '', given = ''] = process.argv.slice(2);
const [filler, data] = [join(mount, 'filler'), join(mount, 'data')];
const database = join(data, 'latchkey.db');

/** Arguments of the command. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  backup: ['backup', join(mount, 'backup.db')],
  restore: ['restore', given, '--keep-revoked-from', database],
  import: ['import', given],
};

const run = () => runCommandHere(WORDS[operation]!, { LATCHKEY_DATA_DIR: data });

/** Leaves this many bytes free on the file system. */
function leave(bytes: number): void {
  const { bavail, bsize } = statfsSync(mount);
  const taken = Math.max(0, bavail * bsize - bytes);
  writeFileSync(filler, Buffer.alloc(taken));
}

function files(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const folder of [mount, data])
    for (const name of readdirSync(folder)) {
      if (['filler', 'data'].includes(name) || /-(shm|wal|server)$/.test(name)) continue;
      found[name] = createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex');
    }
  return found;
}

function licensesIn(file: string): number | null {
  if (!existsSync(file)) return null;
  const opened = openSqliteFile(file);
  try {
    if (opened.prepare('pragma quick_check').get()?.quick_check !== 'ok') return -1;
    return Number(opened.prepare('select count(*) as licenses from license').get()?.licenses);
  } finally {
    opened.close();
  }
}

const target = operation === 'backup' ? join(mount, 'backup.db') : database;
for (let room = 0; ; room += Math.max(16_384, Math.floor(room / 3))) {
  for (const name of readdirSync(mount)) rmSync(join(mount, name), { recursive: true });
  cpSync(source, data, { recursive: true });
  const before = files();
  leave(room);
  const { code, out, err } = await run();
  rmSync(filler);
  const after = files();
  const licenses = licensesIn(target);
  const { code: again } = code === 0 ? { code: 0 } : await run();
  const attempt: Attempt = { room, code, out, err, before, after, licenses, again, licensesAgain: licensesIn(target) };
  console.log(JSON.stringify(attempt));
  if (code === 0) break;
}
