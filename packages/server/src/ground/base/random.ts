/**
 * Random values, from license keys to retry delays, all from the generator of node:crypto. No other file makes them.
 */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';

/** Letters and digits that are not easily confused: no 0, O, I, 1, L (rules 2.1, 2.9). */
export const UNAMBIGUOUS_ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** Groups of unambiguous characters joined by hyphens: `mintGroups(2, 4)` is like `K7QW-2MNP`. About 4.95 bits each. */
export function mintGroups(groups: number, length: number): string {
  return Array.from({ length: groups }, () =>
    Array.from({ length }, () => UNAMBIGUOUS_ALPHABET[randomInt(UNAMBIGUOUS_ALPHABET.length)]).join(''),
  ).join('-');
}

export function mintBytes(bytes: number): Buffer {
  return randomBytes(bytes);
}

/** A secret of `bytes` random bytes as base64url text. */
export function mintSecret(bytes: number): string {
  return mintBytes(bytes).toString('base64url');
}

/** Random bytes fetched at once: a system call for a few bytes costs more than the bytes do. */
const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let poolUsed = 0;

/** Returns random bytes for identifiers, none of which is used twice. They are valid until the next call. */
function pooledBytes(bytes: number): Buffer {
  if (poolUsed + bytes > pool.length) {
    pool = randomBytes(POOL_BYTES);
    poolUsed = 0;
  }
  poolUsed += bytes;
  return pool.subarray(poolUsed - bytes, poolUsed);
}

/** A random identifier: 16 characters of base64url, 96 bits. */
export function mintId(): string {
  return pooledBytes(12).toString('base64url');
}

/** A random UUID. */
export function mintUuid(): string {
  return randomUUID();
}

/** The 64 characters of base64url in the order in which text is compared. */
const ORDERED_ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
/** Seven characters hold 42 bits: milliseconds until the year 2109. */
const TIME_LENGTH = 7;
const RANDOM_LENGTH = 7;
let requestIds = '';
let requestIdsUsed = 0;
let prefixOf = Number.NaN;
let prefix = '';

/**
 * Makes an id for a request: 14 characters of the alphabet of base64url. The first seven are the time, `now` in
 * milliseconds since 1970, so that ids sort by it and the index of events by request grows at its end. The others are
 * 42 random bits, so that an id reveals nothing about other requests. Random bytes are fetched for hundreds of ids at
 * once, because every request gets one.
 */
export function mintRequestId(now: number): string {
  if (now !== prefixOf) [prefixOf, prefix] = [now, orderedText(now)];
  if (requestIdsUsed + RANDOM_LENGTH > requestIds.length) {
    requestIds = mintSecret(3 * POOL_BYTES);
    requestIdsUsed = 0;
  }
  const start = requestIdsUsed;
  requestIdsUsed += RANDOM_LENGTH;
  return prefix + requestIds.slice(start, requestIdsUsed);
}

/** Returns a moment as text that sorts by time. */
function orderedText(milliseconds: number): string {
  let text = '';
  for (let rest = milliseconds; text.length < TIME_LENGTH; rest = Math.floor(rest / 64))
    text = ORDERED_ALPHABET.charAt(rest % 64) + text;
  return text;
}

/**
 * The last count in each of the latest milliseconds. Calls that are decided side by side may have begun in different
 * ones.
 */
const counts = new Map<number, number>();
const MILLISECONDS_KEPT = 64;
/** A count starts in the lower half of its 32 bits: about a million steps are left before it starts over. */
const HIGHEST_START = 2 ** 31;
const LONGEST_STEP = 2 ** 12;

/**
 * Makes a UUID (RFC 9562, version 7) that sorts by `now`, milliseconds since 1970, and within one millisecond by the
 * order in which this process made them, however fast it makes them. Two of them reveal their order but not the number
 * made between them, because each millisecond counts from a random number in random steps. Another 40 bits are random.
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
  const rest = pooledBytes(5).toString('hex');
  return `${orderedPrefix(now)}-7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6)}${rest}`;
}

/**
 * Returns the prefix that every {@link mintOrderedUuid} of a moment begins with. It sorts before all UUIDs of this
 * moment and later, and after all earlier ones. `now` is milliseconds since 1970.
 *
 * @throws RangeError for a fraction: its digits would sort after every later moment
 */
export function orderedPrefix(now: number): string {
  if (!Number.isSafeInteger(now)) throw new RangeError(`a moment is a whole number of milliseconds, not ${now}`);
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** Returns the time of a {@link mintOrderedUuid} in milliseconds since 1970. */
export function orderedTime(orderedUuid: string): number {
  return Number.parseInt(orderedUuid.slice(0, 8) + orderedUuid.slice(9, 13), 16);
}

/** Returns a random whole number of milliseconds from 0 up to, but not including, `below`, to spread retries. */
export function jitterMs(below: number): number {
  return randomInt(Math.max(1, Math.ceil(below)));
}

/** A number from 0 to 1, for waits that must differ from one another. */
export function mintFraction(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}
