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

/** Bytes of chance that are fetched at once: a call of the system for each few of them costs more than they do. */
const CHANCE_FETCHED = 4096;
let chance = Buffer.alloc(0);
let chanceUsed = 0;

/** So many bytes of chance for identifiers, of which none is used twice. They may be looked at until the next are asked for. */
function nextChance(bytes: number): Buffer {
  if (chanceUsed + bytes > chance.length) {
    chance = randomBytes(CHANCE_FETCHED);
    chanceUsed = 0;
  }
  chanceUsed += bytes;
  return chance.subarray(chanceUsed - bytes, chanceUsed);
}

/** A random identifier: 16 characters of base64url, 96 bits. */
export function mintId(): string {
  return nextChance(12).toString('base64url');
}

/** A random UUID. */
export function mintUuid(): string {
  return randomUUID();
}

/** The 64 characters of base64url in the order in which text is compared. */
const ORDERED_ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
/** Seven characters hold 42 bits: milliseconds until the year 2109. */
const TIME_LENGTH = 7;
const CHANCE_LENGTH = 7;
let requestIds = '';
let requestIdsUsed = 0;
let prefixOf = Number.NaN;
let prefix = '';

/**
 * An id for a request: 14 characters of the alphabet of base64url. The first seven are the time, `now` in milliseconds
 * since 1970, so that ids sort by it and the index that events are found in by request grows at its end; the others are
 * 42 bits of chance, so that an id tells nothing about other requests. Chance is fetched for hundreds of them at once:
 * every request gets one.
 */
export function mintRequestId(now: number): string {
  if (now !== prefixOf) [prefixOf, prefix] = [now, orderedText(now)];
  if (requestIdsUsed + CHANCE_LENGTH > requestIds.length) {
    requestIds = mintSecret(3 * CHANCE_FETCHED);
    requestIdsUsed = 0;
  }
  const start = requestIdsUsed;
  requestIdsUsed += CHANCE_LENGTH;
  return prefix + requestIds.slice(start, requestIdsUsed);
}

/** A moment as text that sorts as moments do. */
function orderedText(milliseconds: number): string {
  let text = '';
  for (let rest = milliseconds; text.length < TIME_LENGTH; rest = Math.floor(rest / 64))
    text = ORDERED_ALPHABET.charAt(rest % 64) + text;
  return text;
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
  const digits = count.toString(16).padStart(8, '0');
  const rest = nextChance(5).toString('hex');
  return `${orderedPrefix(now)}-7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6)}${rest}`;
}

/**
 * What every {@link mintOrderedUuid} of a moment begins with: less than all of this moment and later, more than all of
 * earlier ones. `now` is milliseconds since 1970.
 */
export function orderedPrefix(now: number): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** A whole number of milliseconds from 0 up to, not including, `below`: spreads retries. */
export function jitterMs(below: number): number {
  return randomInt(Math.max(1, Math.ceil(below)));
}
