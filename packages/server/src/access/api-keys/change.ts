/** The only writer of API keys; records every change. */
import { toTimestamp } from '../../ground/base/clock.ts';
import type { Origin, Recorded } from '../../platform/events/event.ts';
import { recording } from '../../platform/events/record.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { ApiKey } from './api-key.ts';
import { insertApiKey, revokeKey, revokeKeysOfCreator } from './store.ts';

/** Adds a key. */
export async function addApiKey(tx: Tx, origin: Origin, key: ApiKey): Promise<void> {
  const { hash: subject, name, creatorId } = key;
  const created: Recorded = { type: 'api_key.created', subject, creatorId, after: { name, active: true }, origin };
  await recording(tx, [created], (tx) => insertApiKey(tx, key));
}

/** Revokes a key; returns the number of active keys it revoked, 0 or 1. */
export async function revokeApiKey(tx: Tx, origin: Origin, { hash, name, creatorId }: ApiKey): Promise<number> {
  const before = { name, active: true };
  const after = { name, active: false };
  const revoked: Recorded = { type: 'api_key.revoked', subject: hash, creatorId, before, after, origin };
  const isRevoked = await recording(
    tx,
    (isRevoked) => (isRevoked ? [revoked] : []),
    (tx) => revokeKey(tx, hash, toTimestamp(origin.now)),
  );
  return isRevoked ? 1 : 0;
}

/** Revokes every active key of a creator and records one event with their number; returns that number. */
export async function revokeApiKeysOf(tx: Tx, origin: Origin, creatorId: string): Promise<number> {
  const before = { active: true };
  const changeOf = (revoked: number): Recorded => {
    const after = { active: false, revoked };
    return { type: 'api_key.revoked', creatorId, before, after, origin };
  };
  return recording(
    tx,
    (revoked) => (revoked > 0 ? [changeOf(revoked)] : []),
    (tx) => revokeKeysOfCreator(tx, creatorId, toTimestamp(origin.now)),
  );
}
