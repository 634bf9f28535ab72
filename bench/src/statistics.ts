/** Histograms of latencies, and the median behind all reported figures. */

/** Values up to 255 have a bucket each. Above that, every power of two has 128, so a bucket is at most 0.8 % wide. */
const BUCKETS_PER_OCTAVE = 128;
const BUCKET_COUNT = BUCKETS_PER_OCTAVE * 25;

/** Counts durations in whole microseconds, up to 35 minutes, without storing each one. */
export class LatencyHistogram {
  readonly #counts: Uint32Array;
  #total = 0;

  /** @param counts result of {@link counts} of another histogram, possibly in another process; empty by default */
  constructor(counts: readonly number[] = []) {
    this.#counts = new Uint32Array(BUCKET_COUNT);
    this.#counts.set(counts);
    for (const count of counts) this.#total += count;
  }

  /** Counts one duration. Negative durations count as 0, durations beyond the range as the longest. */
  record(microseconds: number): void {
    const value = Math.max(0, Math.min(0x7fffffff, microseconds)) | 0;
    const shift = Math.max(0, 24 - Math.clz32(value));
    const bucket = shift * BUCKETS_PER_OCTAVE + (value >>> shift);
    this.#counts[bucket]! += 1;
    this.#total += 1;
  }

  /** Adds the counts of `other`. */
  add(other: LatencyHistogram): void {
    for (let bucket = 0; bucket < BUCKET_COUNT; bucket += 1) this.#counts[bucket]! += other.#counts[bucket]!;
    this.#total += other.#total;
  }

  /** Number of counted durations. */
  get total(): number {
    return this.#total;
  }

  /** The counts of all buckets as plain numbers, for JSON and the constructor, without the empty buckets at the end. */
  counts(): number[] {
    return Array.from(this.#counts.subarray(0, this.#counts.findLastIndex((count) => count > 0) + 1));
  }

  /**
   * The duration in microseconds that a share of all durations does not exceed. It is the upper end of its bucket, so
   * it is never understated, and overstated by at most 0.8 %.
   *
   * @param share from 0 to 1, such as 0.99
   * @returns NaN if nothing was counted
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

/** The longest duration in a bucket. */
function longestIn(bucket: number): number {
  const shift = Math.max(0, Math.floor(bucket / BUCKETS_PER_OCTAVE) - 1);
  return (bucket - shift * BUCKETS_PER_OCTAVE + 1) * 2 ** shift - 1;
}

/** The middle value, or the mean of the two middle ones; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}
