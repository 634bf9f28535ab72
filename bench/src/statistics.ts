/** Latencies by histogram, and the median that everything reported is based on. */

/** Values up to 255 have a bucket each; above, every power of two has 128, so a bucket is at most 0.8 % wide. */
const BUCKETS_PER_OCTAVE = 128;
const BUCKET_COUNT = BUCKETS_PER_OCTAVE * 25;

/** Counts durations in whole microseconds, up to 35 minutes, without keeping each of them. */
export class LatencyHistogram {
  readonly #counts: Uint32Array;
  #total = 0;

  /** @param counts what {@link counts} of another histogram gave, possibly in another process; empty without it */
  constructor(counts: readonly number[] = []) {
    this.#counts = new Uint32Array(BUCKET_COUNT);
    this.#counts.set(counts);
    for (const count of counts) this.#total += count;
  }

  /** Counts one duration. Negative ones count as 0, those too long for the histogram as the longest. */
  record(microseconds: number): void {
    const value = Math.max(0, Math.min(0x7fffffff, microseconds)) | 0;
    const shift = Math.max(0, 24 - Math.clz32(value));
    const bucket = shift * BUCKETS_PER_OCTAVE + (value >>> shift);
    this.#counts[bucket]! += 1;
    this.#total += 1;
  }

  /** Adds everything that `other` counted. */
  add(other: LatencyHistogram): void {
    for (let bucket = 0; bucket < BUCKET_COUNT; bucket += 1) this.#counts[bucket]! += other.#counts[bucket]!;
    this.#total += other.#total;
  }

  /** How many durations were counted. */
  get total(): number {
    return this.#total;
  }

  /** The counts of all buckets as plain numbers, fit for JSON and the constructor; empty buckets at the end are left off. */
  counts(): number[] {
    return Array.from(this.#counts.subarray(0, this.#counts.findLastIndex((count) => count > 0) + 1));
  }

  /**
   * The duration that a share of all durations does not exceed, in microseconds: the upper end of its bucket, so it is
   * never understated, and by at most 0.8 % overstated.
   *
   * @param share from 0 to 1, for example 0.99
   * @returns NaN when nothing was counted
   */
  quantile(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.#total));
    let seen = 0;
    for (let bucket = 0; bucket < BUCKET_COUNT; bucket += 1) {
      seen += this.#counts[bucket]!;
      if (seen >= rank) return longestIn(bucket);
    }
    return Number.NaN;
  }
}

/** The longest duration that falls into a bucket. */
function longestIn(bucket: number): number {
  const shift = Math.max(0, Math.floor(bucket / BUCKETS_PER_OCTAVE) - 1);
  return (bucket - shift * BUCKETS_PER_OCTAVE + 1) * 2 ** shift - 1;
}

/** The middle value, or the mean of the two middle ones; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}
