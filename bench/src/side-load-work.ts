/** The loop of a side load's process: it begins each task when the task is due, only while its server is measured. */
import { carryOut } from './child.ts';
import type { SideLoadOrder, SideLoadReport } from './messages.ts';

const TICK_MS = 20;

/** The tasks of one process. */
export interface SideLoadWork {
  /** Prepares the tasks. */
  prepare(order: SideLoadOrder): Promise<SideLoadReport>;
  /**
   * Begins the tasks that are due from `fromMs` until before `toMs`. Time counts only while the server is measured.
   * Each promise is for one task, and rejects if it failed.
   */
  beginDue(fromMs: number, toMs: number): readonly Promise<unknown>[];
}

/** Time in which the server was measured. */
let elapsedMs = 0;
let ticking: NodeJS.Timeout | undefined;
let underWay: Promise<unknown>[] = [];
let timesMs: Record<string, number[]> = {};
let errors: string[] = [];

/** Runs a task, and counts its duration under its kind if it succeeds. */
export async function timed<Result>(kind: string, task: () => Promise<Result>): Promise<Result> {
  const beganMs = performance.now();
  const result = await task();
  timesMs[kind] ??= [];
  timesMs[kind].push(performance.now() - beganMs);
  return result;
}

/** Carries out the orders of the parent process until it disconnects. */
export function carryOutLoad(work: SideLoadWork): void {
  carryOut<SideLoadOrder, SideLoadReport>(async (order) => {
    if (order.kind === 'begin') return begin(work);
    if (order.kind === 'end') return end();
    return work.prepare(order);
  });
}

function begin(work: SideLoadWork): SideLoadReport {
  [timesMs, errors] = [{}, []];
  let lastMs = performance.now();
  ticking = setInterval(() => {
    const nowMs = performance.now();
    const untilMs = elapsedMs + nowMs - lastMs;
    for (const task of work.beginDue(elapsedMs, untilMs))
      underWay.push(task.catch((error: Error) => void errors.push(error.message)));
    [elapsedMs, lastMs] = [untilMs, nowMs];
  }, TICK_MS);
  return { kind: 'began' };
}

/** Waits for the tasks under way, so that none runs while another server is measured. */
async function end(): Promise<SideLoadReport> {
  clearInterval(ticking);
  await Promise.all(underWay);
  underWay = [];
  return { kind: 'ended', timesMs, errors };
}
