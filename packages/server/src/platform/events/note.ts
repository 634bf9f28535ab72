/** Notes on licenses in the form for export and import. */
import type { Event } from './event.ts';

/**
 * A note as it was written, here or elsewhere. A type instead of an interface, so that it is assignable to a record.
 */
export type Note = {
  readonly licenseKey: string;
  /** Id from the service where it was written; null when that service gave none. */
  readonly noteId: string | null;
  readonly text: string;
  /** When it was written, a timestamp. */
  readonly at: string;
  /** The author: `operator`, `creator:` and the creator's id, or the name that the other service used. */
  readonly by: string;
};

/**
 * The facts of a `license.noted` event for a note written elsewhere; the event's own time and actor are those of the
 * import.
 */
export function factsOfImportedNote({ text, by, at, noteId }: Note) {
  return { text, by, at, ...(noteId === null ? {} : { noteId }) };
}

/** The note in a `license.noted` event. A note written here has the id of its event. */
export function noteOf({ licenseKey, eventId, occurredAt, actor, after }: Event): Note & { readonly noteId: string } {
  const { text = '', by = actor, at = occurredAt, noteId } = (after ?? {}) as Partial<Note>;
  return { licenseKey: licenseKey ?? '', noteId: noteId ?? eventId, text, at, by };
}
