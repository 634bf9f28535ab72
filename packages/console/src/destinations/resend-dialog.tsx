/** Sends events to a destination again. */
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Destination } from '../api/contract.ts';
import { Mono } from '../parts/copy.tsx';
import { counted, countText } from '../parts/count-words.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import { NamedItems } from '../parts/named-items.tsx';
import { toast } from '../parts/toast.tsx';
import { nameOf } from '../sentences/destinations.ts';

export interface ResendDialogProps extends DialogOf<Destination> {
  /** 1 to 100. */
  readonly eventIds: readonly string[];
  readonly onDone?: () => void;
}

export function ResendDialog({ of: destination, eventIds, onClose, onDone }: ResendDialogProps) {
  const events = counted(eventIds.length, 'event');
  return (
    <WriteDialog
      path="/resendEvents"
      title={`Send ${events} again`}
      description={`${nameOf(destination)} gets ${eventIds.length === 1 ? 'it' : 'them'} with the same id, and with the license as it is now.`}
      verb={eventIds.length === 1 ? 'Send again' : `Send ${countText(eventIds.length)} again`}
      request={{ destinationId: destination.destinationId, eventIds: [...eventIds] }}
      onClose={onClose}
      onDone={({ queued }) => {
        toast({ title: queuedText(queued, eventIds.length), detail: `To ${nameOf(destination)}.` });
        onDone?.();
      }}
    >
      {eventIds.length > 1 && <NamedItems label="Events" names={eventIds} nameOf={(id) => <Mono>{id}</Mono>} />}
    </WriteDialog>
  );
}

/** The result: events that are still to be sent anyway are not queued twice. */
function queuedText(queued: number, asked: number): string {
  if (queued === asked) return `${counted(queued, 'event')} ${queued === 1 ? 'is' : 'are'} sent again.`;
  if (queued === 0) return 'Nothing was sent again: the events are still to be sent.';
  return `${countText(queued)} of ${counted(asked, 'event')} are sent again; the others are still to be sent.`;
}
