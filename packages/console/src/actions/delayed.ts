/** Changes that are sent a moment after the press, so that the person can take the press back. */
import { toast } from '../parts/toast.tsx';

/** Seconds between the press and the request. */
const DELAY_SECONDS = 5;

/** Changes that are not sent yet. */
let waiting = 0;

/** The browser asks before it leaves the page: the change would not be sent. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function count(change: 1 | -1): void {
  waiting += change;
  if (waiting > 0) addEventListener('beforeunload', askBeforeLeaving);
  else removeEventListener('beforeunload', askBeforeLeaving);
}

/**
 * Sends a change in five seconds, unless the person undoes it in the message. While the pointer is on the message it
 * waits.
 *
 * @param title the announcement, such as "Studio iMac is removed in 5 seconds."
 * @param settled called when it was sent or undone
 */
export function sendLater(title: string, send: () => Promise<void>, settled: () => void): void {
  count(1);
  toast({
    title,
    seconds: DELAY_SECONDS,
    requestIds: [],
    action: {
      title: 'Undo',
      run: () => {
        count(-1);
        settled();
        toast({ title: 'Nothing was changed.', requestIds: [] });
      },
    },
    onGone: () => {
      count(-1);
      void send().finally(settled);
    },
  });
}
