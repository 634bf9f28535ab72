/** Judges whether the memory of a server grows. */
import { median } from './statistics.ts';

/** Threshold for growth: the garbage collector and the allocator cause smaller differences. */
const GROWTH_LIMIT = 0.1;

/** One measurement of a server. */
export interface Sample {
  /** Seconds since the load began. */
  readonly seconds: number;
  /** Requests answered since the load began. */
  readonly requests: number;
  /** Resident memory of the server. */
  readonly memoryBytes: number;
}

/** The result of the comparison. */
export interface Verdict {
  /** Median of the second quarter of the time, when caches are full and hot code is compiled. */
  readonly earlyBytes: number;
  /** Median of the last quarter. */
  readonly lateBytes: number;
  /** As a fraction: 0.02 means two percent more. */
  readonly growth: number;
  readonly isFlat: boolean;
}

/**
 * Compares the second quarter with the last.
 *
 * @throws if there are fewer samples than quarters
 */
export function verdictOn(samples: readonly Sample[]): Verdict {
  const [early, late] = [quarter(samples, 1), quarter(samples, 3)];
  if (early.length === 0 || late.length === 0) throw new Error('too few samples; take more minutes');
  const [earlyBytes, lateBytes] = [early, late].map((each) => median(each.map(({ memoryBytes }) => memoryBytes))) as [
    number,
    number,
  ];
  const growth = lateBytes / earlyBytes - 1;
  return { earlyBytes, lateBytes, growth, isFlat: growth < GROWTH_LIMIT };
}

/** The samples of a quarter of the time, from 0 to 3. */
function quarter(samples: readonly Sample[], number: number): Sample[] {
  const duration = samples.at(-1)?.seconds ?? 0;
  return samples.filter(({ seconds }) => Math.min(3, Math.floor((seconds / duration) * 4)) === number);
}

/**
 * A table with at most ten lines, one per period.
 *
 * @returns lines of text
 */
export function memoryTable(samples: readonly Sample[]): string {
  const perLine = Math.max(1, Math.ceil(samples.length / 10));
  const lines = ['  minutes   memory MB   requests/s'];
  let before: Pick<Sample, 'seconds' | 'requests'> = { seconds: 0, requests: 0 };
  for (let first = 0; first < samples.length; first += perLine) {
    const stretch = samples.slice(first, first + perLine);
    const last = stretch.at(-1)!;
    const rate = (last.requests - before.requests) / (last.seconds - before.seconds);
    const memory = megabytes(median(stretch.map(({ memoryBytes }) => memoryBytes)));
    const cells = [(last.seconds / 60).toFixed(1).padStart(9), memory.padStart(11)];
    lines.push(`${cells.join(' ')} ${Math.round(rate).toLocaleString('en').padStart(12)}`);
    before = last;
  }
  return lines.join('\n');
}

/** The verdict as a sentence. */
export function verdictText({ earlyBytes, lateBytes, growth, isFlat }: Verdict): string {
  const percent = `${growth < 0 ? '' : '+'}${(growth * 100).toFixed(1)} %`;
  const quarters = `${megabytes(earlyBytes)} MB in the second quarter, ${megabytes(lateBytes)} MB in the last`;
  return `${isFlat ? 'flat' : 'GROWING'}: ${quarters} (${percent}; less than ${GROWTH_LIMIT * 100} % is flat)`;
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
