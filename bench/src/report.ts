/** The figures as text. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import type { Comparison, ServerFigures } from './comparison.ts';
import type { CustomerFigures } from './customers.ts';
import type { Options } from './options.ts';
import { median } from './statistics.ts';
import type { TabFigures } from './tabs.ts';

/** Above this share, the driver may limit the figures: it needs a core for itself. */
const DRIVER_BUSY_SHARE = 0.9;
/** Above this share, other programs used the machine, and the figures contain noise. */
export const OTHERS_BUSY_SHARE = 0.05;
const MEBIBYTE = 1024 * 1024;

/** Conditions that affect the figures besides the code. */
export interface RunConditions {
  readonly node: string;
  readonly platform: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
}

/** Reads the conditions from the machine. */
export function runConditions(): RunConditions {
  return {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
  };
}

/** A description of the measurement and the machine. */
export function headline(options: Options, { node, processor, cores }: RunConditions): string {
  const { subject, engine, nodes, tls, licenses, destinations, customers, tabs, beside } = options;
  const processes = nodes === 1 ? engine : `${nodes} nodes on ${engine}`;
  const what =
    subject === 'latchkey' ? `Latchkey, ${processes}, ${licenses.toLocaleString('en')} licenses` : 'the control itself';
  const sent = { none: 'none of which matches', share: 'one of which matches each event' };
  const extra =
    (destinations === null ? '' : `, ${destinations.count} destinations, ${sent[destinations.matching]}`) +
    (customers === null ? '' : `, ${customers} customers at its pages`) +
    (tabs === null ? '' : `, ${tabs} open tabs of its console`);
  const how = `${options.connections} connections, ${options.windows} pairs of windows of ${options.windowSeconds} s`;
  const against = beside === null ? '' : `, beside ${beside}`;
  return `${what}${extra}${against}, ${tls ? 'HTTPS' : 'plain HTTP'}, ${how}\nNode ${node}, ${cores} cores, ${processor}`;
}

/** The figures of one endpoint, one line per process. */
export function table(comparison: Comparison): string {
  const { title, ratio, ratios, totalRatio, cpuRatio, subject, control, customers, tabs } = comparison;
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  const byCpu = cpuRatio === null ? '' : `; ${cpuRatio.toFixed(2)} by CPU per request`;
  const requests = `${subject.requests.toLocaleString('en')} requests`;
  const lines = [
    `${title}: ${ratio.toFixed(2)} of ${control.name === 'control' ? 'the control' : control.name} (${range} in ${ratios.length} pairs, ${requests}), ${totalRatio.toFixed(2)} over all${byCpu}`,
    row([
      ...['', 'requests/s', 'p50 ms', 'p99 ms', 'p99.9 ms', 'CPU s/s', 'CPU us/request', 'memory MB'],
      'young GC ms',
    ]),
    ...serverRows(subject),
    ...serverRows(control),
    ...(customers ? [customersRow(customers)] : []),
    ...(tabs ? [tabsRow(tabs)] : []),
  ];
  for (const { name, cpuPerSecond } of [subject, control]) {
    if ((cpuPerSecond.driver ?? 0) < DRIVER_BUSY_SHARE) continue;
    lines.push(`  ! the driver was nearly as busy as it can be: ${name} may be faster than shown`);
  }
  const others = Math.max(subject.othersCpuPerSecond ?? 0, control.othersCpuPerSecond ?? 0);
  if (others >= OTHERS_BUSY_SHARE) {
    lines.push(`  ! other programs used ${others.toFixed(2)} s of CPU per second: measure again on a quiet machine`);
  }
  return lines.join('\n');
}

