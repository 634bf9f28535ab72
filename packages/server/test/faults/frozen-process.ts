/** Stops a process in the midst of its work. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const LOOK_MS = 2;

/**
 * Stops a process. SIGCONT lets it go on. SIGSTOP reaches a thread when the thread next runs, which takes milliseconds
 * on a busy machine, and other threads go on until then: so this waits until every thread stands still.
 */
export async function freezeProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  while (!isFrozen(pid)) await wait(LOOK_MS);
}

function isFrozen(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  if (existsSync(threads)) return readdirSync(threads).every((thread) => stateOf(join(threads, thread)) === 'T');
  return execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('T');
}

/** The state of a thread, which follows its name in parentheses (proc_pid_stat(5)). */
function stateOf(thread: string): string | undefined {
  const stat = readFileSync(join(thread, 'stat'), 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2)[0];
}
