/** Notes on licenses, as those see them who carry them to another service or from one. */
import type { Event } from './event.ts';

/** A note as it was written, wherever that was. A type and no interface, so that it counts as a record of values. */
export type Note = {
  readonly licenseKey: string;
  /** Identifier from the service where it was written; null where that gave none. */
  readonly noteId: string | null;
  readonly text: string;
  /** When it was written, a timestamp. */
  readonly at: string;
  /** Who wrote it: `operator`, `creator:` and the creator's id, or whatever the other service called them. */
  readonly by: string;
};

/** What an event `license.noted` says of a note that was written elsewhere: the moment and the actor are the import's. */
export function factsOfImportedNote({ text, by, at, noteId }: Note) {
  return { text, by, at, ...(noteId === null ? {} : { noteId }) };
}

/** The note that an event `license.noted` holds. One that was written here has the id of its event. */
export function noteOf({ licenseKey, eventId, occurredAt, actor, after }: Event): Note & { readonly noteId: string } {
  const { text = '', by = actor, at = occurredAt, noteId } = (after ?? {}) as Partial<Note>;
  return { licenseKey: licenseKey ?? '', noteId: noteId ?? eventId, text, at, by };
}
