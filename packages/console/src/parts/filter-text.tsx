/** A filter that is typed. */
import { useEffect, useState } from 'react';
import { TextField } from './field.tsx';

export interface FilterTextProps {
  readonly label: string;
  readonly value: string;
  /** Called when what was typed is meant: on Enter, or when the field is left. */
  readonly onChange: (value: string) => void;
}

/** A field with a hidden label whose list is read anew when the typing is done, not with every letter. */
export function FilterText({ label, value, onChange }: FilterTextProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const commit = () => {
    if (typed.trim() !== value) onChange(typed.trim());
  };
  return (
    <div>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          commit();
        }}
        onBlur={commit}
      >
        <TextField label={label} hideLabel placeholder={label} type="search" value={typed} onChange={setTyped} />
      </form>
    </div>
  );
}
