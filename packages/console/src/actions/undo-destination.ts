/** Undoes a change of a destination. Pure. */
import type { Destination, RequestOf } from '../api/contract.ts';
import type { Facts, Undoing } from './undo.ts';

/** The fields of a destination that a person changes. Events hold them, except the address. */
const OF_DESTINATION = [
  'description',
  'types',
  'productIds',
  'includeLicenseKeys',
  'includePersonalData',
  'requestsPerSecond',
] as const;

/** Undoes an update of a destination; null if nothing differs. @param name the destination within a sentence */
export function undoOfDestination(before: Destination, after: Destination, name: string): Undoing | null {
  const differing = ([...OF_DESTINATION, 'url'] as const).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  if (differing.length === 0) return null;
  const values = Object.fromEntries(differing.map((field) => [field, before[field]]));
  return undoneDestination(after.destinationId, values, after.updatedAt, name);
}

/** Undoes a recorded update of a destination; null where the address differs, of which events hold a part. */
export function undoOfRecordedDestination(destinationId: string, before: Facts, at: string): Undoing | null {
  const names = Object.keys(before);
  const canRestore = (name: string) => (OF_DESTINATION as readonly string[]).includes(name);
  if (names.length === 0 || !names.every(canRestore)) return null;
  const undoing = undoneDestination(destinationId, before, at, 'the destination');
  // Events do not hold the path of the address, which may have changed as well.
  return { ...undoing, stays: 'The address stays as it is.' };
}

function undoneDestination(destinationId: string, values: Facts, wasUpdatedAt: string, name: string): Undoing {
  const request = { destinationId, ...values, wasUpdatedAt } as RequestOf<'/updateDestination'>;
  return { path: '/updateDestination', request, effect: null, done: `The change to ${name} was undone.` };
}

/** Undoes a pause: events are sent from where it stopped. @param wasUpdatedAt the time of the pause */
export function undoOfPause(destinationId: string, wasUpdatedAt: string, name = 'the destination'): Undoing {
  return {
    path: '/resumeDestination',
    request: { destinationId, wasUpdatedAt },
    effect: 'Events are sent again, from where it stopped',
    done: `Events are sent to ${name} again.`,
  };
}

/**
 * Undoes a resumption where a pause by a person ended and nothing was left out; null for any other one.
 *
 * @param from the choice in the dialog
 */
export function undoOfResumption(before: Destination, after: Destination, from: string, name: string): Undoing | null {
  if (before.state !== 'paused' || before.stateReason !== 'by_person' || from !== 'stopped') return null;
  const { destinationId, updatedAt } = after;
  return {
    path: '/pauseDestination',
    request: { destinationId, wasUpdatedAt: updatedAt },
    effect: null,
    done: `${name} is paused again.`,
  };
}
