/**
 * Safe retries: a POST with an `Idempotency-Key` is acted on once; for a day, the same caller repeating it gets the
 * first answer again, from the same transaction that acted. The key is held by its row: of two that come at once the
 * second waits for the first and then replays it.
 *
 * An answer may hold what is stored nowhere else in the clear (a new API key, a session token), so it is sealed with a
 * key made from the caller's Idempotency-Key, of which only a hash is stored.
 */
import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import { DAY_MS, toTimestamp } from '../clock.ts';
import type { Access } from '../endpoint/caller.ts';
import { mintBytes } from '../random.ts';
import { statement, type Tx } from '../storage/storage.ts';
import { type Call, type Idempotency, type Outcome, outcomeOfRefusal } from './call.ts';

/** How long a first answer is kept. */
const KEPT_MS = DAY_MS;

const claim = statement(
  'idempotent_reply.claim',
  `insert into idempotent_reply (caller, idempotency_key, request_hash, status, reply, created_at)
   values ($1, $2, $3, 0, '', $4) on conflict (caller, idempotency_key) do nothing`,
);
const find = statement(
  'idempotent_reply.find',
  // Locked, so that of two that find an answer too old to count only one acts.
  (words) => `select request_hash as "requestHash", status, reply, created_at as "createdAt" from idempotent_reply
   where caller = $1 and idempotency_key = $2 ${words.forUpdate}`,
);
const save = statement(
  'idempotent_reply.save',
  `update idempotent_reply set request_hash = $3, status = $4, reply = $5, created_at = $6
   where caller = $1 and idempotency_key = $2`,
);
const forget = statement(
  'idempotent_reply.forget',
  'delete from idempotent_reply where caller = $1 and idempotency_key = $2',
);

interface SavedReply {
  readonly requestHash: string;
  readonly status: number;
  readonly reply: string;
  readonly createdAt: string;
}

/**
 * Runs a call unless its first answer is known.
 *
 * @returns the outcome, or 422 when the key was used with another request
 */
export async function runIdempotently(
  tx: Tx,
  call: Call,
  { key, requestHash }: Idempotency,
  access: Access,
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  const caller = callerName(call, access);
  const keyHash = hash('sha256', key, 'base64url');
  const at = toTimestamp(call.circumstances.now);
  const isFirst = (await tx.run(claim, caller, keyHash, requestHash, at)) === 1;
  if (!isFirst) {
    const saved = await tx.first<SavedReply>(find, caller, keyHash);
    if (saved && saved.createdAt > toTimestamp(call.circumstances.now - KEPT_MS)) {
      if (saved.requestHash !== requestHash) return outcomeOfRefusal({ refused: 'idempotency_key_reused' }, 'success');
      return { status: saved.status, body: unseal(saved.reply, key) };
    }
  }
  const outcome = await run();
  if (isWorthKeeping(outcome))
    await tx.run(save, caller, keyHash, requestHash, outcome.status, seal(outcome.body, key), at);
  else await tx.run(forget, caller, keyHash);
  return outcome;
}

/** Answers that a corrected or later request should not be stuck with are not kept. */
function isWorthKeeping({ status }: Outcome): boolean {
  return status < 500 && ![400, 401, 422, 429].includes(status);
}

/** Whose key it is: two callers never meet on one. Client endpoints are known by the license key they show. */
function callerName(call: Call, access: Access): string {
  const { credential, read } = call;
  if (credential.kind === 'apiKey') return `key:${credential.hash}`;
  if (access !== 'client') return credential.kind;
  const licenseKey = 'fields' in read ? read.fields.licenseKey : undefined;
  return typeof licenseKey === 'string' ? `license:${licenseKey.trim().toUpperCase()}` : call.circumstances.address;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

const sealingKey = (key: string) => hash('sha256', `latchkey reply ${key}`, 'buffer');

function seal(body: string, key: string): string {
  const nonce = mintBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, sealingKey(key), nonce);
  const sealed = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

function unseal(reply: string, key: string): string {
  const bytes = Buffer.from(reply, 'base64url');
  const decipher = createDecipheriv(CIPHER, sealingKey(key), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const opened = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
  return Buffer.concat(opened).toString('utf8');
}
