/** Stores the state in a file of the user, written completely or not at all. */
import { randomUUID } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { StateStorage } from '../storage.ts';
import { freeLock, holdsLock, takeLock } from './lock.ts';

/** Windows refuses to replace a file while a virus scanner reads it; the time for which the client tries again. */
const REPLACE_FOR_MS = 1000;
/** Interval of the checks for changes by other processes. */
const WATCH_EVERY_MS = 2000;
const BUSY = new Set(['EPERM', 'EACCES', 'EBUSY']);
/** How often a change is made again because another process took the lock for abandoned. */
const REPEATS = 3;

/** The lock was lost before the text was replaced, so that another process may have changed the text. */
class LostLock extends Error {
  override readonly name = 'LostLock';
}

/** The default folder for the state of apps of this user, one per product. */
export function stateDirectory(
  productId: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const home = homedir();
  const base =
    process.platform === 'win32'
      ? (environment.LOCALAPPDATA ?? join(home, 'AppData', 'Local'))
      : process.platform === 'darwin'
        ? join(home, 'Library', 'Application Support')
        : (environment.XDG_STATE_HOME ?? join(home, '.local', 'state'));
  return join(base, 'latchkey', productId.replace(/[^\w.-]/g, '_'));
}

/** Stores the state in the file `state` of a folder, which is created with access for this user only. */
export function fileStorage(directory: string): StateStorage {
  const file = join(directory, 'state');
  const lock = join(directory, 'lock');
  /** The text of the lock that this storage holds; null without one. */
  let held: string | null = null;
  const mustHold = async () => {
    if (held !== null && !(await holdsLock(lock, held))) throw new LostLock('another process holds the lock');
  };
  return {
    async read() {
      try {
        return await readFile(file, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async write(text) {
      await writeWhole(directory, file, text, mustHold);
    },
    async remove() {
      await mustHold();
      await rm(file, { force: true });
    },
    async setAside(text) {
      await writeWhole(directory, `${file}.broken`, text, async () => {});
    },
    async exclusively(change) {
      for (let repeats = 0; ; repeats++) {
        held = repeats < REPEATS ? await takeLock(lock) : null;
        try {
          return await change();
        } catch (error) {
          if (!(error instanceof LostLock)) throw error;
        } finally {
          if (held !== null) await freeLock(lock, held);
          held = null;
        }
      }
    },
    async writtenAt() {
      const names = await readdir(directory, { recursive: true }).catch(() => []);
      const times = await Promise.all(
        ['.', ...names].map(async (name) => (await stat(join(directory, name)).catch(() => null))?.mtimeMs ?? null),
      );
      const known = times.filter((time) => time !== null);
      return known.length === 0 ? null : Math.max(...known);
    },
    watch(onChange) {
      // Looks at intervals, because events of the system are missing on network drives and limited in number.
      watchFile(file, { interval: WATCH_EVERY_MS, persistent: false }, onChange);
      return () => unwatchFile(file, onChange);
    },
  };
}

/**
 * Writes a temporary file and renames it, so that a crash leaves either the old or the new text.
 *
 * @param mayReplace throws if the file must stay
 */
async function writeWhole(
  directory: string,
  file: string,
  text: string,
  mayReplace: () => Promise<void>,
): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    const handle = await open(temporary, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await mayReplace();
    await replace(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

async function replace(temporary: string, file: string): Promise<void> {
  const giveUpAt = performance.now() + REPLACE_FOR_MS;
  for (;;) {
    try {
      return await rename(temporary, file);
    } catch (error) {
      const isBusy = process.platform === 'win32' && BUSY.has((error as NodeJS.ErrnoException).code ?? '');
      if (!isBusy || performance.now() > giveUpAt) throw error;
      await wait(50);
    }
  }
}
