/** Deletes events older than the operator's retention; notes are kept for ever (rules 10.5). */
import { fromTimestamp } from '../../ground/base/clock.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { Job } from '../jobs/job.ts';
import { byRows, tidying } from '../jobs/tidying.ts';
import { eventIdBound } from './event.ts';
import { deleteOldEntries } from './feed-store.ts';
import { deleteEvents, listOldEvents } from './retention-store.ts';

/**
 * A step of the job: examines the next `most` events from before a moment, deletes them, and returns the number
 * examined.
 */
export type RetentionStep = (tx: Tx, before: string, most: number) => Promise<number>;

/**
 * Makes the step of a process. It remembers its position, so that it does not pass over the notes of many years each
 * time; a process that has just started begins again from the oldest event.
 */
export function retentionStep(): RetentionStep {
  let place = '';
  return async (tx, before, most) => {
    const events = await listOldEvents(tx, place, eventIdBound(fromTimestamp(before)), most);
    const deleted = events.filter(({ isNote }) => !isNote).map(({ eventId }) => eventId);
    if (deleted.length > 0) await deleteEvents(tx, deleted);
    tx.afterwards((isCommitted) => {
      if (isCommitted) place = events.at(-1)?.eventId ?? place;
    });
    return events.length;
  };
}

/** A step of the job that deletes the places of old events in the feed; notes lose theirs like all others. */
const feedStep: RetentionStep = (tx, before, most) => deleteOldEntries(tx, eventIdBound(fromTimestamp(before)), most);

/** The jobs of a process. */
export const eventJobs = ({
  settings: { eventRetentionMs },
}: {
  readonly settings: { readonly eventRetentionMs: number };
}): readonly Job[] => [
  tidying('delete old events', { step: byRows(retentionStep()), ageMs: eventRetentionMs }),
  tidying('delete old places of the feed', { step: byRows(feedStep), ageMs: eventRetentionMs }),
];
