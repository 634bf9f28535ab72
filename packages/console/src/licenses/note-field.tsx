/** The note for all licenses of an action. */
import { type ReactNode, useState } from 'react';
import type { RequestOf } from '../api/contract.ts';
import { useCan } from '../api/session.ts';
import { TextField } from '../parts/field.tsx';

/** Maximum length of a note. */
export const NOTE_CHARACTERS = 2000;

/** @returns the field, and the note that an action leaves on a license; both null for a person who writes none */
export function useNoteField(): readonly [ReactNode, (licenseKey: string) => RequestOf<'/addNote'> | null] {
  const [text, setText] = useState('');
  const mayWrite = useCan('/addNote');
  if (!mayWrite) return [null, () => null];
  const field = (
    <TextField
      label="Note"
      hint="Stands on each license, for the next reader. Undoing leaves it."
      rows={2}
      maxLength={NOTE_CHARACTERS}
      value={text}
      onChange={setText}
    />
  );
  const written = text.trim();
  return [field, (licenseKey) => (written === '' ? null : { licenseKey, text: written })];
}
