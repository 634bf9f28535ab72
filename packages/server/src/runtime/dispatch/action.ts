/** Runs one call in one read or transaction: identifies the caller, checks the fields, then runs the action. */
import { actorOf, type Caller, callerNames, type Identify, scopeOf } from '../../platform/endpoint/caller.ts';
import {
  type Endpoint,
  hasSafeRetries,
  NothingKept,
  type Reply,
  type Request,
  type UncheckedFields,
} from '../../platform/endpoint/endpoint.ts';
import type { FieldsRead } from '../../platform/endpoint/fields.ts';
import { MAX_CHANGED_NAMED, type Outcome, outcomeOfRefusal } from '../../platform/endpoint/outcome.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { refusalOfRole } from '../../platform/endpoint/roles.ts';
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
import { CommitUnknown, type Sql, StorageAway, StorageBusy, type Tx } from '../../storage/contract/storage.ts';
import type { Call } from './call.ts';
import { runIdempotently } from './idempotency.ts';
import { lockQuotas } from './quotas.ts';

/** Dependencies that every call needs. */
export interface DispatchContext {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly identify: Identify;
  readonly ruleContext: RuleContext;
}

/** The endpoint of a call. */
export function endpointOf(call: Call, { endpoints }: Pick<DispatchContext, 'endpoints'>): Endpoint {
  const endpoint = endpoints.get(call.path);
  if (endpoint === undefined) throw new Error(`no endpoint ${call.path}`);
  return endpoint;
}

/**
 * True if a call writes: its endpoint writes, or the call records the use of a session. An Idempotency-Key does not
 * turn a read into a write, because callers with read access must not be able to fill the database.
 */
export function isWrite(call: Call, { work }: Endpoint): boolean {
  if (call.credential.kind === 'session' && call.credential.keepsUse) return true;
  return work.kind === 'batch' ? work.batch.mode === 'write' : work.kind === 'write';
}

/** Runs a read-only call. */
export function runRead(sql: Sql, call: Call, endpoint: Endpoint, context: DispatchContext): Promise<Outcome<string>> {
  const { work } = endpoint;
  if (work.kind !== 'read') throw new Error(`${call.path} does not only read`);
  return answerIdentified(sql, call, endpoint, context, (request) => work.act(sql, request));
}

/** Runs a call in a transaction; exactly once if it has an Idempotency-Key. */
export function runWrite(tx: Tx, call: Call, endpoint: Endpoint, context: DispatchContext): Promise<Outcome<string>> {
  const { work } = endpoint;
  if (work.kind === 'batch') throw new Error(`${call.path} is decided in batches`);
  return answerIdentified(tx, call, endpoint, context, (request) => work.act(tx, request), tx);
}

/**
 * Identifies the caller, then runs the action.
 *
 * @param tx the transaction, if any; a write with an Idempotency-Key runs once in it
 */
