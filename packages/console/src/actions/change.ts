/**
 * Changes made by a person. All of them go through this file, so that every success message and every refusal shows the
 * ID of its request.
 */
import { requestIdOf } from '../api/call.ts';
import type { Path, ReplyOf, RequestOf } from '../api/contract.ts';
import type { Refusal } from '../api/refusal.ts';
import { useWrite } from '../api/writes.ts';
import { tellOf } from '../parts/toast.tsx';
import { toastRefusal } from './toast-refusal.ts';

/** A change that is ready, under way, or refused. */
export interface Change<At extends Path> {
  /**
   * Sends the change and reports the result. Resolves after the report and never rejects. After a refusal, calling it
   * again with the same request reuses the Idempotency-Key.
   */
  readonly make: (request: RequestOf<At>) => Promise<void>;
  readonly isPending: boolean;
  /** The reason for the last refusal; null if the last attempt was not refused. */
  readonly refusal: Refusal | null;
  /** Clears the refusal. */
  readonly forget: () => void;
}

/**
 * Reports a success. Toasts created in it carry the request ID automatically; any other display takes the ID from
 * `sent`.
 */
export type Tell<At extends Path> = (reply: ReplyOf<At>, sent: Sent<At>) => void;

/** The answered request. */
export interface Sent<At extends Path> {
  readonly request: RequestOf<At>;
  /** The ID of the request in events and in the service's log; null if unknown. */
  readonly requestId: string | null;
}

/** Prepares a change whose form shows the refusal, from {@link Change.refusal}. */
export function useChange<At extends Path>(path: At, tell: Tell<At>): Change<At> {
  const write = useWrite(path);
  const make = async (request: RequestOf<At>) => {
    const reply = await write.mutateAsync(request).catch(() => null);
    if (reply !== null) tellOfReply(reply, request, tell);
  };
  return { make, isPending: write.isPending, refusal: write.error, forget: write.reset };
}

/** Prepares a change that is made outside a form. A toast shows its refusal. */
export function useQuickChange<At extends Path>(path: At, tell: Tell<At>): Pick<Change<At>, 'make' | 'isPending'> {
  const write = useWrite(path);
  const make = (request: RequestOf<At>) =>
    // The pressed button may be unmounted when the reply arrives, so this does not use the callbacks of `mutate`.
    write.mutateAsync(request).then((reply) => tellOfReply(reply, request, tell), toastRefusal);
  return { make, isPending: write.isPending };
}

function tellOfReply<At extends Path>(reply: ReplyOf<At>, request: RequestOf<At>, tell: Tell<At>): void {
  const requestId = requestIdOf(reply);
  tellOf(requestId, () => tell(reply, { request, requestId }));
}
