/** Compares two servers in alternating windows, so that changes in the speed of the machine affect both. */
import type { Child } from './child.ts';
import type { CustomerFigures } from './customers.ts';
import type { DriverOrder, DriverReport } from './messages.ts';
import {
  type ByProcess,
  difference,
  type ProcessRoots,
  pause,
  readCpuSeconds,
  readMachineCpuSeconds,
  readMemoryBytes,
  resume,
} from './processes.ts';
import type { SideLoad } from './side-load.ts';
import { LatencyHistogram, median } from './statistics.ts';
import type { TabFigures } from './tabs.ts';
import { allErrors, type Errors, type WindowFigures, type WindowPlan } from './window.ts';
import { type Collections, collectionsOf, meanBetween } from './young-collections.ts';

/** Uncounted load before every window, to warm up caches: a quarter of the window, or this if it is less. */
const MAX_RAMP_SECONDS = 0.3;
/** Enough for {@link Extent.warmUpSeconds} at full load. */
export const WARM_UP_SECONDS = 5;

/**
 * A machine that is busy elsewhere can make a short window pass without a response; a run of an hour should survive
 * that.
 */
const MAX_SILENT_WINDOWS = 3;

const USED_UP = 'all requests that may be sent were sent before there was a figure; take more licenses or less time';

/** A server to measure. */
export interface Server {
  /** Name in the report. */
  readonly name: string;
  readonly addresses: WindowPlan['addresses'];
  readonly fixedAnswer: string | null;
  readonly processes: ProcessRoots;
  /** None by default. */
  readonly sideLoads?: readonly SideLoad[];
  /**
   * Whether its processes stand still while the other server is measured. Otherwise work that a service puts off would
   * take its time from the other. False by default.
   */
  readonly isPausedBetween?: boolean;
}

/** Length of the measurement. */
export interface Extent {
  readonly windows: number;
  readonly windowSeconds: number;
  readonly connections: number;
  /** Duration of the load on each server before its first window, so that just-in-time compilation is over by then. */
  readonly warmUpSeconds: number;
}

/** Figures of a server over all of its windows. */
export interface ServerFigures {
  readonly name: string;
  /** Median over the windows. */
  readonly requestsPerSecond: number;
  readonly requests: number;
  /** Over the requests of all windows. */
  readonly latencyMs: Readonly<Record<'p50' | 'p95' | 'p99' | 'p999', number>>;
  /** Seconds of CPU per second; includes the driver. */
  readonly cpuPerSecond: ByProcess;
  /** Microseconds of CPU per request. */
  readonly cpuMicrosecondsPerRequest: ByProcess;
  /** CPU seconds per second of programs outside the bench, which cause noise; null if unknown. */
  readonly othersCpuPerSecond: number | null;
  /** Resident memory after the last window. */
  readonly memoryBytes: ByProcess;
  /** Mean length of a collection of young objects in the first process; null if it does not count them. */
  readonly youngCollectionMs: number | null;
}

/** The result for one endpoint or another compared item. */
export interface Comparison {
  readonly title: string;
  /** The subject's requests per second divided by the control's, for each pair of windows. */
  readonly ratios: readonly number[];
  readonly ratio: number;
  /** The ratio of the requests per second over all windows together; unlike the median, it counts rare slow windows. */
  readonly totalRatio: number;
  /**
   * The control's CPU time per request divided by that of all processes of the subject; null if unknown. It suffers far
   * less than the ratio when other programs use the CPU, but ignores the use of several cores.
   */
  readonly cpuRatio: number | null;
  readonly control: ServerFigures;
  readonly subject: ServerFigures;
  readonly errors: Errors;
  /** The customers at the pages of the subject; null or absent without any. */
  readonly customers?: CustomerFigures | null;
  /** The tabs of the subject's console; null or absent without any. */
  readonly tabs?: TabFigures | null;
}

/** The driver's process. */
export type Driver = Child<DriverOrder, DriverReport>;

