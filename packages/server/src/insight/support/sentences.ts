/** The parts of sentences about a license: names, lists, moments, and spans of time. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';

export function quoted(name: string): string {
  return `"${name}"`;
}

/** `a, b and c`. */
export function inWords(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** `2027-01-31 09:30 UTC`. */
export function spoken(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}

/** A duration in its largest unit, for example `41 days ago`. */
export function ago(milliseconds: number): string {
  for (const [unit, length] of [
    ['day', DAY_MS],
    ['hour', HOUR_MS],
    ['minute', MINUTE_MS],
  ] as const) {
    const count = Math.floor(milliseconds / length);
    if (count > 0) return `${counted(count, unit)} ago`;
  }
  return 'just now';
}
