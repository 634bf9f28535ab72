/** A signed request for an event (rules 12.3). */
import { fromTimestamp } from '../../ground/base/clock.ts';
import type { SentTo } from '../destinations/sendable.ts';
import type { Outbox } from './outbox.ts';
import type { AttemptRequest, AttemptResult, Target } from './request.ts';
import { plainHeaders, sign } from './signature.ts';

/** Dependencies of {@link requestSigned}. */
export interface SignedRequestParts {
  readonly send: (request: AttemptRequest) => Promise<AttemptResult>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly userAgent: string;
  /** Opens the secrets of a destination, the newest first. */
  readonly secretsOf: (destination: SentTo, now: number) => readonly string[];
}

/**
 * Sends an event to a destination. Tries further addresses of the receiver's name while one accepts no connection.
 *
 * @param target the address, which `moveOn` changes
 * @param moveOn returns false if no other address is to be tried
 * @returns the last result, with the duration of all tries
 */
export async function requestSigned(
  { send, clock, userAgent, secretsOf }: SignedRequestParts,
  outbox: Outbox,
  target: Target,
  { eventId, body }: { readonly eventId: string; readonly body: string },
  moveOn: () => boolean,
): Promise<AttemptResult> {
  for (let spentMs = 0; ; ) {
    const now = clock();
    const { destination } = outbox;
    const { url, creatorId, previousEndsAt } = destination;
    outbox.secrets ??= secretsOf(destination, now);
    const { secrets } = outbox;
    const isRotated = previousEndsAt !== null && fromTimestamp(previousEndsAt) <= now;
    const signature = sign(eventId, now, body, isRotated ? secrets.slice(0, 1) : secrets);
    const headers = { ...plainHeaders(userAgent), ...signature };
    const result = await send({ url, isOperators: creatorId === null, target, body, headers });
    spentMs += result.durationMs;
    if (result.isUnconnected !== true || !moveOn()) return { ...result, durationMs: spentMs };
  }
}
