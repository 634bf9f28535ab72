/** What processes cost, read from /proc. Elsewhere than on Linux nothing is known, and the report leaves it out. */
import { readdirSync, readFileSync } from 'node:fs';

/** The unit of times in /proc/<pid>/stat: USER_HZ, 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** A process and all its descendants, by the name under which the report shows them. */
export type ProcessRoots = Readonly<Record<string, number>>;

/** One number per name; names whose processes are not to be seen are absent. */
export type ByProcess = Readonly<Record<string, number>>;

interface Seen {
  readonly parent: number;
  readonly cpuSeconds: number;
}

/** CPU seconds, user and system, that each root and its descendants have used since they began. */
export function readCpuSeconds(roots: ProcessRoots): ByProcess {
  const seen = readAll();
  return forEachTree(roots, seen, (pids) => pids.reduce((sum, pid) => sum + seen.get(pid)!.cpuSeconds, 0));
}

/** CPU seconds that all programs of the machine have used since it began, or a hypervisor took; null where unknown. */
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
 * Resident memory in bytes. Of a tree it is each process's own memory and, once, the largest share of what they have in
 * common, so that the shared buffers of a database do not count for every connection.
 */
export function readMemoryBytes(roots: ProcessRoots): ByProcess {
  return forEachTree(roots, readAll(), (pids) => {
    const own = pids.map((pid) => residentBytes(pid));
    return own.reduce((sum, { alone }) => sum + alone, 0) + Math.max(...own.map(({ shared }) => shared));
  });
}

/** `after` less `before`, for the names in both. */
export function difference(after: ByProcess, before: ByProcess): ByProcess {
  const names = Object.keys(after).filter((name) => name in before);
  return Object.fromEntries(names.map((name) => [name, after[name]! - before[name]!]));
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
    // The second field is the program's name in parentheses and may hold anything; behind it stands the third.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and the same of children that have ended: a database ends connections while it is measured.
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

/** Null when the process ended in the meantime. */
function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
