/**
 * Safe retries: a POST with an `Idempotency-Key` that writes and succeeded is acted on once; for a day, the same caller
 * repeating it gets the first answer again, from the same transaction that acted. A refusal is not kept: what was refused
 * changed nothing, and may be possible when it is asked again. The key is held by its row: of two that come at once the
 * second waits for the first and then replays it.
 *
 * Reads have none of this (endpoint.ts, `hasSafeRetries`): they are safe to repeat, and whoever may only read must not be
 * able to fill the database. Neither have the five client endpoints: an answer of yesterday must not say that a license is
 * valid today. How many bytes are kept is bounded (docs/decisions/0020): beyond it a row says that the request was acted
 * on, and its repeat is refused.
 */
import { hash } from 'node:crypto';
import { toTimestamp } from '../clock.ts';
import type { Caller, Credential } from '../endpoint/caller.ts';
import { refuse } from '../refusals.ts';
import { KEPT_MS } from '../retention.ts';
import type { RuleContext } from '../rule-context.ts';
import { StorageBusy, statement, type Tx } from '../storage/storage.ts';
import { type Call, type Idempotency, type Outcome, outcomeOfRefusal } from './call.ts';
import { takeRoom } from './reply-room-store.ts';
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
 * What stands before the sealed hash of a request whose answer is not kept: it was acted on, or it only tried what would
 * come of it. The dot is in no sealed text, and nodes of the version before, which know no such rows, cannot open them and
 * answer 409.
 */
const ACTED = 'acted.';
const TRIED = 'tried.';

/** Who asks, and what of that rules are given. */
interface Asking {
  readonly caller: Caller;
  readonly ruleContext: Pick<RuleContext, 'settings' | 'believedTime'>;
}

/**
 * Runs a call unless its first answer is known. One that only tries (`dryRun`) is run each time.
 *
 * @returns the outcome; 422 when the key was used with another request, 409 when it was used and the answer was not kept or
 *   cannot be opened any more, as after the administrator's secret was changed twice
 */
export async function runIdempotently(
  tx: Tx,
  call: Call,
  { key, requestHash }: Idempotency,
  { caller, ruleContext: { settings, believedTime } }: Asking,
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  const { now } = call.requestContext;
  const { sealingKeys } = settings;
  const dated = believedTime.sessionNow(now);
  const at = toTimestamp(dated);
  const owner: SealOwner = {
    idempotencyKey: key,
    caller: callerName(call.credential, call.requestContext.address, caller),
  };
  const keyHash = hash('sha256', key, 'base64url');
  const saved = await claimOrFind(tx, owner.caller, keyHash, at);
  if (saved !== null && !isOver(saved, believedTime.believableNow(now)))
    return replayOf(saved, requestHash, owner, sealingKeys) ?? run();
  const outcome = await run();
  if (outcome.status >= 300) {
    await tx.run(forget, owner.caller, keyHash);
    return outcome;
  }
  const reply = await replyToKeep(tx, call, { requestHash, body: outcome.body }, owner, { settings, dated });
  await tx.run(save, owner.caller, keyHash, outcome.status, reply, at);
  return outcome;
}

/** Whether an answer was kept for so long that its key may be used again. By a clock that is not believed nothing is over. */
function isOver({ createdAt }: SavedReply, believableNow: number | null): boolean {
  return believableNow !== null && createdAt <= toTimestamp(believableNow - KEPT_MS.safeRetries);
}

/** Whether a call only tries what would come of it: whatever endpoint has the field, it changes nothing then. */
function isDryRun({ read }: Call): boolean {
  return 'fields' in read && read.fields.dryRun === true;
}

/** What is stored of a success: the reply, where it is within the bounds, else what was done and of which request. */
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
    const mostBytes = kind === 'admin' || kind === 'webhook' ? keptReplies.ofOperatorSecret : keptReplies.ofCaller;
    const wanted = { caller: owner.caller, bytes: reply.length, mostBytes };
    if (await takeRoom(tx, wanted, dated)) return reply;
  }
  return ACTED + sealed(kept.requestHash);
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

/** What is answered to a repeat; null where it is to be run again, because it only tries. */
function replayOf(
  saved: SavedReply,
  requestHash: string,
  owner: SealOwner,
  sealingKeys: readonly Uint8Array[],
): Outcome | null {
  const mark = [ACTED, TRIED].find((each) => saved.reply.startsWith(each)) ?? '';
  const opened = open(saved.reply.slice(mark.length), owner, sealingKeys);
  // It succeeded once, so it must not be acted on again, whatever became of the answer.
  if (opened === null) return outcomeOfRefusal(refuse('idempotent_reply_lost'), 'success');
  const kept = mark === '' ? (JSON.parse(opened) as KeptReply) : { requestHash: opened };
  if (kept.requestHash !== requestHash) return outcomeOfRefusal(refuse('idempotency_key_reused'), 'success');
  if (mark === TRIED) return null;
  return 'body' in kept
    ? { status: saved.status, body: kept.body }
    : outcomeOfRefusal(refuse('idempotent_reply_lost'), 'success');
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
