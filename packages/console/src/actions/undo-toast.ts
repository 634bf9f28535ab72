/** Offers in a toast to take a change of a license back. */
import type { License } from '../api/contract.ts';
import { limitAt, maySend, useSession } from '../api/session.ts';
import { type ToastNews, toast } from '../parts/toast.tsx';
import { useQuickChange } from './change.ts';
import { undoOfUpdate } from './undo.ts';

/** Seconds in which a toast can take its change back; afterwards Activity can. */
const UNDO_SECONDS = 30;

/** Whether the signed-in person may put former values back, which can take away: a limited role may not. */
export function useMayUndo(): boolean {
  const session = useSession();
  return maySend(session, '/updateLicense', []) && limitAt(session, '/updateLicense') === undefined;
}

/** The part of a toast that offers to take a change back; empty where that is not possible or not allowed. */
export function useUndoToast(): (before: License, after: License) => Pick<ToastNews, 'action' | 'seconds'> {
  const mayUndo = useMayUndo();
  const undo = useQuickChange('/updateLicense', () => toast({ title: 'The change was taken back.' }));
  return (before, after) => {
    const request = undoOfUpdate(before, after);
    if (!mayUndo || request === null) return {};
    return { seconds: UNDO_SECONDS, action: { title: 'Undo', run: () => void undo.make(request) } };
  };
}