async function answerIdentified(
  sql: Sql,
  call: Call,
  endpoint: Endpoint,
  { identify, ruleContext }: DispatchContext,
  act: (request: Request<UncheckedFields>) => Promise<Reply | Refusal>,
  tx?: Tx,
): Promise<Outcome<string>> {
  const { read, requestContext, idempotency } = call;
  // Identify the caller before anything else, including the lookup of a stored reply, so that no reply is replayed to a
  // key revoked in the meantime.
  const sessionNow = ruleContext.believedTime.sessionNow(requestContext.now);
  const asked = { access: endpoint.access, now: sessionNow, settings: ruleContext.settings, tx: tx ?? null };
  const caller = callerInside(endpoint, read) ?? (await identify(sql, call.credential, asked));
  if (isRefusal(caller)) return outcomeOfRefusal(caller, endpoint.flag);
  const names = callerNames(caller);
  const notAllowed = refusalOfRole(caller, endpoint);
  if (notAllowed !== null)
    return { ...outcomeOfRefusal(notAllowed, endpoint.flag), ...(names === undefined ? {} : { caller: names }) };
  const changedLicenses = new Set<string>();
  const run = async () => {
    if ('refusal' in read) return outcomeOfRefusal(read.refusal, endpoint.flag);
    // Records are dated by the believed time: with the time of a clock that is behind they would be removed as old at
    // once.
    const origin = {
      actor: actorOf(caller),
      requestId: requestContext.requestId,
      now: sessionNow,
      changedLicenses,
    };
    const request = { ...requestContext, fields: read.fields, caller, scope: scopeOf(caller), origin, ruleContext };
    const { creatorQuotas } = ruleContext.settings;
    const quotas =
      tx === undefined ? null : await lockQuotas(tx, endpoint, caller, creatorQuotas, read.fields, sessionNow);
    if (quotas !== null && 'refused' in quotas) return outcomeOfRefusal(quotas, endpoint.flag);
    const result = await act(request);
    if (!isRefusal(result)) await quotas?.count();
    return outcomeOf(result, endpoint);
  };
  const outcome =
    tx === undefined || idempotency === null || !hasSafeRetries(endpoint)
      ? await run()
      : await runIdempotently(tx, call, idempotency, { caller, ruleContext }, run);
  return {
    ...outcome,
    ...(caller.kind === 'client' && caller.showedUnknownKey ? { showedUnknownKey: true } : {}),
    ...(names === undefined ? {} : { caller: names }),
    ...(changedLicenses.size === 0 ? {} : { changedLicenses: [...changedLicenses].slice(0, MAX_CHANGED_NAMED) }),
  };
}

/**
 * The caller of an inner endpoint, or the refusal of its fields, which may name the author; null for other endpoints.
 */
function callerInside({ actor }: Endpoint, read: FieldsRead): Caller | Refusal | null {
  if (actor === undefined) return null;
  if ('refusal' in read) return read.refusal;
  return { kind: 'inner', actor: typeof actor === 'function' ? actor(read.fields) : actor };
}

/** Converts the result of an action to an outcome. */
export function outcomeOf(result: Reply | Refusal, endpoint: Endpoint): Outcome<string> {
  return isRefusal(result)
    ? outcomeOfRefusal(result, endpoint.flag)
    : { status: endpoint.successStatus, body: JSON.stringify(result) };
}

/** Converts the result of a call that was answered from memory. */
export function outcomeOfKnown(known: string | Refusal, endpoint: Endpoint): Outcome<string> {
  return typeof known === 'string'
    ? { status: endpoint.successStatus, body: known }
    : outcomeOfRefusal(known, endpoint.flag);
}

/** The refusal while the service cannot accept a call. */
export const OVERLOADED: Refusal = refuse('overloaded', { retryAfterSeconds: 1 });
/** The refusal when the database is unavailable and the call left no trace. */
const AWAY: Refusal = refuse('database_away', { retryAfterSeconds: 5 });
/**
 * The refusal when the result of the commit is unknown. It suggests no retry, because a retry might apply the call
 * twice.
 */
const UNKNOWN: Refusal = refuse('database_away');

/**
 * The outcome of an action that threw: the reply of {@link NothingKept}, otherwise an unexpected failure. The caller
 * learns only whether a retry makes sense. The log gets the reason, except for calls during a database outage, which
 * has one log line for all of them.
 */
export function outcomeOfFailure(error: unknown, endpoint: Pick<Endpoint, 'flag'>): Outcome<string> {
  if (error instanceof NothingKept) return { status: 200, body: JSON.stringify(error.reply) };
  if (error instanceof StorageAway) return outcomeOfRefusal(AWAY, endpoint.flag);
  if (error instanceof StorageBusy) return { ...outcomeOfRefusal(OVERLOADED, endpoint.flag), failure: error.message };
  if (error instanceof CommitUnknown) return { ...outcomeOfRefusal(UNKNOWN, endpoint.flag), failure: error.message };
  return {
    ...outcomeOfRefusal(refuse('unexpected'), endpoint.flag),
    failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}
