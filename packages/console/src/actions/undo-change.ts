import type { QueryClient } from '@tanstack/react-query';
import { call, requestIdOf } from '../api/call.ts';
import type { Path, ReplyOf } from '../api/contract.ts';
import { refreshAfter } from '../api/keys.ts';
import { asRefusal } from '../api/refusal.ts';
import { newIdempotencyKey } from '../api/writes.ts';
import { tellOf, toast } from '../parts/toast.tsx';
import { toastRefusal } from './toast-refusal.ts';
import type { Undoing } from './undo.ts';

/** Undoes a change, and reports the result in a message. */
export async function undo(
  client: QueryClient,
  { path, request, done }: Undoing,
  onUndone?: (reply: ReplyOf<Path>) => void,
): Promise<void> {
  try {
    const reply = await call(path, request, { idempotencyKey: newIdempotencyKey() });
    await refreshAfter(client, path);
    onUndone?.(reply);
    tellOf(requestIdOf(reply), () => toast({ title: done }));
  } catch (error) {
    // The screen may show an old value.
    if (asRefusal(error).code === 'changed_meanwhile') await refreshAfter(client, path);
    toastRefusal(error);
  }
}
