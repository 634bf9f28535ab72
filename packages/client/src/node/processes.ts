/**
 * The clients of an app on one machine share a seat, and the last one gives it back. Each has a file in a folder, and
 * updates the file's time with each check. The name is the process id and a random text, because a process can have
 * several clients, as a host of plug-ins does.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Processes } from '../options.ts';

/**
 * @param silentMs time after which a client counts as gone, even if another process now has the id of its process
 * @param processId for tests
 */
export function processFiles(directory: string, silentMs: number, processId: number = process.pid): Processes {
  const folder = join(directory, 'processes');
  const own = join(folder, `${processId}.${randomUUID()}`);
  return {
    async beat() {
      const now = new Date();
      try {
        await utimes(own, now, now);
      } catch {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(own, '', { mode: 0o600 });
      }
    },
    async leave() {
      await rm(own, { force: true });
      let isLast = true;
      for (const name of await readdir(folder).catch(() => [])) {
        const file = join(folder, name);
        const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
        if (isAlive(Number.parseInt(name, 10)) && Date.now() - mtimeMs < silentMs) isLast = false;
        else await rm(file, { force: true });
      }
      return isLast;
    },
  };
}

/** A process of another user counts as alive. */
function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
