/** Finds the changes of one action on many items among the events: pure. */
import { undoOfEvent } from '../actions/undo-event.ts';
import type { Event } from '../api/contract.ts';

/** Changes that one person made to several items with one press. */
export interface Batch {
  /** At least {@link FEWEST}, the newest first. */
  readonly events: readonly Event[];
}

/** The fewest changes that are shown as one entry. */
const FEWEST = 3;
/** The longest time between two changes of one press: four calls run at once. */
const GAP_MS = 10_000;

/** The events in their order; changes of one press are together. */
export function batchesOf(events: readonly Event[]): readonly (Event | Batch)[] {
  const entries: (Event | Batch)[] = [];
  let run: Event[] = [];
  const end = () => {
    if (run.length >= FEWEST) entries.push({ events: run });
    else entries.push(...run);
    run = [];
  };
  for (const event of events) {
    const last = run.at(-1);
    if (last !== undefined && !areOfOnePress(last, event)) end();
    run.push(event);
  }
  end();
  return entries;
}

/** Whether an entry is several changes. */
export function isBatch(entry: Event | Batch): entry is Batch {
  return 'events' in entry;
}

/** Only changes that can be undone together, because nothing else is gained by showing them as one. */
function areOfOnePress(later: Event, earlier: Event): boolean {
  const { actor } = later;
  return (
    actor.kind !== 'client' &&
    later.type === earlier.type &&
    later.licenseKey !== null &&
    later.licenseKey !== earlier.licenseKey &&
    JSON.stringify(actor) === JSON.stringify(earlier.actor) &&
    Date.parse(later.at) - Date.parse(earlier.at) <= GAP_MS &&
    undoOfEvent(later) !== null &&
    undoOfEvent(earlier) !== null
  );
}
