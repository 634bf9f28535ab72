import { useState } from 'react';
import { BulkDialog } from '../actions/bulk-dialog.tsx';
import { useCan } from '../api/session.ts';
import { counted, countText } from '../parts/count-words.ts';
import { TextField } from '../parts/field.tsx';
import type { ManyProps } from './many-props.ts';
import { NOTE_CHARACTERS } from './note-field.tsx';

/** Writes one note on each license. */
export function NoteMany({ keys, nameOf, onClose }: ManyProps) {
  const [text, setText] = useState('');
  const mayDelete = useCan('/deleteNote');
  const written = text.trim();
  return (
    <BulkDialog
      path="/addNote"
      names={keys}
      requestOf={written === '' ? null : (licenseKey) => ({ licenseKey, text: written })}
      nameOf={nameOf}
      title={`Write a note on ${counted(keys.length, 'license')}`}
      description="It stands in the history of each, for the next reader. Customers do not see it."
      verb={`Write ${counted(keys.length, 'note')}`}
      doneText={(count) => `${countText(count)} noted`}
      {...(mayDelete
        ? {
            changeOf: (licenseKey: string, _request: object, reply: { readonly note: { readonly id: string } }) => ({
              type: 'license.noted' as const,
              id: reply.note.id,
              licenseKey,
              before: null,
              after: {},
            }),
          }
        : {})}
      onClose={onClose}
    >
      <TextField label="Note" rows={3} maxLength={NOTE_CHARACTERS} value={text} onChange={setText} />
    </BulkDialog>
  );
}
