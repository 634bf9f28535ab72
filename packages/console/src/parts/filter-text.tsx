/** A filter for text: it holds once Enter is pressed or the field is left, and not with every letter. */
import { useEffect, useState } from 'react';
import { TextField } from './field.tsx';

export interface FilterTextProps {
  readonly label: string;
  /** The value that holds now; '' where there is none. */
  readonly value: string;
  /** Called with the new value, without blanks around it. */
  readonly onApply: (value: string) => void;
  readonly placeholder?: string;
  readonly mono?: boolean;
  /** Whether the label stands above the field; in a bar of filters it is for screen readers only. */
  readonly showLabel?: boolean;
}

/** A text field of a filter bar. */
export function FilterText({ label, value, onApply, placeholder, mono, showLabel }: FilterTextProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const apply = () => {
    if (typed.trim() !== value) onApply(typed.trim());
  };
  return (
    <div>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
        onBlur={apply}
      >
        <TextField
          label={label}
          value={typed}
          onChange={setTyped}
          placeholder={placeholder ?? label}
          mono={mono ?? false}
          hideLabel={showLabel !== true}
        />
      </form>
    </div>
  );
}
