/** The common parts of the addresses to which sellers deliver (rules 15.2). */
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Visit } from '../../platform/sites/site.ts';
import { applyReceived, noteNotApplied, rejectShopEvents } from './receive.ts';
import type { Rejection } from './sources/source.ts';

/** Events that one delivery lets go on at once; the job applies the others. */
const MAX_AT_ONCE = 20;

/** Counts a wrong signature; beyond the limit of its network nothing is written. */
export async function refusalOfSignature(
  visit: Visit,
  {
    connectorId,
    network,
    rejection,
    pauseSeconds,
  }: {
    readonly connectorId: string;
    readonly network: string;
    readonly rejection: Rejection;
    readonly pauseSeconds: number | null;
  },
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
