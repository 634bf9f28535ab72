/** The dialogs of a destination: creating, changing, testing, resuming, a new secret, deleting. */
import { useState } from 'react';
import { CreatorField } from '../actions/creator-field.tsx';
import { undoOfDestination, undoOfPause, undoOfResumption } from '../actions/undo-destination.ts';
import { useUndoToast } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Destination, OutboundType } from '../api/contract.ts';
import { useSession } from '../api/session.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import { DateField, NumberField, SelectField } from '../parts/field.tsx';
import { momentText } from '../parts/time-words.ts';
import { toast } from '../parts/toast.tsx';
import { nameOf, waitingText } from '../sentences/destinations.ts';
import { EVENT_GROUPS } from '../sentences/events.ts';
import { DestinationFields } from './destination-fields.tsx';
import { createRequest, formOf, NEW_DESTINATION, updateRequest, wholeHours } from './destination-form.ts';
import type { NewSecret } from './secret-dialog.tsx';

/** The types of test events. */
const TEST_TYPES = ['ping', ...EVENT_GROUPS.flatMap(({ types }) => types)];

/** Creates a destination. */
export function NewDestinationDialog({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (secret: NewSecret, destinationId: string) => void;
}) {
  const [form, setForm] = useState(NEW_DESTINATION);
  const [creator, setCreator] = useState('');
  const isOperator = useSession().kind === 'operator';
  return (
    <WriteDialog
      path="/createDestination"
      title="New destination"
      description="It receives every change that begins after this, signed, and in order for each license."
      verb="Create destination"
      wide
      request={createRequest(form, creator)}
      onClose={onClose}
      onDone={({ secret, destination, destinationId }, requestId) =>
        onMade({ secret, name: nameOf(destination), requestId }, destinationId)
      }
    >
      <DestinationFields form={form} onChange={setForm} />
      {isOperator && (
        <CreatorField
          label="Creator"
          value={creator}
          onChange={setCreator}
          hint="Its owner, who receives events of their own products only. Leave empty for the operator."
        />
      )}
    </WriteDialog>
  );
}

/** Changes a destination. */
export function ChangeDestinationDialog({ of: present, onClose }: DialogOf<Destination>) {
  // Fixed while the dialog is open: a change by another person meanwhile is refused, not overwritten.
  const [destination] = useState(present);
  const offerUndo = useUndoToast();
  const [form, setForm] = useState(() => formOf(destination));
  return (
    <WriteDialog
      path="/updateDestination"
      title={`Change ${nameOf(destination)}`}
      description="Events that wait are sent as the destination then says."
      verb="Save"
      wide
      request={updateRequest(destination, form)}
      onClose={onClose}
      onDone={({ destination: after }) =>
        toast({
          title: `${nameOf(after)} was changed.`,
          ...offerUndo(undoOfDestination(destination, after, nameOf(destination))),
        })
      }
    >
      <DestinationFields form={form} onChange={setForm} />
    </WriteDialog>
  );
}

/** Sends a test event. */
export function TestDialog({
  of: destination,
  onClose,
  onSent,
}: DialogOf<Destination> & { readonly onSent: (eventId: string) => void }) {
  const [type, setType] = useState('ping');
  return (
    <WriteDialog
      path="/testDestination"
      title={`Test ${nameOf(destination)}`}
      description="A signed example that says that it is a test. If it succeeds, the destination no longer counts as failing."
      verb="Send test"
      request={{ destinationId: destination.destinationId, ...(type === 'ping' ? {} : { type: type as OutboundType }) }}
      onClose={onClose}
      onDone={({ eventId }) => onSent(eventId)}
    >
      <SelectField
        label="Type"
        value={type}
        onChange={setType}
        options={TEST_TYPES.map((value) => ({ value, title: value }))}
        hint={type === 'ping' ? 'An event without content.' : 'The example of this type, with made-up values.'}
      />
    </WriteDialog>
  );
}

/** Pauses a destination. */
export function PauseDialog({ of: destination, onClose }: DialogOf<Destination>) {
  const offerUndo = useUndoToast();
  const { destinationId } = destination;
  return (
    <WriteDialog
      path="/pauseDestination"
      title={`Pause ${nameOf(destination)}`}
      description="Nothing is sent until you resume it. Events that happen in the meantime are sent then."
      verb="Pause"
      request={{ destinationId }}
      onClose={onClose}
      onDone={({ destination: { updatedAt } }) =>
        toast({
          title: `${nameOf(destination)} is paused.`,
          ...offerUndo(undoOfPause(destinationId, updatedAt, nameOf(destination))),
        })
      }
    />
  );
}

