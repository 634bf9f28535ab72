/** The common parts of the addresses to which sellers deliver (rules 15.2). */
import type { Clock } from '../../ground/base/clock.ts';
import { networkOf } from '../../ground/base/network-address.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { askRates } from '../../platform/rates/rates.ts';
import type { Visit } from '../../platform/sites/site.ts';
import type { Connector } from './connector.ts';
import { findConnector } from './connector-store.ts';
import { applyReceived, noteNotApplied, rejectShopEvents, wrongSignaturesOf } from './receive.ts';
import type { Rejection } from './sources/source.ts';

/** Events that one delivery lets go on at once; the job applies the others. */
const MAX_AT_ONCE = 20;

/** A request at an address of a connector, whose signature is still to be checked. */
export interface Arrived {
  readonly connector: Connector;
  readonly body: Buffer;
  /** The network of the sender. */
  readonly network: string;
  /** Seconds for which this network has sent too many wrong signatures; null if it has not. */
  readonly pauseSeconds: number | null;
}

/**
 * Reads a request at an address of a connector; null if it was refused. The connector is looked up before the body is
 * read, so a stranger who knows no address sends none.
 *
 * @param hasAddress whether the connector has the address, too
 */
export async function takeDelivery(
  visit: Visit,
  connectorId: string,
  {
    clock,
    maxBytes,
    hasAddress = () => true,
  }: {
    readonly clock: Clock;
    readonly maxBytes: number;
    readonly hasAddress?: (connector: Connector) => boolean;
  },
): Promise<Arrived | null> {
  const refused = (refusal: Refusal, headers?: readonly string[]) => {
    visit.refuse(refusal, headers);
    return null;
  };
  if (visit.method !== 'POST') return refused(refuse('method_not_allowed'), ['Allow', 'POST']);
  const network = networkOf(visit.address ?? '');
  const looked = await visit.read(async (sql) => ({
    connector: await findConnector(sql, connectorId, { creatorId: null }),
    pauseSeconds: await askRates(sql, [wrongSignaturesOf(network)], clock()),
  }));
  if (isRefusal(looked)) return refused(looked);
  const { connector, pauseSeconds } = looked.found;
  if (connector === undefined || !hasAddress(connector)) return refused(refuse('connector_not_found'));
  const body = await visit.readBody({ contentType: null, maxBytes });
  if (body === 'tooLarge' || body === 'otherType') return refused(refuse('delivery_too_large'));
  const busy = visit.countAsCall();
  return busy === null ? { connector, body, network, pauseSeconds } : refused(busy);
}

/** Counts a wrong signature; beyond the limit of its network nothing is written. */
export async function refusalOfSignature(
  visit: Visit,
  { connector: { connectorId }, network, pauseSeconds }: Arrived,
  rejection: Rejection,
): Promise<Refusal> {
  if (pauseSeconds !== null) return refuse('signature_rate', { retryAfterSeconds: pauseSeconds });
  const answer = await visit.call(rejectShopEvents, { connectorId, network, reason: rejection });
  if ('refusal' in answer && answer.refusal.refused === 'signature_rate')
    return refuse('signature_rate', { retryAfterSeconds: answer.refusal.retryAfterSeconds ?? 1 });
  return refuse('signature_not_valid');
}

/** Applies the arrived events, and the events that waited for them. A failure is noted; the job goes on. */
export async function applyAll(visit: Visit, received: readonly string[]): Promise<void> {
  const queue = [...received];
  for (let done = 0; queue.length > 0 && done < MAX_AT_ONCE + received.length; done += 1) {
    const eventId = queue.shift()!;
    const applied = await visit.call(applyReceived, { eventId });
    if ('refusal' in applied) await visit.call(noteNotApplied, { eventId, failure: applied.refusal.refused });
    else queue.push(...applied.reply.eventIds);
  }
}
