/** The figures of the scale measurement as text, one per line. */
import type { Comparison } from './comparison.ts';
import { lineOf, OTHERS_BUSY_SHARE, type RunConditions } from './report.ts';
import type { Part, ScaleOptions } from './scale-options.ts';
import { LARGE_AMOUNTS, type SpecialKind, USUAL_AMOUNTS } from './special-licenses.ts';

/** Maximum time for the first response to a screen of the console, for 19 of 20 people. */
const SCREEN_MS = 50;
/** Below this ratio, the cost has grown by more than the measurement error. */
const GROWN_RATIO = 0.85;
/** A description of the measurement and the machine. */
export function scaleHeadline(options: ScaleOptions, { node, processor, cores }: RunConditions): string {
  const { engine, sizes, tls, windows, windowSeconds } = options;
  const [small, large] = [sizes.small, sizes.large].map((size) => size.toLocaleString('en'));
  const what = `Latchkey, ${engine}, ${large} licenses against ${small}, ${tls ? 'HTTPS' : 'plain HTTP'}`;
  return `${what}, ${windows} pairs of windows of ${windowSeconds} s\nNode ${node}, ${cores} cores, ${processor}`;
}

const AMOUNT_NAMES: Readonly<Record<SpecialKind, string>> = {
  site: 'machines',
  floating: 'sessions',
  violations: 'violations',
};

/** The size of a special license: `1,000,000 machines against 2,000`. */
export function amountText(kind: SpecialKind): string {
  const [large, usual] = [LARGE_AMOUNTS[kind], USUAL_AMOUNTS[kind]].map((amount) => amount.toLocaleString('en'));
  return `${large} ${AMOUNT_NAMES[kind]} against ${usual}`;
}

/** The column titles of {@link growthRow}. */
export const GROWTH_HEADER = row([
  ...['', 'ratio', 'from', 'to', 'by CPU', 'small/s', 'large/s'],
  ...['p50 us', 'p50 us', 'p95 us', 'p95 us', 'p99 us', 'p99 us'],
]);

/** One figure: the small database is the control, the large one the subject. */
export function growthRow(part: Part, comparison: Comparison): string {
  const { title, ratio, ratios, cpuRatio, control, subject, errors } = comparison;
  const others = Math.max(control.othersCpuPerSecond ?? 0, subject.othersCpuPerSecond ?? 0);
  const notes = [
    ...(ratio < GROWN_RATIO ? ['grew'] : []),
    ...(part === 'screens' && subject.latencyMs.p95 >= SCREEN_MS ? [`p95 above ${SCREEN_MS} ms`] : []),
    ...(errors.count > 0 ? [`${errors.count} wrong answers`] : []),
    ...(others >= OTHERS_BUSY_SHARE ? [`others' CPU ${others.toFixed(2)}`] : []),
  ];
  const rates = [control, subject].map(({ requestsPerSecond }) => Math.round(requestsPerSecond).toLocaleString('en'));
  const latencies = (['p50', 'p95', 'p99'] as const).flatMap((quantile) =>
    [control, subject].map(({ latencyMs }) => Math.round(latencyMs[quantile] * 1000).toLocaleString('en')),
  );
  const cells = [
    ...[ratio, Math.min(...ratios), Math.max(...ratios)].map((each) => each.toFixed(2)),
    cpuRatio === null ? '' : cpuRatio.toFixed(2),
    ...rates,
    ...latencies,
  ];
  return `${row([title, ...cells])}${notes.length === 0 ? '' : `  ! ${notes.join(', ')}`}`;
}

function row([name = '', ...cells]: readonly string[]): string {
  return lineOf([48, 6, 5, 5, 7, ...Array.from({ length: 8 }, () => 8)], name, cells);
}
