/** Sends the past events of a span of time to a destination again. */
import { useState } from 'react';
import { useQuickChange } from '../actions/change.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Destination, Replay } from '../api/contract.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/count-words.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import { Checkbox, DateField, FieldRow } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { dayText, endOfDay } from '../parts/time-words.ts';
import { toast } from '../parts/toast.tsx';
import { nameOf } from '../sentences/destinations.ts';
import styles from './destinations.module.css';

export function ReplayDialog({ of: destination, onClose }: DialogOf<Destination>) {
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const [failedOnly, setFailedOnly] = useState(false);
  return (
    <WriteDialog
      path="/replayEvents"
      title={`Replay events to ${nameOf(destination)}`}
      description="Past events that match are sent again with the same id, beside the new ones. The receiver ignores those it knows. An event that was sent cannot be called back."
      verb="Replay"
      request={
        since === ''
          ? null
          : {
              destinationId: destination.destinationId,
              since: new Date(`${since}T00:00`).toISOString(),
              ...(until === '' ? {} : { until: endOfDay(until) }),
              ...(failedOnly ? { failedOnly } : {}),
            }
      }
      onClose={onClose}
      onDone={() => toast({ title: `Past events are sent to ${nameOf(destination)} again.` })}
    >
      <FieldRow>
        <DateField label="Since the beginning of" value={since} onChange={setSince} required />
        <DateField label="Until the end of" value={until} onChange={setUntil} hint="Empty: until now." />
      </FieldRow>
      <Checkbox label="Only events that were given up" checked={failedOnly} onChange={setFailedOnly} />
    </WriteDialog>
  );
}

/** The replay under way, with a button that ends it. */
export function ReplayUnderWay({ of: destination, replay }: { readonly of: Destination; readonly replay: Replay }) {
  const mayStop = useCan('/replayEvents');
  const stop = useQuickChange('/replayEvents', () =>
    toast({ title: `The replay to ${nameOf(destination)} was stopped.` }),
  );
  const { since, until, failedOnly, sent } = replay;
  const span = `since ${dayText(since)}${until === null ? '' : ` until ${dayText(until)}`}`;
  return (
    <div className={styles.notice}>
      <Notice
        title={`${failedOnly ? 'Events that were given up' : 'Events'} ${span} are sent again.`}
        actions={
          mayStop && (
            <Button
              small
              pending={stop.isPending}
              onClick={() => void stop.make({ destinationId: destination.destinationId, stop: true })}
            >
              Stop
            </Button>
          )
        }
      >
        {counted(sent, 'event')} so far.
      </Notice>
    </div>
  );
}
