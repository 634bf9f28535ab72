/**
 * Changes as a person makes them. There is one way to make one, so that each tells the number of its request: the news of a
 * change bears it, and so does what is shown where it was refused.
 */
import { requestIdOf } from '../api/call.ts';
import type { Path, ReplyOf, RequestOf } from '../api/contract.ts';
import type { Refusal } from '../api/refusal.ts';
import { useWrite } from '../api/writes.ts';
import { tellOf } from '../parts/toast.tsx';
import { toastRefusal } from './toast-refusal.ts';

/** A change that can be made, is under way, or was refused. */
export interface Change<At extends Path> {
  /**
   * Sends it, and tells of it. Answers once all is told; it never fails. Pressing again after a refusal sends the same
   * request with the same Idempotency-Key.
   */
  readonly make: (request: RequestOf<At>) => Promise<void>;
  readonly isPending: boolean;
  /** Why the last try was refused; null where none was. */
  readonly refusal: Refusal | null;
  /** Forgets the refusal. */
  readonly forget: () => void;
}

/** Tells of a success. The toasts that it makes bear the number of the request by themselves; what shows it otherwise is given it. */
export type Tell<At extends Path> = (reply: ReplyOf<At>, sent: Sent<At>) => void;

/** What was answered. */
export interface Sent<At extends Path> {
  readonly request: RequestOf<At>;
  /** The number of the request in events and in the service's log; null where it is not known. */
  readonly requestId: string | null;
}

/** Prepares a change whose refusal is shown where it is made, from {@link Change.refusal}. */
export function useChange<At extends Path>(path: At, tell: Tell<At>): Change<At> {
  const write = useWrite(path);
  const make = async (request: RequestOf<At>) => {
    const reply = await write.mutateAsync(request).catch(() => null);
    if (reply !== null) tellOfReply(reply, request, tell);
  };
  return { make, isPending: write.isPending, refusal: write.error, forget: write.reset };
}

/** Prepares a change that is made by a press outside of any form: its refusal is told in a toast. */
export function useQuickChange<At extends Path>(path: At, tell: Tell<At>): Pick<Change<At>, 'make' | 'isPending'> {
  const write = useWrite(path);
  const make = (request: RequestOf<At>) =>
    // What was pressed may be gone when the answer comes.
    write.mutateAsync(request).then((reply) => tellOfReply(reply, request, tell), toastRefusal);
  return { make, isPending: write.isPending };
}

function tellOfReply<At extends Path>(reply: ReplyOf<At>, request: RequestOf<At>, tell: Tell<At>): void {
  const requestId = requestIdOf(reply);
  tellOf(requestId, () => tell(reply, { request, requestId }));
}