type From = 'stopped' | 'now' | 'day';

/** Resumes a destination. */
export function ResumeDialog({ of: destination, onClose }: DialogOf<Destination>) {
  const [from, setFrom] = useState<From>('stopped');
  const offerUndo = useUndoToast();
  const [day, setDay] = useState('');
  const waiting = waitingText(destination);
  const since = day === '' ? null : new Date(`${day}T00:00`).toISOString();
  const value = from === 'day' ? since : from;
  const isCopied = destination.stateReason === 'copied';
  return (
    <WriteDialog
      path="/resumeDestination"
      title={`Resume ${nameOf(destination)}`}
      description={
        isCopied
          ? 'This database is a copy. If the original still sends, the receiver gets the same events from both.'
          : 'Events are sent again, in order for each license.'
      }
      verb="Resume"
      request={value === null ? null : { destinationId: destination.destinationId, from: value }}
      onClose={onClose}
      onDone={({ destination: after }) =>
        toast({
          title: `Events are sent to ${nameOf(destination)} again.`,
          ...offerUndo(undoOfResumption(destination, after, from, nameOf(destination))),
        })
      }
    >
      <SelectField
        label="From"
        value={from}
        onChange={(chosen) => setFrom(chosen as From)}
        options={[
          { value: 'stopped', title: 'Where it stopped' },
          { value: 'now', title: 'Now' },
          { value: 'day', title: 'A day' },
        ]}
        hint={FROM_HINTS[from](waiting)}
      />
      {from === 'day' && (
        <DateField
          label="Since the beginning of"
          value={day}
          onChange={setDay}
          hint="Events are kept for the time that the operator has set."
          required
        />
      )}
    </WriteDialog>
  );
}

const FROM_HINTS: Readonly<Record<From, (waiting: string | null) => string>> = {
  stopped: (waiting) => `Nothing is left out. ${waiting ?? 'No event waits.'}`,
  now: (waiting) => `Events that happened meanwhile are never sent, which cannot be undone. ${waiting ?? ''}`.trim(),
  day: () => 'Events that were already sent are sent again, with the same id. This cannot be undone.',
};

/** Makes a new secret. */
export function RotateDialog({
  of: destination,
  onClose,
  onMade,
}: DialogOf<Destination> & { readonly onMade: (secret: NewSecret) => void }) {
  const [hours, setHours] = useState('24');
  const overlapHours = wholeHours(hours);
  return (
    <WriteDialog
      path="/rotateDestinationSecret"
      title="New secret"
      description={`${nameOf(destination)} gets another secret. For some hours both sign each event, so that the receiver can switch without a gap. The former one cannot be put back.`}
      verb="Make a new secret"
      request={overlapHours === null ? null : { destinationId: destination.destinationId, overlapHours }}
      onClose={onClose}
      onDone={({ secret, previousSecretEndsAt }, requestId) =>
        onMade({
          secret,
          name: nameOf(destination),
          former:
            previousSecretEndsAt === null
              ? 'The former secret no longer signs.'
              : `The former one signs until ${momentText(previousSecretEndsAt)}.`,
          requestId,
        })
      }
    >
      <NumberField
        label="The former secret signs for another"
        value={hours}
        onChange={setHours}
        min={0}
        max={168}
        unit="hours"
        hint="0 if it has leaked: the receiver then accepts nothing until it has the new one."
      />
    </WriteDialog>
  );
}

/** Deletes a destination. */
export function DeleteDialog({ of: destination, onClose }: DialogOf<Destination>) {
  const waiting = waitingText(destination);
  return (
    <WriteDialog
      path="/deleteDestination"
      title={`Delete ${nameOf(destination)}`}
      description={`Nothing more is sent there, and its attempts are forgotten. This cannot be undone. ${waiting === null ? '' : `${waiting} They are never sent.`}`}
      verb="Delete destination"
      danger
      request={{ destinationId: destination.destinationId }}
      onClose={onClose}
      onDone={() => {
        location.hash = '#/destinations';
        toast({ title: `${nameOf(destination)} was deleted.` });
      }}
    />
  );
}
