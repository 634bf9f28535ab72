/** Says in a toast why something did not succeed that was pressed outside of any dialog. */
import { asRefusal } from '../api/refusal.ts';
import { wordsFor } from '../api/refusal-words.ts';
import { toast } from '../parts/toast.tsx';

/** How long it stays, in seconds. */
const STAYS_SECONDS = 12;

/** Shows a refusal, or any other error as one. */
export function toastRefusal(error: unknown): void {
  const refusal = asRefusal(error);
  const { title, advice } = wordsFor(refusal);
  toast({
    title,
    detail: advice,
    requestIds: refusal.requestId === null ? [] : [refusal.requestId],
    isRefusal: true,
    seconds: STAYS_SECONDS,
  });
}
