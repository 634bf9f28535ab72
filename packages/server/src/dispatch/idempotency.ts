/**
 * Safe retries: a POST with an `Idempotency-Key` that succeeded is acted on once; for a day, the same caller repeating it
 * gets the first answer again, from the same transaction that acted. A refusal is not kept: what was refused changed
 * nothing, and may be possible when it is asked again. The key is held by its row: of two that come at once the second
 * waits for the first and then replays it.
 *
 * The five client endpoints have none of this (the listener ignores the header there): an answer of yesterday must not say
 * that a license is valid today, and whoever has no credential must not be able to fill the table.
 */
import { hash } from 'node:crypto';
import { toTimestamp } from '../clock.ts';
import type { Caller, Credential } from '../endpoint/caller.ts';
import { refuse } from '../refusals.ts';
import { KEPT_MS } from '../retention.ts';
import { StorageBusy, statement, type Tx } from '../storage/storage.ts';
import { type Call, type Idempotency, type Outcome, outcomeOfRefusal } from './call.ts';
import { open, type SealOwner, seal } from './reply-seal.ts';

/** How often a key is claimed whose row is removed each time between the claim and the look at it. */
const MOST_CLAIMS = 3;

const claim = statement(
  'idempotent_reply.claim',
  `insert into idempotent_reply (caller, idempotency_key, status, reply, created_at)
   values ($1, $2, 0, '', $3) on conflict (caller, idempotency_key) do nothing`,
);
const find = statement(
  'idempotent_reply.find',
  // Locked, so that of two that find an answer too old to count only one acts.
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

interface SavedReply {
  readonly status: number;
  readonly reply: string;
  readonly createdAt: string;
}

/** What is sealed: the request's hash goes with the answer, because a request may hold a secret that could be guessed. */
interface KeptReply {
  readonly requestHash: string;
  readonly body: string;
}

/**
 * Runs a call unless its first answer is known.
 *
 * @param by who asks, and the keys from reply-seal.ts, the present one first
 * @returns the outcome; 422 when the key was used with another request, 409 when it was used and the answer cannot be
 *   opened any more, as after the administrator's secret was changed twice
 */
export async function runIdempotently(
  tx: Tx,
  call: Call,
  { key, requestHash }: Idempotency,
  by: { readonly caller: Caller; readonly sealingKeys: readonly Uint8Array[] },
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  const { now } = call.requestContext;
  const { sealingKeys } = by;
  const caller = callerName(call.credential, call.requestContext.address, by.caller);
  const keyHash = hash('sha256', key, 'base64url');
  const owner: SealOwner = { idempotencyKey: key, caller };
  const saved = await claimOrFind(tx, caller, keyHash, toTimestamp(now));
  if (saved !== null && saved.createdAt > toTimestamp(now - KEPT_MS.safeRetries))
    return replayOf(saved, requestHash, owner, sealingKeys);
  const outcome = await run();
  if (outcome.status < 300) {
    const kept: KeptReply = { requestHash, body: outcome.body };
    const reply = seal(JSON.stringify(kept), owner, sealingKeys);
    await tx.run(save, caller, keyHash, outcome.status, reply, toTimestamp(now));
  } else await tx.run(forget, caller, keyHash);
  return outcome;
}

/** Null when the key is this call's from now on; else the answer it was used for. */
async function claimOrFind(tx: Tx, caller: string, keyHash: string, at: string): Promise<SavedReply | null> {
  for (let claims = 0; claims < MOST_CLAIMS; claims++) {
    if ((await tx.run(claim, caller, keyHash, at)) === 1) return null;
    const saved = await tx.first<SavedReply>(find, caller, keyHash);
    if (saved !== undefined) return saved;
    // Tidying removed the row in between. To act without the claim could be to act twice.
  }
  throw new StorageBusy('the row of an Idempotency-Key was removed again and again');
}

function replayOf(
  saved: SavedReply,
  requestHash: string,
  owner: SealOwner,
  sealingKeys: readonly Uint8Array[],
): Outcome {
  const opened = open(saved.reply, owner, sealingKeys);
  // It succeeded once, so it must not be acted on again, whatever became of the answer.
  if (opened === null) return outcomeOfRefusal(refuse('idempotent_reply_lost'), 'success');
  const kept = JSON.parse(opened) as KeptReply;
  if (kept.requestHash !== requestHash) return outcomeOfRefusal(refuse('idempotency_key_reused'), 'success');
  return { status: saved.status, body: kept.body };
}

/**
 * Whose key it is: two callers never meet on one, and every credential that was shown is part of the name, because an
 * answer that took two credentials is not for whoever has one of them. Sessions that were begun with one secret or key are
 * one caller: whoever was signed out while an answer was on its way signs in again and repeats the call.
 */
function callerName(credential: Credential, address: string | null, caller: Caller): string {
  if (credential.kind === 'none') return address ?? '';
  if ((caller.kind === 'admin' || caller.kind === 'creator') && caller.session !== undefined)
    return `session of ${caller.session.source}`;
  if (credential.kind !== 'apiKey') return credential.kind;
  const { hash: keyHash, beside } = credential;
  return beside === 'none' ? `key:${keyHash}` : `key:${keyHash} beside ${beside}`;
}
