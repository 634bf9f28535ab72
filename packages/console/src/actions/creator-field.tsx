/** Fields for a creator, who is picked among those with products, keys, codes or orders, or typed. */
import { useState } from 'react';
import { useRead } from '../api/reads.ts';
import { TextField, type TextFieldProps } from '../parts/field.tsx';
import { FilterText } from '../parts/filter-text.tsx';

type CreatorFieldProps = Pick<
  TextFieldProps,
  'label' | 'value' | 'onChange' | 'hint' | 'required' | 'disabled' | 'placeholder'
>;

/** A field of a form. */
export function CreatorField(props: CreatorFieldProps) {
  return <TextField {...props} {...useKnownCreators(props.value)} />;
}

/** A filter of a list. */
export function CreatorFilter({ value, onChange }: Pick<CreatorFieldProps, 'value' | 'onChange'>) {
  return <FilterText label="Creator" value={value} onChange={onChange} {...useKnownCreators('')} />;
}

/** Reads the creators when the field gets the focus. If they are too many for one reply, those that begin as typed. */
function useKnownCreators(typed: string) {
  const [isAsked, setAsked] = useState(false);
  const first = useRead('/listCreators', {}, { enabled: isAsked });
  const isCut = first.data?.nextCursor !== undefined && typed.trim() !== '';
  const fitting = useRead('/listCreators', { beginning: typed.trim() }, { enabled: isCut, keepPrevious: true });
  const { data } = isCut ? fitting : first;
  return { choices: data?.creators ?? [], onFocus: () => setAsked(true) };
}
