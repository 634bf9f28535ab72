/** Runs one call in one read or transaction: who is asking, then the fields, then the action. */
import { actorOf, type Caller, type Identify, scopeOf } from '../endpoint/caller.ts';
import type { Endpoint, Reply } from '../endpoint/endpoint.ts';
import { isRefusal, type Refusal, refuse } from '../refusals.ts';
import type { Service } from '../service.ts';
import { CommitUnknown, StorageAway, StorageBusy, type Tx } from '../storage/storage.ts';
import type { Call, Outcome } from './call.ts';
import { outcomeOfRefusal } from './call.ts';
import { runIdempotently } from './idempotency.ts';

/** What every way of running needs. */
export interface Surroundings {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly identify: Identify;
  readonly service: Service;
}

/** The endpoint of a call. */
export function endpointOf(call: Call, { endpoints }: Surroundings): Endpoint {
  const endpoint = endpoints.get(call.path);
  if (endpoint === undefined) throw new Error(`no endpoint ${call.path}`);
  return endpoint;
}

/** Runs a call alone. `tx` may be a mere reader for endpoints that only read. */
export async function runAlone(tx: Tx, call: Call, endpoint: Endpoint, around: Surroundings): Promise<Outcome> {
  // Before anything else, a first answer that is kept included: it is not replayed to a key that was revoked since.
  const caller = await around.identify(tx, call.credential, endpoint.access);
  if (isRefusal(caller)) return outcomeOfRefusal(caller, endpoint.flag);
  const run = async () => {
    if ('refusal' in call.read) return outcomeOfRefusal(call.read.refusal, endpoint.flag);
    return outcomeOf(await act(tx, call, call.read.fields, caller, endpoint, around.service), endpoint);
  };
  return call.idempotency === null
    ? run()
    : runIdempotently(tx, call, call.idempotency, around.service.settings.sealingKeys, run);
}

async function act(
  tx: Tx,
  call: Call,
  fields: Readonly<Record<string, unknown>>,
  caller: Caller,
  { work }: Endpoint,
  service: Service,
): Promise<Reply | Refusal> {
  const { circumstances } = call;
  if (work.kind === 'batch') {
    const [result] = await work.batch.run(tx, [work.bind(fields, circumstances)], service);
    if (result === undefined) throw new Error(`batch ${work.batch.name} answered nothing`);
    return result;
  }
  const { requestId, now } = circumstances;
  const origin = { actor: actorOf(caller), requestId, now };
  return work.act(tx, { ...circumstances, fields, caller, scope: scopeOf(caller), origin, service });
}

/** What is answered to a result. */
export function outcomeOf(result: Reply | Refusal, endpoint: Endpoint): Outcome {
  return isRefusal(result)
    ? outcomeOfRefusal(result, endpoint.flag)
    : { status: endpoint.successStatus, body: JSON.stringify(result) };
}

/** Said when there is no room or no time for a call now. */
export const OVERLOADED: Refusal = refuse('overloaded', { retryAfterSeconds: 1 });
/** Said when the database cannot serve and nothing of the call was kept. */
const AWAY: Refusal = refuse('database_away', { retryAfterSeconds: 5 });
/** Said when nobody knows whether the call was kept: trying again may do it twice, so nobody is asked to. */
const UNKNOWN: Refusal = refuse('database_away');

/**
 * What is answered when something failed that should not: nothing of it is told to the caller but whether it makes sense
 * to try again. The log hears why; not for each call that the database could not serve, since one line says so for all.
 */
export function outcomeOfFailure(error: unknown, endpoint: Endpoint): Outcome {
  if (error instanceof StorageAway) return outcomeOfRefusal(AWAY, endpoint.flag);
  if (error instanceof StorageBusy) return { ...outcomeOfRefusal(OVERLOADED, endpoint.flag), failure: error.message };
  if (error instanceof CommitUnknown) return { ...outcomeOfRefusal(UNKNOWN, endpoint.flag), failure: error.message };
  return {
    ...outcomeOfRefusal(refuse('unexpected'), endpoint.flag),
    failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}
