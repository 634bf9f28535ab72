/** The author of an event as a caller may know it. */
import { type ActorKind, actorText, type Event } from '../events/event.ts';
import type { Scope } from './caller.ts';

/** An author in replies. */
export interface ActorView {
  readonly kind: ActorKind;
  readonly id: string | null;
  readonly keyName: string | null;
}

/**
 * Splits a stored actor such as `creator:ada`.
 *
 * @param reader the caller: creators see neither operators' names nor names of other creators' API keys
 */
export function actorView({ actor, actorName }: Event, { creatorId }: Scope): ActorView {
  const colon = actor.indexOf(':');
  const kind = (colon === -1 ? actor : actor.slice(0, colon)) as ActorKind;
  const isForReader = creatorId === null || actor === actorText({ kind: 'creator', creatorId, keyName: '' });
  return { kind, id: colon === -1 ? null : actor.slice(colon + 1), keyName: isForReader ? actorName : null };
}
