/**
 * A lock that programs in every language can hold, also on network drives: a file that its holder creates exclusively
 * and removes. Node.js has no `flock`.
 */
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** A lock that shows the same text for this long was abandoned: a holder needs milliseconds. */
const ABANDONED_MS = 2000;
/** The wait for a lock, after which the work is done without it, because a lock must not stop a customer. */
const PATIENCE_MS = 6000;
const PAUSE_MS = 5;
/** Windows reports these for a file that is about to disappear. */
const BUSY = new Set(['EPERM', 'EACCES', 'EBUSY']);

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';

/** The text of a lock that this process has taken; null if the work must go on without it. */
export async function takeLock(file: string): Promise<string | null> {
  const text = randomUUID();
  const giveUpAt = performance.now() + PATIENCE_MS;
  let shown: string | null = null;
  let shownSince = 0;
  while (performance.now() < giveUpAt) {
    const created = await create(file, text);
    if (created !== 'exists') return created === 'created' ? text : null;
    const present = await readFile(file, 'utf8').catch(() => null);
    if (present === null || present !== shown) {
      shown = present;
      shownSince = performance.now();
    } else if (performance.now() - shownSince > ABANDONED_MS) await remove(file, present);
    await wait(PAUSE_MS);
  }
  return null;
}

async function create(file: string, text: string): Promise<'created' | 'exists' | 'failed'> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      return 'created';
    } catch {
      await rm(file, { force: true }).catch(() => {});
      return 'failed';
    } finally {
      await handle.close();
    }
  } catch (error) {
    const isHeld = codeOf(error) === 'EEXIST' || (process.platform === 'win32' && BUSY.has(codeOf(error)));
    return isHeld ? 'exists' : 'failed';
  }
}

/** Removes an abandoned lock. Another process may have done so and taken it since: that lock is put back. */
async function remove(file: string, text: string): Promise<void> {
  const moved = `${file}.${randomUUID()}`;
  try {
    await rename(file, moved);
    if ((await readFile(moved, 'utf8')) !== text) await link(moved, file);
  } catch {
    // Another process was faster.
  }
  await rm(moved, { force: true }).catch(() => {});
}

/** Whether a lock is still the one with this text. */
export async function holdsLock(file: string, text: string): Promise<boolean> {
  return (await readFile(file, 'utf8').catch(() => null)) === text;
}

/** Frees a lock, unless it was taken for abandoned and another process holds it now. */
export async function freeLock(file: string, text: string): Promise<void> {
  if (await holdsLock(file, text)) await rm(file, { force: true }).catch(() => {});
}
