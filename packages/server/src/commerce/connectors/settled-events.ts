/** The outcomes of events, for the log and the metrics: names and states, never bodies. */
import { maskLicenseKey } from '../../ground/base/masked-key.ts';
import type { Log } from '../../platform/senders/log.ts';
import type { Topic } from '../../storage/contract/published.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { Connector } from './connector.ts';
import type { ShopEventState } from './inbox-state.ts';
import type { ShopEvent } from './shop-event.ts';
import type { SourceName } from './sources/source-list.ts';

declare module '../../platform/endpoint/slice-metrics.ts' {
  interface Reports {
    readonly shopEvent: SettledEvent;
  }
}

/** An event after an attempt to apply it. Plain data, because it passes from thread to thread. */
export interface SettledEvent {
  readonly source: SourceName;
  readonly connectorId: string;
  readonly eventId: string;
  readonly type: string;
  readonly state: ShopEventState;
  readonly reason: string | null;
  /** The keys of the licenses that it changed. */
  readonly licenses: readonly string[];
}

export const settledEvents: Topic<SettledEvent> = { name: 'settled shop events', isForEveryThread: true };

/** Licenses that a line of the log names. */
const MAX_NAMED = 20;

/** Publishes the outcome of an event with its transaction. */
export function publishOutcome(
  tx: Tx,
  { connectorId, source }: Pick<Connector, 'connectorId' | 'source'>,
  { eventId, type, state, reason }: Pick<ShopEvent, 'eventId' | 'type' | 'state' | 'reason'>,
  licenses: readonly string[] = [],
): void {
  tx.publish(settledEvents, {
    source,
    connectorId,
    eventId,
    type,
    state,
    reason,
    licenses: licenses.slice(0, MAX_NAMED),
  });
}

/** Logs the outcomes of events: those that a person decides as warnings. */
export function logSettled(
  log: Log,
  { source, connectorId, eventId, type, state, reason, licenses }: SettledEvent,
): void {
  const [shopEventId, changed] = [eventId, licenses.length === 0 ? undefined : licenses.map(maskLicenseKey)];
  if (state === 'attention')
    log.warn({
      event: 'shop.attention',
      source,
      connectorId,
      shopEventId,
      type,
      state,
      reason: reason ?? undefined,
      changed,
    });
  else
    log.info({
      event: 'shop.event',
      source,
      connectorId,
      shopEventId,
      type,
      state,
      reason: reason ?? undefined,
      changed,
    });
}
