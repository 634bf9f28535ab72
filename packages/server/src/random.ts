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

/** A secret of `bytes` random bytes as base64url text. */
export function mintSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

/** A random identifier: 16 characters of base64url, 96 bits. */
export function mintId(): string {
  return mintSecret(12);
}

/** A random UUID. */
export function mintUuid(): string {
  return randomUUID();
}

/** A whole number of milliseconds from 0 up to, not including, `below`: spreads retries. */
export function jitterMs(below: number): number {
  return randomInt(Math.max(1, Math.ceil(below)));
}
