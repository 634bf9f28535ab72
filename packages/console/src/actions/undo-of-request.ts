/** Undoes all changes of a request, found by its events. */
import type { QueryClient } from '@tanstack/react-query';
import { call, requestIdOf } from '../api/call.ts';
import type { Event } from '../api/contract.ts';
import { refreshAfter } from '../api/keys.ts';
import { asRefusal, type Refusal } from '../api/refusal.ts';
import { wordsFor } from '../api/refusal-words.ts';
import { newIdempotencyKey } from '../api/writes.ts';
import { countText } from '../parts/count-words.ts';
import { toast } from '../parts/toast.tsx';
import { runBounded } from './run-bounded.ts';
import type { Undoing } from './undo.ts';
import { undo } from './undo-change.ts';
import { type UndoableChange, undoOfChange, undoOfEvent } from './undo-event.ts';

/** Maximum number of concurrent calls. */
const AT_ONCE = 4;
/** Maximum number of undone events: one call gives at most this many licenses another address. */
const MAX_OF_REQUEST = 1000;
/** Time on screen of the result in seconds. */
const STAYS_SECONDS = 30;

/**
 * Undoes the changes of a request, and reports in a message how many, and why the others stay.
 *
 * @param doneText the message about several changes
 */
export async function undoRequest(
  client: QueryClient,
  requestId: string,
  doneText: (done: number, all: number) => string,
): Promise<void> {
  const undoings = (await eventsOf(requestId)).map(undoOfEvent).filter((undoing) => undoing !== null);
  const [first] = undoings;
  if (first === undefined) return toast({ title: 'Nothing of this change can be undone.', isRefusal: true });
  if (undoings.length === 1) return undo(client, first);
  return undoEach(client, undoings, (done) => doneText(done, undoings.length));
}

/**
 * Undoes several changes, and reports in a message how many, and why the others stay.
 *
 * @param doneText the message about a number of undone changes
 */
export async function undoEach(
  client: QueryClient,
  undoings: readonly Undoing[],
  doneText: (done: number) => string,
): Promise<void> {
  const refusals: Refusal[] = [];
  const requestIds: string[] = [];
  await runBounded(AT_ONCE, undoings, async ({ path, request }) => {
    try {
      requestIds.push(requestIdOf(await call(path, request, { idempotencyKey: newIdempotencyKey() })) ?? '');
    } catch (error) {
      refusals.push(asRefusal(error));
    }
  });
  const [first] = undoings;
  if (first !== undefined) await refreshAfter(client, first.path);
  const [refused] = refusals;
  toast({
    title: doneText(requestIds.length),
    ...(refused === undefined ? {} : { detail: `${countText(refusals.length)} refused: ${wordsFor(refused).title}` }),
    requestIds: requestIds.filter((id) => id !== ''),
    isRefusal: requestIds.length === 0,
    seconds: STAYS_SECONDS,
  });
}

/** Undoes the changes of an action on many items. */
export async function undoChanges(client: QueryClient, changes: readonly UndoableChange[]): Promise<void> {
  const undoings = changes.map(undoOfChange).filter((undoing) => undoing !== null);
  await undoEach(client, undoings, (done) => `${countText(done)} of ${countText(changes.length)} undone.`);
}

async function eventsOf(requestId: string): Promise<readonly Event[]> {
  const all: Event[] = [];
  let cursor: string | undefined;
  do {
    const page = await call('/listEvents', {
      requestId,
      limit: MAX_OF_REQUEST,
      ...(cursor === undefined ? {} : { cursor }),
    });
    all.push(...page.events);
    cursor = page.nextCursor;
  } while (cursor !== undefined && all.length < MAX_OF_REQUEST);
  return all;
}
