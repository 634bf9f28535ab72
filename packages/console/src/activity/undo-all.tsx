/** Undoes all changes of one request. */
import { useState } from 'react';
import { BulkDialog } from '../actions/bulk-dialog.tsx';
import { mayUndo, type Undoing } from '../actions/undo.ts';
import { undoOfEvent } from '../actions/undo-event.ts';
import type { Event, Path } from '../api/contract.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Key } from '../parts/copy.tsx';
import { counted } from '../parts/count-words.ts';

/** The button; renders nothing for fewer than two changes that can be undone in the same way. */
export function UndoAll({ events }: { readonly events: readonly Event[] }) {
  const session = useSession();
  const [asking, setAsking] = useState<ReadonlyMap<string, readonly [event: Event, undoing: Undoing]> | null>(null);
  const undoable = undoableAmong(events, (undoing) => mayUndo(session, undoing));
  const [path = null] = [...(asking ?? undoable).values()].map(([, undoing]): Path => undoing.path);
  return (
    <>
      {undoable.size > 1 && (
        <Button small onClick={() => setAsking(undoable)}>
          Undo all {undoable.size}
        </Button>
      )}
      {asking !== null && path !== null && (
        <BulkDialog<Path>
          path={path}
          names={[...asking.keys()]}
          requestOf={(id) => asking.get(id)?.[1].request ?? (() => Promise.resolve(null))}
          nameOf={(id) => <NameOf event={asking.get(id)?.[0]} />}
          title={`Undo ${counted(asking.size, 'change')}`}
          description="Former values are put back. What somebody has changed since stays as it is."
          verb={`Undo ${asking.size}`}
          doneText={(count) => `${counted(count, 'change')} undone`}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}

function NameOf({ event }: { readonly event: Event | undefined }) {
  const key = event?.licenseKey ?? null;
  return key === null ? (event?.subject ?? event?.productId ?? '') : <Key value={key} />;
}

/** The changes that one endpoint undoes, by the ID of their event. */
function undoableAmong(
  events: readonly Event[],
  isAllowed: (undoing: Undoing) => boolean,
): ReadonlyMap<string, readonly [event: Event, undoing: Undoing]> {
  const undoings = events.flatMap((event) => {
    const undoing = undoOfEvent(event);
    return undoing !== null && isAllowed(undoing) ? [[event, undoing] as const] : [];
  });
  const path = undoings[0]?.[1].path;
  return new Map(undoings.filter(([, undoing]) => undoing.path === path).map((each) => [each[0].id, each]));
}
