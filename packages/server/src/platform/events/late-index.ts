/**
 * Enters new events into SQLite's indexes by product and by request, many together. Lists
 * find them before and after (scan-store.ts), so a failure loses nothing: the next run enters the events.
 */
import type { Storage } from '../../storage/contract/storage.ts';
import { enterLateIndexes } from './late-index-store.ts';
import { recordedChanges } from './recorded-changes.ts';

/**
 * Number of recorded changes after which a run starts. With 256 an activation writes 0.6 KB more; with 1,024 as much,
 * because the index of waiting events grows by as many pages as the index by product saves.
 */
const CHANGES_TOGETHER = 512;

/** Maximum number of events per transaction, so that calls hardly wait for the events of an interrupted import. */
const EVENTS_PER_STEP = 1024;

/** Enters all events that wait, until none is left or `isStopped` says so. */
export async function enterWaitingEvents(storage: Storage, isStopped = () => false): Promise<void> {
  for (let entered = EVENTS_PER_STEP; entered === EVENTS_PER_STEP && !isStopped(); )
    entered = await storage.transaction((tx) => enterLateIndexes(tx, EVENTS_PER_STEP));
}

/**
 * Enters the waiting events of the previous process, then all waiting events after every {@link CHANGES_TOGETHER}
 * recorded changes.
 *
 * @returns a function that stops it and resolves when the run in progress has ended
 */
export function startIndexingLate(storage: Storage, onFailure: (error: unknown) => void): () => Promise<void> {
  let waiting = 0;
  let isStopped = false;
  let run: Promise<void> | null = null;
  const begin = () => {
    waiting = 0;
    run = enterWaitingEvents(storage, () => isStopped)
      .catch(onFailure)
      .finally(() => (run = null));
  };
  storage.onCommitted((published) => {
    waiting += published.of(recordedChanges).length;
    if (waiting >= CHANGES_TOGETHER && run === null && !isStopped) begin();
  });
  begin();
  return async () => {
    isStopped = true;
    await run;
  };
}
