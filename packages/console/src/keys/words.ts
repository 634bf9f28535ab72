/** The words for keys. */
import { countText } from '../parts/count-words.ts';
import type { StatusWords } from '../parts/status.tsx';

/**
 * The state of a key as shown.
 *
 * @param expiresAt the end of an operator key; null for a key without an end
 * @param now milliseconds since 1970
 */
export function keyState(active: boolean, expiresAt: string | null, now: number): StatusWords {
  if (!active) return { tone: 'quiet', title: 'Revoked' };
  return hasEnded(expiresAt, now) ? { tone: 'quiet', title: 'Ended' } : { tone: 'good', title: 'Active' };
}

/** Whether the end of a key has come. */
export function hasEnded(expiresAt: string | null, now: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now;
}

/** The beginning of a hash, long enough to distinguish keys. */
export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}

/** "The key of ada was revoked.", "3 keys of ada were revoked." @param whose the owner, or the key and its owner */
export function revokedText(revoked: number, whose: string): string {
  if (revoked === 0) return `No key of ${whose} was active.`;
  return revoked === 1 ? `The key of ${whose} was revoked.` : `${countText(revoked)} keys of ${whose} were revoked.`;
}

/** The permissions of each role, shown beside the choice. */
export const ROLE_WORDS = {
  owner: { title: 'Owner', does: 'Everything, keys and people included.' },
  support: {
    title: 'Support',
    does: 'Sees everything; frees machines, extends licenses by up to 30 days, resolves violations, revokes, reinstates, writes notes.',
  },
  viewer: { title: 'Viewer', does: 'Sees everything and changes nothing.' },
} as const;