interface MeasuredWindow {
  readonly figures: WindowFigures;
  readonly cpuSeconds: ByProcess;
  readonly othersCpuSeconds: number | null;
}

/**
 * Measures both servers with the requests that the driver has loaded.
 *
 * @param title name of the figure in the report
 * @param onWindow called after each window with the number of finished windows and the total
 * @returns figures of fewer windows than requested if the requests ran out
 * @throws if several consecutive windows pass without a response, or if the requests do not last for one pair of
 * windows
 */
export async function compare(
  driver: Driver,
  title: string,
  control: Server,
  subject: Server,
  extent: Extent,
  onWindow: (done: number, total: number) => void,
): Promise<Comparison> {
  const total = extent.windows * 2 + 2;
  const errors: Errors[] = [];
  const pairs: (readonly [MeasuredWindow, MeasuredWindow])[] = [];
  let done = 0;
  const collected = new Map<Server, Collections>();
  async function measure(server: Server, seconds: number): Promise<MeasuredWindow> {
    if (server.isPausedBetween) resume(server.processes);
    const measured = await measureWindow(driver, server, seconds, extent.connections, (found) => errors.push(found));
    if (server.isPausedBetween) pause(server.processes);
    done += 1;
    onWindow(done, total);
    return measured;
  }
  const paused = [control, subject].filter(({ isPausedBetween }) => isPausedBetween);
  for (const { processes } of paused) pause(processes);
  try {
    await measure(control, extent.warmUpSeconds);
    await measure(subject, extent.warmUpSeconds);
    for (const server of [control, subject]) collected.set(server, collectionsIn(server));
    while (pairs.length < extent.windows) {
      // Pairs begin with either server in turns, since a machine that gets slower all the time slows the second more.
      const isControlFirst = pairs.length % 2 === 0;
      const first = await measure(isControlFirst ? control : subject, extent.windowSeconds);
      const second = await measure(isControlFirst ? subject : control, extent.windowSeconds);
      if (first.figures.isUsedUp || second.figures.isUsedUp) break;
      pairs.push(isControlFirst ? [first, second] : [second, first]);
    }
  } finally {
    for (const { processes } of paused) resume(processes);
  }
  if (pairs.length === 0) throw new Error(`${title}: ${USED_UP}`);
  const ofControl = pairs.map(([window]) => window);
  const ofSubject = pairs.map(([, window]) => window);
  const controlFigures = summary(control, ofControl, collected.get(control)!);
  const subjectFigures = summary(subject, ofSubject, collected.get(subject)!);
  const ratios = pairs.map((pair) => rate(pair[1]) / rate(pair[0]));
  return {
    title,
    ratios,
    ratio: median(ratios),
    totalRatio: totalRate(ofSubject) / totalRate(ofControl),
    cpuRatio: cpuRatioOf(controlFigures, subjectFigures),
    control: controlFigures,
    subject: subjectFigures,
    errors: allErrors(errors),
  };
}

function cpuRatioOf(control: ServerFigures, subject: ServerFigures): number | null {
  const [ofControl, ofSubject] = [control, subject].map(({ cpuMicrosecondsPerRequest: { driver: _, ...servers } }) =>
    Object.values(servers).reduce((sum, each) => sum + each, 0),
  );
  return ofControl && ofSubject ? ofControl / ofSubject : null;
}

function rate({ figures }: MeasuredWindow): number {
  return figures.requests / figures.seconds;
}

function totalRate(windows: readonly MeasuredWindow[]): number {
  const sum = (of: (figures: WindowFigures) => number) => windows.reduce((all, { figures }) => all + of(figures), 0);
  return sum(({ requests }) => requests) / sum(({ seconds }) => seconds);
}

