/** A text filter. */
import { useEffect, useState } from 'react';
import { TextField } from './field.tsx';

export interface FilterTextProps {
  readonly label: string;
  readonly value: string;
  /** Called when the value is complete: on Enter, or when the field loses the focus. */
  readonly onChange: (value: string) => void;
  /** Known values to pick from. */
  readonly choices?: readonly string[];
  readonly onFocus?: () => void;
}

/** A field with a hidden label. Its list is reloaded when typing is finished, not after every letter. */
export function FilterText({ label, value, onChange, ...picking }: FilterTextProps) {
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
        <TextField
          label={label}
          hideLabel
          placeholder={label}
          type="search"
          value={typed}
          onChange={setTyped}
          {...picking}
        />
      </form>
    </div>
  );
}
