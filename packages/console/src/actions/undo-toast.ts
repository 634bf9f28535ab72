/** Offers in a message to undo its change. */
import { useQueryClient } from '@tanstack/react-query';
import type { Path, ReplyOf } from '../api/contract.ts';
import { useSession } from '../api/session.ts';
import { counted, countText } from '../parts/count-words.ts';
import type { ToastNews } from '../parts/toast.tsx';
import { loadUndoOfRequest } from './lazy-undo.ts';
import { toastRefusal } from './toast-refusal.ts';
import { mayUndo, type Undoing } from './undo.ts';
import { undo } from './undo-change.ts';

/** Seconds in which a message can undo its change; afterwards Activity can. */
const UNDO_SECONDS = 30;

/** The part of a message that offers to undo its change; empty where that is not possible or not allowed. */
export type OfferUndo = (
  undoing: Undoing | null,
  onUndone?: (reply: ReplyOf<Path>) => void,
) => Pick<ToastNews, 'action' | 'seconds'>;

/** Prepares messages that offer to undo their change. */
export function useUndoToast(): OfferUndo {
  const session = useSession();
  const client = useQueryClient();
  return (undoing, onUndone) => {
    if (undoing === null || !mayUndo(session, undoing)) return {};
    const run = () => void undo(client, undoing, onUndone);
    return { seconds: UNDO_SECONDS, action: { title: 'Undo', run } };
  };
}

/**
 * The part of a message that offers to undo all changes of a request, found by its events; empty where that is not
 * allowed.
 */
export type OfferUndoOfRequest = (
  requestId: string | null,
  path: Path,
  doneText: (done: number, all: number) => string,
) => Pick<ToastNews, 'action' | 'seconds'>;

/** Prepares messages that offer to undo all changes of their request. */
export function useUndoOfRequest(): OfferUndoOfRequest {
  const session = useSession();
  const client = useQueryClient();
  return (requestId, path, doneText) => {
    if (requestId === null || !session.can.includes('/listEvents') || !mayUndo(session, { path })) return {};
    const run = () =>
      void loadUndoOfRequest()
        .then(({ undoRequest }) => undoRequest(client, requestId, doneText))
        .catch(toastRefusal);
    return { seconds: UNDO_SECONDS, action: { title: 'Undo', run } };
  };
}

/** The message after the former address of several licenses was put back. */
export function addressesBack(email: string): (done: number, all: number) => string {
  return (done, all) =>
    `${countText(done)} of ${counted(all, 'license')} ${done === 1 ? 'has' : 'have'} the address ${email} again.`;
}