/** @param onErrors receives the errors of each window, including windows that are repeated */
async function measureWindow(
  driver: Driver,
  server: Server,
  seconds: number,
  connections: number,
  onErrors: (errors: Errors) => void,
): Promise<MeasuredWindow> {
  const { addresses, fixedAnswer } = server;
  const roots = { ...server.processes, driver: driver.pid };
  const rampSeconds = Math.min(MAX_RAMP_SECONDS, seconds / 4);
  const plan = { addresses, fixedAnswer, connections, rampSeconds, seconds };
  for (let triesLeft = MAX_SILENT_WINDOWS; ; triesLeft -= 1) {
    const edges: CpuReading[] = [];
    for (const load of server.sideLoads ?? []) await load.begin();
    const { figures } = await driver.ask({ kind: 'window', server: server.name, plan }, 'window', () =>
      edges.push(readCpu(roots)),
    );
    await Promise.all((server.sideLoads ?? []).map((load) => load.end()));
    onErrors(figures.errors);
    if (figures.requests === 0 && !figures.isUsedUp) {
      if (triesLeft > 0) continue;
      throw new Error(`${server.name} answered nothing in a window: ${figures.errors.reported[0] ?? 'it was silent'}`);
    }
    const [before, after] = edges as [CpuReading, CpuReading];
    const othersCpuSeconds =
      after.others === null || before.others === null ? null : Math.max(0, after.others - before.others);
    return { figures, cpuSeconds: difference(after.ours, before.ours), othersCpuSeconds };
  }
}

interface CpuReading {
  readonly ours: ByProcess;
  readonly others: number | null;
}

/** Every process of the bench descends from this one, so all other CPU time belongs to other programs. */
function readCpu(roots: ProcessRoots): CpuReading {
  const { bench = 0, ...ours } = readCpuSeconds({ ...roots, bench: process.pid });
  const machine = readMachineCpuSeconds();
  return { ours, others: machine === null ? null : machine - bench };
}

/** The collections in the first process of a server so far. */
function collectionsIn({ processes }: Server): Collections {
  return collectionsOf(Object.values(processes)[0]);
}

/** @param collected the collections before the first of these windows */
function summary(server: Server, windows: readonly MeasuredWindow[], collected: Collections): ServerFigures {
  const latency = new LatencyHistogram();
  const cpuSeconds: Record<string, number> = {};
  let othersCpuSeconds: number | null = 0;
  let requests = 0;
  let seconds = 0;
  for (const { figures, cpuSeconds: used, othersCpuSeconds: others } of windows) {
    othersCpuSeconds = othersCpuSeconds === null || others === null ? null : othersCpuSeconds + others;
    latency.add(new LatencyHistogram(figures.latencyCounts));
    requests += figures.requests;
    seconds += figures.seconds;
    for (const [name, amount] of Object.entries(used)) cpuSeconds[name] = (cpuSeconds[name] ?? 0) + amount;
  }
  const milliseconds = (share: number) => latency.quantile(share) / 1000;
  return {
    name: server.name,
    requestsPerSecond: median(windows.map(rate)),
    requests,
    latencyMs: {
      p50: milliseconds(0.5),
      p95: milliseconds(0.95),
      p99: milliseconds(0.99),
      p999: milliseconds(0.999),
    },
    cpuPerSecond: mapped(cpuSeconds, (amount) => amount / seconds),
    cpuMicrosecondsPerRequest: mapped(cpuSeconds, (amount) => (amount / requests) * 1_000_000),
    othersCpuPerSecond: othersCpuSeconds === null ? null : othersCpuSeconds / seconds,
    memoryBytes: readMemoryBytes(server.processes),
    youngCollectionMs: meanBetween(collected, collectionsIn(server)),
  };
}

function mapped(values: ByProcess, change: (value: number) => number): ByProcess {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/** Adds side loads to a comparison, and their errors to its errors. */
export function withSideLoads(
  comparison: Comparison,
  sideLoads: Required<Pick<Comparison, 'customers' | 'tabs'>>,
): Comparison {
  const further = Object.values(sideLoads).flatMap((figures) => (figures ? [figures.errors] : []));
  return { ...comparison, ...sideLoads, errors: allErrors([comparison.errors, ...further]) };
}
