/** Puts events of sellers into the inbox, each once (rules 15.2). */
import { toTimestamp } from '../../ground/base/clock.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { Connector } from './connector.ts';
import { insertShopEvent, keptUntilOf, lookUpAgain } from './event-store.ts';
import { stateOnArrival } from './inbox-state.ts';
import { mintShopEventId } from './shop-event.ts';
import type { DeliveredEvent } from './sources/source.ts';
import { sourceNamed } from './sources/source-list.ts';

const MAX_NAME = 255;

/**
 * Stores events of a connector; those with a known id are left out. A known hint is looked up again.
 *
 * @param at the present moment, and the one from which any node applies them, in milliseconds since 1970
 * @returns the ids of those that are to be applied
 */
export async function storeEvents(
  tx: Tx,
  { connectorId, creatorId, source, state: of }: Connector,
  events: readonly DeliveredEvent[],
  { now, dueAt }: { readonly now: number; readonly dueAt: number },
): Promise<readonly string[]> {
  const state = stateOnArrival(of);
  const toApply: string[] = [];
  for (const event of events) {
    const { type, at, isTest, subject, body } = event;
    const eventId = mintShopEventId(now);
    const sellerEventId = storable(event.sellerEventId);
    const isNew = await insertShopEvent(tx, {
      ...{ eventId, connectorId, creatorId, isTest, state, sellerEventId },
      body: storable(body),
      type: storable(type).slice(0, MAX_NAME),
      subject: subject === null ? null : storable(subject).slice(0, MAX_NAME),
      sourceAt: at === null ? null : toTimestamp(at),
      receivedAt: toTimestamp(now),
      dueAt: state === 'received' ? dueAt : null,
      ...{ dueSince: null, lookUpAt: null },
      ...{ subjectId: null, reason: null, detail: null, attempts: 0, lookedUp: {}, outcome: [] },
      keptUntil: keptUntilOf(state, now),
    });
    if (state !== 'received') continue;
    if (isNew) toApply.push(eventId);
    else if (sourceNamed(source).isHint?.(event) === true) {
      const again = await lookUpAgain(tx, { connectorId, sellerEventId }, dueAt);
      if (again !== undefined) toApply.push(again);
    }
  }
  return toApply;
}

/** A text without the characters that databases do not store. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
