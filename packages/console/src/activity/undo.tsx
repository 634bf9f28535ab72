/** Takes a recorded change of a license back. */
import { useState } from 'react';
import { undoOfEvent } from '../actions/undo.ts';
import { useMayUndo } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Event } from '../api/contract.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { toast } from '../parts/toast.tsx';
import { changesText } from '../sentences/events.ts';

/** The button; renders nothing for changes that no request takes back. */
export function Undo({ event }: { readonly event: Event }) {
  const [isAsking, setAsking] = useState(false);
  const mayUndo = useMayUndo();
  const { can } = useSession();
  const undoing = undoOfEvent(event);
  if (undoing === null || !can.includes(undoing.path) || (undoing.path === '/updateLicense' && !mayUndo)) return null;
  const { path, request, effect } = undoing;
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
          description={`${effect ?? changesText({ ...event, before: event.after, after: event.before })}. If somebody has changed it since, nothing is changed.`}
          verb="Undo"
          onClose={() => setAsking(false)}
          onDone={() => toast({ title: 'The change was taken back.' })}
        />
      )}
    </>
  );
}
