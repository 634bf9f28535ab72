/** Takes a recorded change of a license back. */
import { useState } from 'react';
import { undoRequest } from '../actions/undo.ts';
import { useMayUndo } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Event } from '../api/contract.ts';
import { Button } from '../parts/button.tsx';
import { toast } from '../parts/toast.tsx';
import { changesText } from '../sentences/events.ts';

/** The button; renders nothing for changes that no request takes back. */
export function Undo({ event }: { readonly event: Event }) {
  const [isAsking, setAsking] = useState(false);
  const mayUndo = useMayUndo();
  const { type, licenseKey, before, after } = event;
  const isUpdate = type === 'license.updated' && licenseKey !== null && before !== null && after !== null;
  const request = isUpdate ? undoRequest(licenseKey, before, after) : null;
  if (!mayUndo || request === null) return null;
  return (
    <>
      <Button small onClick={() => setAsking(true)}>
        Undo
      </Button>
      {isAsking && (
        <WriteDialog
          path="/updateLicense"
          request={request}
          title="Undo this change"
          description={`${changesText({ ...event, before: after, after: before })}. If somebody has changed it since, nothing is changed.`}
          verb="Undo"
          onClose={() => setAsking(false)}
          onDone={() => toast({ title: 'The change was taken back.' })}
        />
      )}
    </>
  );
}
