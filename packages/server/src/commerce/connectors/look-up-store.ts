/** Database access of the sender of look-ups. They are begun under the lease of a job, by one node at a time. */
import type { Clock } from '../../ground/base/clock.ts';
import { fromTimestamp, HOUR_MS, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import type { JobTime } from '../../platform/jobs/job.ts';
import { Lease } from '../../platform/jobs/lease.ts';
import { openSecret } from '../../platform/sealing/seal.ts';
import type { SenderStore } from '../../platform/senders/sender.ts';
import type { Storage, Tx } from '../../storage/contract/storage.ts';
import { openNeeds, translated } from './apply.ts';
import {
  type CatchUp,
  deleteCatchUp,
  findCatchUp,
  findCatchUpMoment,
  findNextCatchUp,
  hastenCatchUps,
  saveCatchUp,
} from './catch-up-store.ts';
import type { Connector } from './connector.ts';
import { findConnector, mappingsOf } from './connector-store.ts';
import { findLookUpMoment, listLookUpsDue, lockShopEvent, saveShopEvent } from './event-store.ts';
import { nextAttemptAt, pauseAfter } from './inbox-state.ts';
import { storeEvents } from './received.ts';
import type { RequestToSeller } from './seller-request.ts';
import { publishOutcome } from './settled-events.ts';
import { lookUpKey, type WholeShopEvent } from './shop-event.ts';
import type { DeliveredEvent } from './sources/source.ts';
import { sourceNamed } from './sources/source-list.ts';

/** Name of the job and of its lease. */
const ASKING = 'ask sellers';
const LEASE_MS = 40_000;
const EVERYBODY = { creatorId: null };
/** Time after which look-ups of a node that died are begun by another one. */
const UNDER_WAY_MS = MINUTE_MS;
/** Longest stored answer of an event, in characters of its JSON. */
const MAX_STORED = 1_048_576;

/** Time between two runs of catching up with a seller. */
const CATCH_UP_EVERY_MS = HOUR_MS;
/** A run reads so much of the former run again: clocks differ, and APIs list an event a moment after it happened. */
const OVERLAP_MS = 10 * MINUTE_MS;
/** Time after its last page in which a run is begun by another node. */
const RUNNING_MS = 10 * MINUTE_MS;
const KEY_SEALED = 'The API key of the connector cannot be opened';

/** A look-up to make. */
export interface LookUpToMake extends RequestToSeller {
  readonly key: string;
}

/** The look-ups of an event. */
export interface BegunLookUps {
  readonly eventId: string;
  /** Names this attempt: the end of the time for which no other node makes it, in milliseconds since 1970. */
  readonly until: number;
  readonly lookUps: readonly LookUpToMake[];
}

/** The answers to the look-ups of an event, by their keys; or why there are none. */
export type EndedLookUps = Pick<BegunLookUps, 'eventId' | 'until'> &
  (
    | { readonly answers: Readonly<Record<string, unknown>> }
    | { readonly failure: 'denied' | 'later'; readonly detail: string }
  );

/** A run of catching up, with the first request to the seller. Moments are in milliseconds since 1970. */
export interface BegunCatchUp extends RequestToSeller {
  readonly connectorId: string;
  readonly startedAt: number;
  readonly since: number;
}

/** The end of a run. */
export interface EndedCatchUp extends Pick<BegunCatchUp, 'connectorId' | 'startedAt'> {
  readonly failure: string | null;
}

/** The database of the sender. */
export interface LookUpStore {
  /** Returns the moment of the next look-up in milliseconds since 1970; null if no event waits for one. */
  findLookUpDue(): Promise<number | null>;
  /** Begins the look-ups of events that are due; null if another node asks. */
  beginLookUps(most: number): Promise<readonly BegunLookUps[] | null>;
  /** Stores answers: the event goes on, is tried again, or waits for a person. */
  endLookUp(ended: EndedLookUps): Promise<void>;
  /** Lets another node ask at once. */
  giveBackLookUps(): Promise<void>;
  /** Returns the moment at which the next connector catches up; null if none does. */
  findCatchUpDue(): Promise<number | null>;
  /** Begins the run that is due first; null if none is, or if another node asks. */
  beginCatchUp(): Promise<BegunCatchUp | null>;
  /** Puts the events of a page into the inbox. */
  keepListed(page: { readonly connectorId: string; readonly events: readonly DeliveredEvent[] }): Promise<void>;
  /** Ends a run; the next one begins an hour later, or soon after a failure. */
  endCatchUp(ended: EndedCatchUp): Promise<void>;
  /** Lets every connector with an API key catch up now. */
  hastenCatchUps(): Promise<void>;
}

export const lookUpStore: SenderStore<'shops'> = {
  isNeeded: (storage) =>
    storage.read(async (sql) => (await findLookUpMoment(sql)) !== null || (await findCatchUpMoment(sql)) !== null),
  reads: (storage) =>
    ({
      findLookUpDue: () => storage.read(findLookUpMoment),
      findCatchUpDue: () => storage.read(findCatchUpMoment),
    }) satisfies Partial<LookUpStore>,
  writes: ({ storage, clock, time, settings }) => lookUpWrites(storage, clock, time, settings),
};

function lookUpWrites(
  storage: Storage,
  clock: Clock,
  time: JobTime,
  settings: Settings,
): Omit<LookUpStore, 'findLookUpDue' | 'findCatchUpDue'> {
  let lease: Lease | null = null;
  const underLease = async <Done>(step: (tx: Tx) => Promise<Done>): Promise<Done | null> => {
    lease ??= new Lease(storage, ASKING, time.steadyNow, LEASE_MS);
    const held = await lease.hold(step);
    if (held === null) lease = null;
    return held?.done ?? null;
  };
  return {
    beginLookUps: (most) => underLease((tx) => begin(tx, settings, clock(), most)),
    endLookUp: (ended) => storage.transaction((tx) => end(tx, ended, clock())),
    beginCatchUp: () => underLease((tx) => beginCatchUp(tx, settings, clock())),
    keepListed: (page) => storage.transaction((tx) => keepListed(tx, page, clock())),
    endCatchUp: (ended) => storage.transaction((tx) => endCatchUp(tx, ended, clock())),
    hastenCatchUps: () => storage.transaction((tx) => hastenCatchUps(tx, clock())),
    async giveBackLookUps() {
      const held = lease;
      lease = null;
      await held?.giveBack();
    },
  };
}

/** The opened key of a connector's API; null if it has none, or if this node cannot open it. */
function apiKeyOf({ connectorId, apiKey }: Connector, { secretsKey }: Settings): string | null {
  return apiKey === null || secretsKey === null ? null : openSecret(apiKey.sealed, connectorId, secretsKey);
}

async function begin(tx: Tx, settings: Settings, now: number, most: number): Promise<readonly BegunLookUps[]> {
  const begun: BegunLookUps[] = [];
  for (const event of await listLookUpsDue(tx, now, most)) {
    const connector = await findConnector(tx, event.connectorId, EVERYBODY);
    const { lookUps: api = null } = connector === undefined ? {} : sourceNamed(connector.source);
    const apiKey = connector === undefined ? null : apiKeyOf(connector, settings);
    if (connector === undefined || api === null || apiKey === null) {
      await leaveToPerson(tx, event, KEY_SEALED, now);
      continue;
    }
    const mappings = await mappingsOf(tx, connector.connectorId);
    const { translation } = await translated(tx, connector, event, mappings);
    const needs = 'unknownShape' in translation ? [] : await openNeeds(tx, connector, translation.needs);
    const lookUps = needs.map((need) => ({
      ...api.request(api.pathOf(need), apiKey),
      ...{ key: lookUpKey(need), source: connector.source, origin: api.origin },
    }));
    const until = now + UNDER_WAY_MS;
    await saveShopEvent(tx, { ...event, lookUpAt: until }, now);
    begun.push({ eventId: event.eventId, until, lookUps });
  }
  return begun;
}

async function end(tx: Tx, ended: EndedLookUps, now: number): Promise<void> {
  const event = await lockShopEvent(tx, ended.eventId, EVERYBODY);
  // An event of the seller may have told it meanwhile, or the same hint came again.
  if (event?.state !== 'looking up' || event.lookUpAt !== ended.until) return;
  if ('answers' in ended) {
    const lookedUp = { ...event.lookedUp, ...ended.answers };
    const isKept = JSON.stringify(lookedUp).length <= MAX_STORED;
    if (!isKept) return leaveToPerson(tx, event, 'The answer of the seller is larger than 1 MiB', now);
    return saveShopEvent(tx, { ...event, state: 'received', dueAt: now, lookUpAt: null, lookedUp, attempts: 0 }, now);
  }
  const attempts = event.attempts + 1;
  const next = ended.failure === 'denied' ? null : nextAttemptAt(attempts, event.dueSince ?? now, now);
  if (next === null) return leaveToPerson(tx, event, ended.detail, now);
  await saveShopEvent(tx, { ...event, attempts, detail: ended.detail, lookUpAt: next }, now);
}

/** A person decides about an event that cannot be looked up. */
async function leaveToPerson(tx: Tx, event: WholeShopEvent, detail: string, now: number): Promise<void> {
  const left = { ...event, state: 'attention', reason: 'lookup_denied', detail, dueAt: null, lookUpAt: null } as const;
  await saveShopEvent(tx, left, now);
  const connector = await findConnector(tx, event.connectorId, EVERYBODY);
  if (connector !== undefined) publishOutcome(tx, connector, left);
}

/** Begins the run that is due first. A connector whose key cannot be opened is asked about an hour later. */
async function beginCatchUp(tx: Tx, settings: Settings, now: number): Promise<BegunCatchUp | null> {
  const due = await findNextCatchUp(tx);
  if (due === undefined || fromTimestamp(due.dueAt) > now) return null;
  const { connectorId } = due;
  const connector = await findConnector(tx, connectorId, EVERYBODY);
  const { lookUps: api = null } = connector === undefined ? {} : sourceNamed(connector.source);
  if (connector === undefined || api === null) {
    await deleteCatchUp(tx, connectorId);
    return null;
  }
  const apiKey = apiKeyOf(connector, settings);
  if (apiKey === null) {
    await saveCatchUp(tx, failed(due, KEY_SEALED, now));
    return null;
  }
  await saveCatchUp(tx, { ...due, dueAt: toTimestamp(now + RUNNING_MS) });
  const { origin } = api;
  const request = api.request('', apiKey);
  return { ...request, connectorId, source: connector.source, origin, startedAt: now, since: fromTimestamp(due.since) };
}

async function keepListed(
  tx: Tx,
  { connectorId, events }: { readonly connectorId: string; readonly events: readonly DeliveredEvent[] },
  now: number,
): Promise<void> {
  const connector = await findConnector(tx, connectorId, EVERYBODY);
  const running = await findCatchUp(tx, connectorId);
  if (connector === undefined || running === undefined) return;
  await saveCatchUp(tx, { ...running, dueAt: toTimestamp(now + RUNNING_MS) });
  await storeEvents(tx, connector, events, { now, dueAt: now });
}

async function endCatchUp(tx: Tx, { connectorId, startedAt, failure }: EndedCatchUp, now: number): Promise<void> {
  const running = await findCatchUp(tx, connectorId);
  if (running === undefined) return;
  if (failure !== null) return saveCatchUp(tx, failed(running, failure, now));
  await saveCatchUp(tx, {
    connectorId,
    dueAt: toTimestamp(now + CATCH_UP_EVERY_MS),
    since: toTimestamp(startedAt - OVERLAP_MS),
    caughtUpAt: toTimestamp(startedAt),
    attempts: 0,
    failure: null,
  });
}

/** The next run after one that failed; runs go on however often they fail. */
function failed(run: CatchUp, failure: string, now: number): CatchUp {
  const attempts = run.attempts + 1;
  return { ...run, dueAt: toTimestamp(now + pauseAfter(attempts)), attempts, failure };
}
