/** Changes several destinations at once: for commands, restored databases and leaked keys. */
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { changeDestination } from './change.ts';
import type { Destination } from './destination.ts';
import { listIdsOfKey, listIdsOfKeysOf } from './key-store.ts';
import { findDestination, listInState, saveProgress, withLockedProgress } from './store.ts';
import { lockDestinations } from './turn-store.ts';

/**
 * Pauses every active destination of a copied or restored database, which would otherwise repeat events of the
 * original. Returns the number of paused destinations.
 */
export async function pauseCopied(tx: Tx, origin: Origin): Promise<number> {
  // Taking the lock updates a row, and a database without active destinations must stay unchanged.
  if ((await listInState(tx, 'active')).length === 0) return 0;
  await lockDestinations(tx);
  return pauseAll(tx, origin, await listInState(tx, 'active'), 'copied');
}

/** Pauses those of the given destinations that are active; returns their number. The caller holds the lock. */
export async function pauseAll(
  tx: Tx,
  origin: Origin,
  destinations: readonly Destination[],
  stateReason: 'copied' | 'by_person' | 'by_command',
): Promise<number> {
  const active = destinations.filter(({ state }) => state === 'active');
  for (const each of active)
    await changeDestination(tx, origin, 'destination.paused', each, { ...each, state: 'paused', stateReason });
  return active.length;
}

/** Resumes paused destinations where they stopped. The caller holds the lock. */
export async function resumeAll(tx: Tx, origin: Origin, paused: readonly Destination[]): Promise<void> {
  for (const { destination, progress } of await withLockedProgress(tx, paused)) {
    await saveProgress(tx, [{ ...progress, failingSince: null, failures: 0, nextTryAt: null }]);
    const resumed: Destination = { ...destination, state: 'active', stateReason: null };
    await changeDestination(tx, origin, 'destination.resumed', destination, resumed);
  }
}

/**
 * Returns the number of destinations that an API key, or any key of a creator, created or changed.
 *
 * @param of the hash of the key, or the creator
 * @param pauses true to pause those that are active
 */
export async function countOrPauseOfKeys(
  tx: Tx,
  origin: Origin,
  of: { readonly keyHash: string } | { readonly creatorId: string },
  pauses: boolean,
): Promise<number> {
  // Before the look, so that a change in progress is seen.
  if (pauses) await lockDestinations(tx);
  const ids = 'keyHash' in of ? await listIdsOfKey(tx, of.keyHash) : await listIdsOfKeysOf(tx, of.creatorId);
  if (!pauses) return ids.length;
  const found: Destination[] = [];
  for (const id of ids) {
    const destination = await findDestination(tx, id, { creatorId: null });
    if (destination !== undefined) found.push(destination);
  }
  await pauseAll(tx, origin, found, 'by_person');
  return ids.length;
}
