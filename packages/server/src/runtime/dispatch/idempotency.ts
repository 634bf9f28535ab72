/**
 * Safe retries. A POST that writes, carries an `Idempotency-Key` and succeeds takes effect once. The transaction of the
 * action also stores the reply, and for a day the same caller repeating the request gets that reply again. A refusal is
 * not stored: it changed nothing, and the request may succeed later. The key's row is the lock: of two concurrent
 * requests, the second waits for the first and then replays its reply.
 *
 * Reads have no such protection (endpoint.ts, `hasSafeRetries`), because they are safe to repeat, and callers with read
 * access must not be able to fill the database. Nor do the five client endpoints, because yesterday's reply must not
 * say that a license is valid today. The stored bytes are bounded (docs/contributors/decisions/0020). Beyond the bound,
 * a row records only that the request took effect, and its repetition is refused.
 */
import { hash } from 'node:crypto';
import { toTimestamp } from '../../ground/base/clock.ts';
import type { Caller, Credential } from '../../platform/endpoint/caller.ts';
import { type Outcome, outcomeOfRefusal } from '../../platform/endpoint/outcome.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
import {
  claimOrFind,
  forgetReply,
  REPLIES_KEPT_MS,
  type ReplyKey,
  type SavedReply,
  saveReply,
} from '../../platform/kept-replies/reply-store.ts';
import { takeRoom } from '../../platform/kept-replies/room-store.ts';
import { open, type SealOwner, seal } from '../../platform/kept-replies/seal.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { Call, Idempotency } from './call.ts';

/**
 * The sealed content. The request's hash is sealed with the reply, because a request may contain a secret that could be
 * guessed from the hash.
 */
interface KeptReply {
  readonly requestHash: string;
  readonly body: string;
}

/**
 * Prefixes of the sealed hash of a request whose reply is not stored: it took effect, or it was a dry run. A sealed
 * text never contains the dot. Nodes of the previous version, which do not know such rows, cannot open them and reply
 * 409.
 */
const ACTED = 'acted.';
const TRIED = 'tried.';

/** The caller, with the context that the rules need. */
interface Asking {
  readonly caller: Caller;
  readonly ruleContext: Pick<RuleContext, 'settings' | 'believedTime'>;
}

/**
 * Runs a call unless its first reply is stored. A dry run (`dryRun`) runs each time.
 *
 * @returns the outcome; 422 if the key was used with another request; 409 if it was used, but the reply was not stored
 *   or can no longer be opened, for example after two changes of the admin secret
 */
export async function runIdempotently(
  tx: Tx,
  call: Call,
  { key, requestHash }: Idempotency,
  { caller, ruleContext: { settings, believedTime } }: Asking,
  run: () => Promise<Outcome<string>>,
): Promise<Outcome<string>> {
  const { now } = call.requestContext;
  const { sealingKeys } = settings;
  const dated = believedTime.sessionNow(now);
  const at = toTimestamp(dated);
  const owner: SealOwner = {
    idempotencyKey: key,
    caller: callerName(call.credential, call.requestContext.address, caller),
  };
  const row: ReplyKey = { caller: owner.caller, keyHash: hash('sha256', key, 'base64url') };
  const saved = await claimOrFind(tx, row, at);
  if (saved !== null && !isOver(saved, believedTime.believableNow(now)))
    return replayOf(saved, requestHash, owner, sealingKeys) ?? run();
  const outcome = await run();
  if (outcome.status >= 300) {
    await forgetReply(tx, row);
    return outcome;
  }
  const reply = await replyToKeep(tx, call, { requestHash, body: outcome.body }, owner, { settings, dated });
  await saveReply(tx, row, { status: outcome.status, reply, createdAt: at });
  return outcome;
}

/**
 * True if a reply has been stored for so long that its key may be used again. While the clock is not believed, no reply
 * expires.
 */
function isOver({ createdAt }: SavedReply, believableNow: number | null): boolean {
  return believableNow !== null && createdAt <= toTimestamp(believableNow - REPLIES_KEPT_MS);
}

/** True for a dry run, which changes nothing at any endpoint that has the field. */
function isDryRun({ read }: Call): boolean {
  return 'fields' in read && read.fields.dryRun === true;
}

/** The stored form of a success: the reply if it is within the bounds, else a prefix with the request's hash. */
async function replyToKeep(
  tx: Tx,
  call: Call,
  kept: KeptReply,
  owner: SealOwner,
  {
    settings: { sealingKeys, keptReplies },
    dated,
  }: { readonly settings: Asking['ruleContext']['settings']; readonly dated: number },
): Promise<string> {
  const sealed = (text: string) => seal(text, owner, sealingKeys);
  if (isDryRun(call)) return TRIED + sealed(kept.requestHash);
  if (Buffer.byteLength(kept.body) <= keptReplies.ofReply) {
    const reply = sealed(JSON.stringify(kept));
    const { kind } = call.credential;
    const maxBytes = kind === 'admin' || kind === 'webhook' ? keptReplies.ofOperatorSecret : keptReplies.ofCaller;
    const wanted = { caller: owner.caller, bytes: reply.length, maxBytes };
    if (await takeRoom(tx, wanted, dated)) return reply;
  }
  return ACTED + sealed(kept.requestHash);
}

/** The reply to a repetition; null if the call is to run again because it is a dry run. */
function replayOf(
  saved: SavedReply,
  requestHash: string,
  owner: SealOwner,
  sealingKeys: readonly Uint8Array[],
): Outcome<string> | null {
  const mark = [ACTED, TRIED].find((each) => saved.reply.startsWith(each)) ?? '';
  const opened = open(saved.reply.slice(mark.length), owner, sealingKeys);
  // The request succeeded once, so it must not run again, even if its reply is lost.
  if (opened === null) return outcomeOfRefusal(refuse('idempotent_reply_lost'), 'success');
  const kept = mark === '' ? (JSON.parse(opened) as KeptReply) : { requestHash: opened };
  if (kept.requestHash !== requestHash) return outcomeOfRefusal(refuse('idempotency_key_reused'), 'success');
  if (mark === TRIED) return null;
  return 'body' in kept
    ? { status: saved.status, body: kept.body }
    : outcomeOfRefusal(refuse('idempotent_reply_lost'), 'success');
}

/**
 * The owner of a key. Two callers never share a key. Every credential shown is part of the name, because a reply
 * obtained with two credentials must not go to a caller who has only one of them. All sessions begun with one secret or
 * key are one caller, so that a user who is signed out before the reply arrives can sign in again and repeat the call.
 */
function callerName(credential: Credential, address: string | null, caller: Caller): string {
  if (credential.kind === 'none') return address ?? '';
  if ((caller.kind === 'admin' || caller.kind === 'creator') && caller.session !== undefined)
    return `session of ${caller.session.source}`;
  if (credential.kind !== 'apiKey') return credential.kind;
  const { hash: keyHash, beside } = credential;
  return beside === 'none' ? `key:${keyHash}` : `key:${keyHash} beside ${beside}`;
}
