/** Random values, from license keys to retry delays, all from the generator of node:crypto. Nothing else makes them. */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';

/** Letters and digits that nobody mistakes for another: no 0, O, I, 1, L (rules 2.1, 2.9). */
export const UNAMBIGUOUS_ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** Groups of unambiguous characters joined by hyphens: `mintGroups(2, 4)` is like `K7QW-2MNP`. About 4.95 bits each. */
export function mintGroups(groups: number, length: number): string {
  return Array.from({ length: groups }, () =>
    Array.from({ length }, () => UNAMBIGUOUS_ALPHABET[randomInt(UNAMBIGUOUS_ALPHABET.length)]).join(''),
  ).join('-');
}

/** So many random bytes. */
export function mintBytes(bytes: number): Buffer {
  return randomBytes(bytes);
}

/** A secret of `bytes` random bytes as base64url text. */
export function mintSecret(bytes: number): string {
  return mintBytes(bytes).toString('base64url');
}

/** A random identifier: 16 characters of base64url, 96 bits. */
export function mintId(): string {
  return mintSecret(12);
}

/** A random UUID. */
export function mintUuid(): string {
  return randomUUID();
}

const REQUEST_ID_LENGTH = 12;
let requestIds = '';
let requestIdsUsed = 0;

/**
 * An id for a request: 12 characters of base64url, 72 bits, all of chance, so that it tells nothing about other requests.
 * Chance is fetched for hundreds of them at once: every request gets one.
 */
export function mintRequestId(): string {
  if (requestIdsUsed === requestIds.length) {
    requestIds = mintSecret(512 * 9);
    requestIdsUsed = 0;
  }
  const start = requestIdsUsed;
  requestIdsUsed += REQUEST_ID_LENGTH;
  return requestIds.slice(start, requestIdsUsed);
}

/** What was counted last in each of the latest milliseconds. Calls decided side by side began in different ones. */
const counts = new Map<number, number>();
const MILLISECONDS_KEPT = 64;
/** A count starts in the lower half of its 32 bits: about a million steps are left before it starts over. */
const HIGHEST_START = 2 ** 31;
const LONGEST_STEP = 2 ** 12;

/**
 * A UUID (RFC 9562, version 7) that sorts by `now`, milliseconds since 1970, and within one millisecond by the order in
 * which this process made them: what was made last is last, however quickly things are made. Whoever sees two of them
 * learns the order and not how many were made between: each millisecond counts from a random number in random steps.
 * Besides, 40 bits are random.
 */
export function mintOrderedUuid(now: number): string {
  const previous = counts.get(now);
  const count = (previous === undefined ? randomInt(HIGHEST_START) : previous + randomInt(1, LONGEST_STEP)) % 2 ** 32;
  counts.set(now, count);
  if (counts.size > MILLISECONDS_KEPT) {
    const [oldest] = counts.keys();
    if (oldest !== undefined) counts.delete(oldest);
  }
  const time = now.toString(16).padStart(12, '0');
  const digits = count.toString(16).padStart(8, '0');
  const rest = randomBytes(5).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6)}${rest}`;
}

/** A whole number of milliseconds from 0 up to, not including, `below`: spreads retries. */
export function jitterMs(below: number): number {
  return randomInt(Math.max(1, Math.ceil(below)));
}
