/** The only writer of API keys; records every change. */
import { toTimestamp } from '../../ground/base/clock.ts';
import type { Origin } from '../../platform/events/event.ts';
import { recordChanges } from '../../platform/events/record.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { ApiKey } from './api-key.ts';
import { insertApiKey, revokeKey, revokeKeysOfCreator } from './store.ts';

/** Adds a key. */
export async function addApiKey(tx: Tx, origin: Origin, key: ApiKey): Promise<void> {
  await insertApiKey(tx, key);
  const { hash: subject, name, creatorId } = key;
  await recordChanges(tx, [{ type: 'api_key.created', subject, creatorId, after: { name, active: true }, origin }]);
}

/** Revokes a key; returns the number of active keys it revoked, 0 or 1. */
export async function revokeApiKey(tx: Tx, origin: Origin, { hash, name, creatorId }: ApiKey): Promise<number> {
  if (!(await revokeKey(tx, hash, toTimestamp(origin.now)))) return 0;
  const before = { name, active: true };
  const after = { name, active: false };
  await recordChanges(tx, [{ type: 'api_key.revoked', subject: hash, creatorId, before, after, origin }]);
  return 1;
}

/** Revokes every active key of a creator and records one event with their number; returns that number. */
export async function revokeApiKeysOf(tx: Tx, origin: Origin, creatorId: string): Promise<number> {
  const revoked = await revokeKeysOfCreator(tx, creatorId, toTimestamp(origin.now));
  const before = { active: true };
  const after = { active: false, revoked };
  if (revoked > 0) await recordChanges(tx, [{ type: 'api_key.revoked', creatorId, before, after, origin }]);
  return revoked;
}