/** The medians of each endpoint over several starts, with the figure of each start. */
export function acrossStarts(comparisons: readonly Comparison[]): string {
  return [...Map.groupBy(comparisons, ({ title }) => title)]
    .map(([title, ofStarts]) => {
      const byCpu = ofStarts.flatMap(({ cpuRatio }) => (cpuRatio === null ? [] : [cpuRatio]));
      const cpu = byCpu.length === 0 ? '' : `; ${medianWithAll(byCpu)} by CPU per request`;
      const ratios = medianWithAll(ofStarts.map(({ ratio }) => ratio));
      const sides = [ofStarts.map(({ subject }) => subject), ofStarts.map(({ control }) => control)];
      return `${title}, median of ${ofStarts.length} starts: ${ratios}${cpu}\n${sides.map(collectionsLine).join('')}`;
    })
    .join('');
}

/** The mean length of a collection of young objects in each start of a server. */
function collectionsLine(figures: readonly ServerFigures[]): string {
  const means = figures.flatMap(({ youngCollectionMs }) => youngCollectionMs ?? []);
  if (means.length === 0) return '';
  return `  ${figures[0]?.name}: young collections of ${means.map((mean) => mean.toFixed(1)).join(', ')} ms\n`;
}

function medianWithAll(ratios: readonly number[]): string {
  return `${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(', ')})`;
}

/**
 * Ends a run: writes the figures to the file that the options name, if any, and the wrong responses to standard error.
 *
 * @returns whether there were no wrong responses
 */
export async function hasSucceeded(
  options: { readonly jsonFile: string | null },
  machine: RunConditions,
  comparisons: readonly Comparison[],
): Promise<boolean> {
  if (options.jsonFile !== null)
    await writeFile(options.jsonFile, `${JSON.stringify({ options, machine, comparisons }, null, 2)}\n`);
  const wrong = comparisons.filter(({ errors }) => errors.count > 0);
  for (const { title, errors } of wrong) {
    process.stderr.write(`${title}: ${errors.count} wrong answers seen, such as\n`);
    for (const error of new Set(errors.reported)) process.stderr.write(`  ${error}\n`);
  }
  return wrong.length === 0;
}

function serverRows(figures: ServerFigures): string[] {
  const { latencyMs, cpuPerSecond, cpuMicrosecondsPerRequest, memoryBytes } = figures;
  const { driver: _, ...serverCpu } = cpuPerSecond;
  const [main = figures.name, ...others] = Object.keys(serverCpu);
  const cost = (name: string) => [
    shown(cpuPerSecond[name], 2),
    shown(cpuMicrosecondsPerRequest[name], 1),
    shown(memoryBytes[name] === undefined ? undefined : memoryBytes[name] / MEBIBYTE, 0),
  ];
  const { p50, p99, p999 } = latencyMs;
  const rate = Math.round(figures.requestsPerSecond).toLocaleString('en');
  const speed = [rate, ...[p50, p99, p999].map((each) => each.toFixed(2))];
  return [
    row([main, ...speed, ...cost(main), shown(figures.youngCollectionMs ?? undefined, 1)]),
    ...others.map((name) => row([`+ ${name}`, '', '', '', '', ...cost(name)])),
    row(['+ driver', '', '', '', '', ...cost('driver')]),
  ];
}

function customersRow({ pages, signIns, medianMs, slowestMs }: CustomerFigures): string {
  const times = `${shown(medianMs ?? undefined, 1)} ms median, ${shown(slowestMs ?? undefined, 1)} ms at most`;
  return `  customers: ${pages} pages (${times}), sign-ins: ${signIns}`;
}

function tabsRow({ calls, meanMs, slowestMs }: TabFigures): string {
  const times = `${shown(meanMs ?? undefined, 1)} ms mean, ${shown(slowestMs ?? undefined, 1)} ms at most`;
  return `  tabs: ${calls} calls (${times})`;
}

function row([name = '', ...cells]: readonly string[]): string {
  return lineOf([15, 11, 8, 8, 9, 8, 15, 10, 12], name, cells).trimEnd();
}

/** A line of a table: a name and cells, each as wide as its column. */
export function lineOf([first = 0, ...widths]: readonly number[], name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(first)}${cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join(' ')}`;
}

function shown(value: number | undefined, decimals: number): string {
  return value === undefined ? '' : value.toFixed(decimals);
}
