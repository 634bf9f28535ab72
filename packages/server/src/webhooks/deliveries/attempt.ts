/** A completed request to a destination. */
import { mintOrderedUuid } from '../../ground/base/random.ts';
import type { Attempt } from './attempt-store.ts';
import type { AttemptResult } from './request.ts';

/** The attempt of a request for an event that has ended at `now`, in milliseconds since 1970. */
export function attemptOf(
  { destinationId }: { readonly destinationId: string },
  { eventId, type }: { readonly eventId: string; readonly type: string },
  { durationMs, outcome, status }: AttemptResult,
  now: number,
): Attempt {
  const attemptId = mintOrderedUuid(now);
  return { destinationId, attemptId, eventId, type, at: now - durationMs, durationMs, outcome, status };
}
