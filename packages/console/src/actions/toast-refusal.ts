/** Shows a failure in a toast, for actions outside a dialog. */
import { asRefusal } from '../api/refusal.ts';
import { wordsFor } from '../api/refusal-words.ts';
import { toast } from '../parts/toast.tsx';

/** Time on screen in seconds. */
const STAYS_SECONDS = 12;

/** Shows a refusal; any other error is converted into one. */
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
