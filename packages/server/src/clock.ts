/** The only source of time. Rules take `now` as an argument; this is where it comes from. */

/** Milliseconds since 1970, UTC. Tests pass a clock that they move. */
export type Clock = () => number;

/** The machine's clock. */
export const systemClock: Clock = () => Date.now();

/** A moment as the 24-character text that is stored and sent: `2026-01-31T09:30:00.000Z`. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The reverse of {@link toTimestamp}. */
export function fromTimestamp(timestamp: string): number {
  return Date.parse(timestamp);
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
