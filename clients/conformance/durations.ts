/** Durations as scenarios write them: `3d`, `-1h30m`, `250ms`. */

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, y: 365 * 86_400_000 } as const;

/** The milliseconds of a duration. Throws for any other text. */
export function millisecondsOf(text: string): number {
  const [, sign = '', parts = ''] = /^([+-]?)((?:\d+(?:ms|[smhdy]))+)$/.exec(text) ?? [];
  if (parts === '') throw new Error(`${text} is not a duration`);
  let sum = 0;
  for (const [, count, unit] of parts.matchAll(/(\d+)(ms|[smhdy])/g))
    sum += Number(count) * UNITS[unit as keyof typeof UNITS];
  return sign === '-' ? -sum : sum;
}
