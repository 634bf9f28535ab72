/** The work of a process with a side load: it does what is due while its server is measured. */
import type { SideLoadOrder, SideLoadReport } from './messages.ts';

const TICK_MS = 20;

/** What one process does. */
export interface SideLoadWork {
  /** Carries out an order that prepares the work. */
  prepare(order: SideLoadOrder): Promise<SideLoadReport>;
  /**
   * Begins everything that is due from `fromMs` until before `toMs`, in milliseconds during which the server was
   * measured. Each promise is for one thing, and rejects if that went wrong.
   */
  beginDue(fromMs: number, toMs: number): readonly Promise<unknown>[];
}

/** Time in which the server was measured. */
let elapsedMs = 0;
let ticking: NodeJS.Timeout | undefined;
let underWay: Promise<unknown>[] = [];
let timesMs: Record<string, number[]> = {};
let errors: string[] = [];

/** Counts a thing of this kind and its time, once it is done. */
export async function timed<Result>(kind: string, thing: () => Promise<Result>): Promise<Result> {
  const beganMs = performance.now();
  const result = await thing();
  timesMs[kind] ??= [];
  timesMs[kind].push(performance.now() - beganMs);
  return result;
}

/** Carries out the orders of the parent process until that disconnects. */
export function carryOut(work: SideLoadWork): void {
  process.on('message', async (order: SideLoadOrder) => {
    try {
      report(await reportOf(order, work));
    } catch (error) {
      report({ kind: 'failed', reason: (error as Error).message });
    }
  });
  process.on('disconnect', () => process.exit());
}

async function reportOf(order: SideLoadOrder, work: SideLoadWork): Promise<SideLoadReport> {
  if (order.kind === 'begin') return begin(work);
  if (order.kind === 'end') return end();
  return work.prepare(order);
}

function begin(work: SideLoadWork): SideLoadReport {
  [timesMs, errors] = [{}, []];
  let lastMs = performance.now();
  ticking = setInterval(() => {
    const nowMs = performance.now();
    const untilMs = elapsedMs + nowMs - lastMs;
    for (const thing of work.beginDue(elapsedMs, untilMs))
      underWay.push(thing.catch((error: Error) => void errors.push(error.message)));
    [elapsedMs, lastMs] = [untilMs, nowMs];
  }, TICK_MS);
  return { kind: 'began' };
}

/** Waits for the work under way, so that none falls into a window of another server. */
async function end(): Promise<SideLoadReport> {
  clearInterval(ticking);
  await Promise.all(underWay);
  underWay = [];
  return { kind: 'ended', timesMs, errors };
}

function report(message: SideLoadReport): void {
  process.send?.(message);
}
