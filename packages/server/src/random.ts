/** The only source of chance: node:crypto's generator, for everything from license keys to retry delays. */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';

/** Letters and digits that nobody mistakes for another: no 0, O, I, 1, L (specification, "Seat code format"). */
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

let orderedUuids = 0;

/**
 * A UUID (RFC 9562, version 7) that sorts by `now`, milliseconds since 1970, and within one millisecond by the order in
 * which this process made them: what was made last is last, however quickly things are made. 48 of its bits are random.
 */
export function mintOrderedUuid(now: number): string {
  orderedUuids = (orderedUuids + 1) % 0x1000000;
  const time = now.toString(16).padStart(12, '0');
  const count = orderedUuids.toString(16).padStart(6, '0');
  const chance = randomBytes(6).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.slice(0, 3)}-8${count.slice(3)}-${chance}`;
}

/** A whole number of milliseconds from 0 up to, not including, `below`: spreads retries. */
export function jitterMs(below: number): number {
  return randomInt(Math.max(1, Math.ceil(below)));
}
