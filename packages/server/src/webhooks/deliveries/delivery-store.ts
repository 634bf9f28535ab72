/** Database access of the sender: its reads, and its writes under the lease of its job. */
import { type Clock, fromTimestamp } from '../../ground/base/clock.ts';
import { listWholeLicenses } from '../../licensing/licenses/store.ts';
import type { Event, Origin } from '../../platform/events/event.ts';
import { FeedReader } from '../../platform/events/feed.ts';
import type { JobTime } from '../../platform/jobs/job.ts';
import { Lease } from '../../platform/jobs/lease.ts';
import type { SenderStore } from '../../platform/senders/sender.ts';
import type { Sql, Storage, Tx } from '../../storage/contract/storage.ts';
import { activateDestination, recordFailing } from '../destinations/change.ts';
import { TOO_MANY_REFUSED } from '../destinations/destination.ts';
import { disableDestination } from '../destinations/disable.ts';
import { exampleEvent, type OutboundType } from '../destinations/outbound-events.ts';
import { payloadOf } from '../destinations/payload.ts';
import { listReplays, moveReplays } from '../destinations/replay-store.ts';
import { SENDING } from '../destinations/sending-node.ts';
import {
  findDestination,
  hasActiveDestination,
  listActiveAmong,
  listActivePage,
  listDestinationsById,
  listOwnersOf,
  withProgress,
} from '../destinations/store.ts';
import { listChangesSince } from '../destinations/turn-store.ts';
import { saveAttempts, trimAttemptsOf } from './attempt-store.ts';
import {
  type DeliveryReader,
  type DeliveryWriter,
  deleteDeliveries,
  endTests,
  findEventsById,
  findNews,
  listReplayedIds,
  listWaitingDeliveries,
  listWaitingTests,
  type Message,
  type Saved,
  type StoredDelivery,
  saveDeliveries,
  saveMovedProgress,
} from './store.ts';

/** New attempts of a destination after which its old ones are trimmed. */
const TRIMMED_AFTER = 50;

/** The database of the sender of events. */
export const deliveryStore: SenderStore<'events'> = {
  isNeeded: (storage) => storage.read(hasActiveDestination),
  mayBeNeededBy: activateDestination,
  reads: (storage, clock) => readDeliveries(storage, clock),
  writes: ({ storage, clock, time }) => writeDeliveries(storage, clock, time),
};

/** Returns the reads of the sender on an open database. */
export function readDeliveries(storage: Pick<Storage, 'read'>, clock: Clock): DeliveryReader {
  const feed = new FeedReader(storage);
  return {
    news: () => storage.read(findNews),
    changesSince: (version) => storage.read((sql) => listChangesSince(sql, version)),
    loadPage: (after, limit) => storage.read((sql) => listActivePage(sql, after, limit)),
    loadNamed: (destinationIds) => storage.read((sql) => listActiveAmong(sql, destinationIds)),
    storedFor: (destinationIds) =>
      storage.read(async (sql) => ({
        waiting: await listWaitingDeliveries(sql, destinationIds),
        replays: await listReplays(sql, destinationIds),
      })),
    async readFeed(after, limit, wanted) {
      const page = await feed.read(after, limit, wanted);
      return { ...page, owners: await storage.read((sql) => ownersOf(sql, page.entries)) };
    },
    messages: (keys) =>
      storage.read(async (sql) => {
        const events = await findEventsById(sql, [...new Set(keys.map(({ eventId }) => eventId))]);
        const licenseKeys = [...events.values()].flatMap(({ licenseKey }) => licenseKey ?? []);
        const licenses = new Map(
          (await listWholeLicenses(sql, [...new Set(licenseKeys)])).map((each) => [each.licenseKey, each]),
        );
        return keys.map(({ eventId, included }): Message | null => {
          const event = events.get(eventId);
          if (event === undefined) return null;
          const license = event.licenseKey === null ? null : (licenses.get(event.licenseKey) ?? null);
          const body = payloadOf(event, license, included, clock());
          return { type: event.type, body, occurredAt: fromTimestamp(event.occurredAt) };
        });
      }),
    listTests: () =>
      storage.read(async (sql) => {
        const waiting = await listWaitingTests(sql);
        const found = await listDestinationsById(sql, [...new Set(waiting.map(({ destinationId }) => destinationId))]);
        const destinations = new Map(found.map((each) => [each.destinationId, each]));
        return waiting.flatMap(({ destinationId, eventId, type, askedAt }) => {
          const destination = destinations.get(destinationId);
          if (destination === undefined) return [];
          const { event, license } = exampleEvent(type as OutboundType);
          const { creatorId } = destination;
          const test: Event = { ...event, eventId, creatorId, occurredAt: askedAt };
          const body = payloadOf(test, license, destination, clock(), true);
          return [{ destinationId, eventId, type, body }];
        });
      }),
  };
}

