/** The kept replies of safe retries, by caller and key. */

import { DAY_MS } from '../../ground/base/clock.ts';
import { StorageBusy, statement, type Tx, tableOf } from '../../storage/contract/storage.ts';
import { untouched } from '../jobs/due-store.ts';
import type { StepBounds } from '../jobs/step-size.ts';
import type { StepDone } from '../jobs/tidying.ts';

/** Retention of replies that are repeated for safe retries (rules 9). */
export const REPLIES_KEPT_MS = DAY_MS;
/** Maximum number of attempts to claim a key whose row is deleted each time between the claim and the read. */
const MAX_CLAIMS = 3;

const claim = statement(
  'idempotent_reply.claim',
  `insert into idempotent_reply (caller, idempotency_key, status, reply, created_at)
   values ($1, $2, 0, '', $3) on conflict (caller, idempotency_key) do nothing`,
);
const find = statement(
  'idempotent_reply.find',
  // Locks the row, so that only one of two requests acts when both find an expired reply.
  (dialect) => `select status, reply, created_at as "createdAt" from idempotent_reply
   where caller = $1 and idempotency_key = $2 ${dialect.forUpdate}`,
);
const save = statement(
  'idempotent_reply.save',
  `update idempotent_reply set status = $3, reply = $4, created_at = $5
   where caller = $1 and idempotency_key = $2`,
);
const forget = statement(
  'idempotent_reply.forget',
  'delete from idempotent_reply where caller = $1 and idempotency_key = $2',
);
// The length of a text is in its row: neither engine reads the text itself for it.
const listOld = statement(
  'idempotent_reply.list_old',
  (dialect) => `select r.caller, r.idempotency_key as "key", octet_length(r.reply) as "bytes"
   from idempotent_reply r where r.created_at <= $1 order by r.created_at limit $2 ${untouched(dialect)}`,
);
const deleteListed = statement(
  'idempotent_reply.delete_old',
  (dialect) => `delete from idempotent_reply where (caller, idempotency_key) in
     (select r.caller, r.idempotency_key
      from ${dialect.table('$1', { caller: 'text', idempotency_key: 'text' })} r)`,
);

/** Names a row. */
export interface ReplyKey {
  readonly caller: string;
  readonly keyHash: string;
}

export interface SavedReply {
  readonly status: number;
  /** Sealed (seal.ts). */
  readonly reply: string;
  readonly createdAt: string;
}

/**
 * Returns null if this call now owns the key; otherwise the reply stored for the key, which is locked.
 *
 * @throws StorageBusy if the row is deleted again and again between the claim and the read
 */
export async function claimOrFind(tx: Tx, { caller, keyHash }: ReplyKey, at: string): Promise<SavedReply | null> {
  for (let claims = 0; claims < MAX_CLAIMS; claims++) {
    if ((await tx.run(claim, caller, keyHash, at)) === 1) return null;
    const saved = await tx.first<SavedReply>(find, caller, keyHash);
    if (saved !== undefined) return saved;
    // Tidying deleted the row in between. Acting without a claim could mean acting twice.
  }
  throw new StorageBusy('the row of an Idempotency-Key was removed again and again');
}

/** Stores the reply of a key that this call owns. */
export async function saveReply(tx: Tx, { caller, keyHash }: ReplyKey, saved: SavedReply): Promise<void> {
  await tx.run(save, caller, keyHash, saved.status, saved.reply, saved.createdAt);
}

/** Gives up a key that this call owns. */
export async function forgetReply(tx: Tx, { caller, keyHash }: ReplyKey): Promise<void> {
  await tx.run(forget, caller, keyHash);
}

/**
 * Deletes replies to idempotent requests older than a moment, as many as the bounds allow: replies kept by an earlier
 * version may have many megabytes.
 */
export async function deleteOldReplies(tx: Tx, before: string, most: StepBounds): Promise<StepDone> {
  const old = await tx.all<{ readonly caller: string; readonly key: string; readonly bytes: number }>(
    listOld,
    before,
    most.rows,
  );
  let bytes = 0;
  const taken = old.filter((reply, index) => {
    bytes += reply.bytes;
    return index === 0 || bytes <= most.bytes;
  });
  const keys = taken.map(({ caller, key }) => [caller, key]);
  const rows = keys.length === 0 ? 0 : await tx.run(deleteListed, tableOf(keys));
  return { rows, isLast: old.length < most.rows && taken.length === old.length };
}
