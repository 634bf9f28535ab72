/** The origin of changes that tests make themselves. */
import type { Origin } from '../../src/platform/events/event.ts';

/** An operator's change at a moment, milliseconds since 1970. */
export function originAt(now: number): Origin {
  return { actor: { kind: 'operator' }, requestId: null, now };
}
