/**
 * CPU time and memory of processes, read from /proc. They are unknown on systems other than Linux, and the report omits
 * them there.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** The unit of times in /proc/<pid>/stat: USER_HZ, 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** A process with all its descendants, by its name in the report. */
export type ProcessRoots = Readonly<Record<string, number>>;

/** One number per name; names of invisible processes are absent. */
export type ByProcess = Readonly<Record<string, number>>;

interface Seen {
  readonly parent: number;
  readonly cpuSeconds: number;
}

/** CPU seconds, user and system, of each root and its descendants since they started. */
export function readCpuSeconds(roots: ProcessRoots): ByProcess {
  const seen = readAll();
  return forEachTree(roots, seen, (pids) => pids.reduce((sum, pid) => sum + seen.get(pid)!.cpuSeconds, 0));
}

/** CPU seconds of all programs since the machine started, including time stolen by a hypervisor; null if unknown. */
export function readMachineCpuSeconds(): number | null {
  const ticks = /^cpu +(.*)/
    .exec(readOrNull('/proc/stat') ?? '')?.[1]
    ?.split(' ')
    .map(Number);
  if (ticks === undefined) return null;
  const [user = 0, nice = 0, system = 0, , , , , stolen = 0] = ticks;
  return (user + nice + system + stolen) / TICKS_PER_SECOND;
}

/**
 * Resident memory in bytes. For a tree it is the own memory of each process plus, once, the largest shared memory of
 * any of them, so that the shared buffers of a database do not count for every connection.
 */
export function readMemoryBytes(roots: ProcessRoots): ByProcess {
  return forEachTree(roots, readAll(), (pids) => {
    const own = pids.map((pid) => residentBytes(pid));
    return own.reduce((sum, { alone }) => sum + alone, 0) + Math.max(...own.map(({ shared }) => shared));
  });
}

/** Stops each root and its descendants where they are, until {@link resume}. */
export function pause(roots: ProcessRoots): void {
  signalTrees(roots, 'SIGSTOP');
}

/** Lets paused processes go on; does nothing to others. */
export function resume(roots: ProcessRoots): void {
  signalTrees(roots, 'SIGCONT');
}

/** `after` minus `before`, for the names in both. */
export function difference(after: ByProcess, before: ByProcess): ByProcess {
  const names = Object.keys(after).filter((name) => name in before);
  return Object.fromEntries(names.map((name) => [name, after[name]! - before[name]!]));
}

function signalTrees(roots: ProcessRoots, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const seen = readAll();
  for (const pid of Object.values(roots).flatMap((root) => (seen.has(root) ? treeOf(root, seen) : []))) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // A database ends connections at any time.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

function forEachTree(roots: ProcessRoots, seen: Map<number, Seen>, sum: (pids: number[]) => number): ByProcess {
  const trees = Object.entries(roots).filter(([, root]) => seen.has(root));
  return Object.fromEntries(trees.map(([name, root]) => [name, sum(treeOf(root, seen))]));
}

function treeOf(root: number, seen: Map<number, Seen>): number[] {
  const children = [...seen].filter(([, { parent }]) => parent === root).map(([pid]) => pid);
  return [root, ...children.flatMap((pid) => treeOf(pid, seen))];
}

function readAll(): Map<number, Seen> {
  const seen = new Map<number, Seen>();
  if (process.platform !== 'linux') return seen;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readOrNull(`/proc/${name}/stat`);
    if (stat === null) continue;
    // The second field is the program's name in parentheses and may contain anything; the third follows it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and the same for ended children: a database ends connections during the measurement.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    seen.set(Number(name), { parent: Number(fields[1]), cpuSeconds: ticks / TICKS_PER_SECOND });
  }
  return seen;
}

function residentBytes(pid: number): { alone: number; shared: number } {
  const status = readOrNull(`/proc/${pid}/status`) ?? '';
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { alone: bytes('RssAnon'), shared: bytes('RssFile') + bytes('RssShmem') };
}

/** Returns null if the process has ended. */
function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
