/** Undoes a recorded change. */
import { useState } from 'react';
import { mayUndo } from '../actions/undo.ts';
import { undoOfEvent } from '../actions/undo-event.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Event } from '../api/contract.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { toast } from '../parts/toast.tsx';
import { changesText } from '../sentences/events.ts';

/** The button; renders nothing for changes that no request undoes. */
export function Undo({ event }: { readonly event: Event }) {
  const [isAsking, setAsking] = useState(false);
  const session = useSession();
  const undoing = undoOfEvent(event);
  if (undoing === null || !mayUndo(session, undoing)) return null;
  const { path, request, effect, stays = '', done } = undoing;
  return (
    <>
      <Button small onClick={() => setAsking(true)}>
        Undo
      </Button>
      {isAsking && (
        <WriteDialog
          path={path}
          request={request}
          title="Undo this change"
          description={`${effect ?? changesText({ before: event.after, after: event.before })}.${stays === '' ? '' : ` ${stays}`} If somebody has changed it since, nothing is changed.`}
          verb="Undo"
          onClose={() => setAsking(false)}
          onDone={() => toast({ title: done })}
        />
      )}
    </>
  );
}
