/** Compares two samples of times. */

/** The value in the middle of a sample. */
export function medianOf(sample: readonly number[]): number {
  const sorted = sample.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * The test of Mann and Whitney: how far the ranks of two samples are from those of one population, in standard
 * deviations. Beyond 2.576 two samples of one population are found in one case of a hundred. Good for more than 20
 * values each.
 */
export function rankDifference(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((value) => ({ value, isOne: 1 })), ...other.map((value) => ({ value, isOne: 0 }))];
  all.sort((a, b) => a.value - b.value);
  let rankSum = 0;
  let ties = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]!.value === all[from]!.value) to += 1;
    const count = to - from;
    // Equal values share the mean of their ranks.
    const rank = (from + 1 + to) / 2;
    for (let at = from; at < to; at += 1) rankSum += rank * all[at]!.isOne;
    ties += count ** 3 - count;
    from = to;
  }
  const [m, n, size] = [one.length, other.length, all.length];
  const expected = (m * (size + 1)) / 2;
  const variance = ((m * n) / 12) * (size + 1 - ties / (size * (size - 1)));
  return variance === 0 ? 0 : (rankSum - expected) / Math.sqrt(variance);
}
