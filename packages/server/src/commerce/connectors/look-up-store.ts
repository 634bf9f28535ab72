/** Database access of the sender of look-ups. They are begun under the lease of a job, by one node at a time. */
import type { Clock } from '../../ground/base/clock.ts';
import { MINUTE_MS } from '../../ground/base/clock.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import type { JobTime } from '../../platform/jobs/job.ts';
import { Lease } from '../../platform/jobs/lease.ts';
import { openSecret } from '../../platform/sealing/seal.ts';
import type { SenderStore } from '../../platform/senders/sender.ts';
import type { Storage, Tx } from '../../storage/contract/storage.ts';
import { openNeeds, translated } from './apply.ts';
import { findConnector, mappingsOf } from './connector-store.ts';
import { findLookUpMoment, listLookUpsDue, lockShopEvent, saveShopEvent } from './event-store.ts';
import { nextAttemptAt } from './inbox-state.ts';
import { lookUpKey, type WholeShopEvent } from './shop-event.ts';
import type { SellerRequest } from './sources/source.ts';
import { type SourceName, sourceNamed } from './sources/source-list.ts';

/** Name of the job and of its lease. */
const ASKING = 'ask sellers';
const LEASE_MS = 40_000;
const EVERYBODY = { creatorId: null };
/** Time after which look-ups of a node that died are begun by another one. */
const UNDER_WAY_MS = MINUTE_MS;
/** Longest stored answer of an event, in characters of its JSON. */
const MAX_STORED = 1_048_576;

/** A look-up to make. Plain data, because the sender runs in its own thread. */
export interface LookUpToMake extends SellerRequest {
  readonly key: string;
  readonly source: SourceName;
  readonly origin: string;
}

/** The look-ups of an event. */
export interface BegunLookUps {
  readonly eventId: string;
  readonly lookUps: readonly LookUpToMake[];
}

/** The answers to the look-ups of an event, by their keys; or why there are none. */
export type EndedLookUps =
  | { readonly eventId: string; readonly answers: Readonly<Record<string, unknown>> }
  | { readonly eventId: string; readonly failure: 'denied' | 'later'; readonly detail: string };

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
}

export const lookUpStore: SenderStore<'shops'> = {
  isNeeded: async (storage) => (await storage.read(findLookUpMoment)) !== null,
  reads: (storage) => ({ findLookUpDue: () => storage.read(findLookUpMoment) }) satisfies Partial<LookUpStore>,
  writes: ({ storage, clock, time, settings }) => lookUpWrites(storage, clock, time, settings),
};

function lookUpWrites(
  storage: Storage,
  clock: Clock,
  time: JobTime,
  settings: Settings,
): Omit<LookUpStore, 'findLookUpDue'> {
  let lease: Lease | null = null;
  return {
    async beginLookUps(most) {
      lease ??= new Lease(storage, ASKING, time.steadyNow, LEASE_MS);
      const held = await lease.hold((tx) => begin(tx, settings, clock(), most));
      if (held === null) lease = null;
      return held?.done ?? null;
    },
    endLookUp: (ended) => storage.transaction((tx) => end(tx, ended, clock())),
    async giveBackLookUps() {
      const held = lease;
      lease = null;
      await held?.giveBack();
    },
  };
}

async function begin(tx: Tx, { secretsKey }: Settings, now: number, most: number): Promise<readonly BegunLookUps[]> {
  const begun: BegunLookUps[] = [];
  for (const event of await listLookUpsDue(tx, now, most)) {
    const connector = await findConnector(tx, event.connectorId, EVERYBODY);
    const { lookUps: api = null } = connector === undefined ? {} : sourceNamed(connector.source);
    const apiKey =
      connector?.apiKey == null || secretsKey === null
        ? null
        : openSecret(connector.apiKey.sealed, connector.connectorId, secretsKey);
    if (connector === undefined || api === null || apiKey === null) {
      await saveShopEvent(tx, decided(event, 'The API key of the connector cannot be opened'), now);
      continue;
    }
    const mappings = await mappingsOf(tx, connector.connectorId);
    const { translation } = await translated(tx, connector, event, mappings);
    const needs = 'unknownShape' in translation ? [] : await openNeeds(tx, connector, translation.needs);
    const lookUps = needs.map((need) => ({
      ...api.request(api.pathOf(need), apiKey),
      ...{ key: lookUpKey(need), source: connector.source, origin: api.origin },
    }));
    await saveShopEvent(tx, { ...event, lookUpAt: now + UNDER_WAY_MS }, now);
    begun.push({ eventId: event.eventId, lookUps });
  }
  return begun;
}

async function end(tx: Tx, ended: EndedLookUps, now: number): Promise<void> {
  const event = await lockShopEvent(tx, ended.eventId, EVERYBODY);
  // An event of the seller may have told it meanwhile.
  if (event?.state !== 'looking up') return;
  if ('answers' in ended) {
    const lookedUp = { ...event.lookedUp, ...ended.answers };
    const isKept = JSON.stringify(lookedUp).length <= MAX_STORED;
    if (!isKept) return saveShopEvent(tx, decided(event, 'The answer of the seller is larger than 1 MiB'), now);
    return saveShopEvent(tx, { ...event, state: 'received', dueAt: now, lookUpAt: null, lookedUp, attempts: 0 }, now);
  }
  const attempts = event.attempts + 1;
  const next = ended.failure === 'denied' ? null : nextAttemptAt(attempts, event.dueSince ?? now, now);
  if (next === null) return saveShopEvent(tx, decided(event, ended.detail), now);
  await saveShopEvent(tx, { ...event, attempts, detail: ended.detail, lookUpAt: next }, now);
}

/** The event as it waits for a person. */
function decided(event: WholeShopEvent, detail: string): WholeShopEvent {
  return { ...event, state: 'attention', reason: 'lookup_denied', detail, dueAt: null, lookUpAt: null };
}