/** Returns the writes of the sender on an open database. */
export function writeDeliveries(storage: Storage, clock: Clock, time: JobTime): DeliveryWriter {
  let lease: Lease | null = null;
  const untrimmed = new Map<string, number>();
  return {
    async save(saved) {
      const believed = time.believableNow();
      const now = clock();
      for (const { destinationId } of saved.attempts)
        untrimmed.set(destinationId, (untrimmed.get(destinationId) ?? 0) + 1);
      const full = [...untrimmed].flatMap(([destinationId, count]) => (count >= TRIMMED_AFTER ? [destinationId] : []));
      lease ??= new Lease(storage, SENDING, time.steadyNow, saved.leaseMs);
      const held = await lease.hold((tx) => write(tx, saved, full, now));
      if (held === null) {
        lease = null;
        return null;
      }
      for (const destinationId of full) untrimmed.delete(destinationId);
      return { moved: held.done, isClockBelieved: believed !== null };
    },
    async giveBack() {
      const held = lease;
      lease = null;
      await held?.giveBack();
    },
  };
}

/** Returns the destinations that another writer has moved or deleted. */
async function write(tx: Tx, saved: Saved, full: readonly string[], now: number): Promise<readonly string[]> {
  const origin: Origin = { actor: { kind: 'service', name: SENDING }, requestId: null, now };
  // First, because every change of a destination takes the same locks in this order.
  for (const { destinationId, reason } of saved.disabled) await disableDestination(tx, origin, destinationId, reason);
  for (const { destinationId, isFull } of saved.alarms) {
    const destination = await findDestination(tx, destinationId, { creatorId: null });
    const [found] = destination === undefined ? [] : await withProgress(tx, [destination]);
    if (found === undefined) continue;
    const since = found.progress.failingSince ?? now;
    await recordFailing(tx, origin, found.destination, since, isFull ? TOO_MANY_REFUSED : null);
  }
  const kept = await saveMovedProgress(tx, saved.progress);
  const isKept = ({ destinationId }: { destinationId: string }) => kept.has(destinationId);
  const replayed = await moveReplays(tx, saved.replays.filter(isKept));
  const stored = await withoutEnded(tx, saved.stored.filter(isKept), replayed);
  await saveDeliveries(tx, 'waiting', stored, now);
  await saveDeliveries(tx, 'failed', saved.failed.filter(isKept), now);
  await deleteDeliveries(tx, saved.settled);
  await saveAttempts(tx, saved.attempts);
  for (const destinationId of full) await trimAttemptsOf(tx, destinationId);
  await endTests(tx, saved.tests, now);
  return saved.progress.flatMap((each) => (isKept(each) ? [] : [each.destinationId]));
}

/**
 * Leaves out events of replays that were stopped: they are not sent. A replay that was read to its end is not in
 * `replayed` either, but each of its events has a row until it is settled.
 *
 * @param replayed the destinations whose replay has not been ended
 */
async function withoutEnded(
  tx: Tx,
  stored: readonly StoredDelivery[],
  replayed: ReadonlySet<string>,
): Promise<readonly StoredDelivery[]> {
  const isDoubtful = ({ cause, destinationId }: StoredDelivery) => cause === 'replay' && !replayed.has(destinationId);
  const doubtful = Map.groupBy(stored.filter(isDoubtful), ({ destinationId }) => destinationId);
  const kept = new Map<string, ReadonlySet<string>>();
  for (const [destinationId, each] of doubtful) {
    const eventIds = each.map(({ eventId }) => eventId);
    kept.set(destinationId, await listReplayedIds(tx, destinationId, eventIds));
  }
  return stored.filter((each) => !isDoubtful(each) || kept.get(each.destinationId)?.has(each.eventId));
}

async function ownersOf(
  sql: Sql,
  entries: readonly { readonly event: Pick<Event, 'productId'> }[],
): Promise<ReadonlyMap<string, string>> {
  const productIds = new Set(entries.flatMap(({ event }) => event.productId ?? []));
  return productIds.size === 0 ? new Map() : listOwnersOf(sql, [...productIds]);
}
