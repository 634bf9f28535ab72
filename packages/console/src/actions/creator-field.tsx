/** Fields for a creator, who is picked among those with products, keys, codes or orders, or typed. */
import { useState } from 'react';
import { useRead } from '../api/reads.ts';
import { Checkbox, TextField, type TextFieldProps } from '../parts/field.tsx';
import { FilterText } from '../parts/filter-text.tsx';
import { useFormBlock } from '../parts/form-block.tsx';

type CreatorFieldProps = Pick<
  TextFieldProps,
  'label' | 'value' | 'onChange' | 'hint' | 'required' | 'disabled' | 'placeholder'
>;

/**
 * A field of a form. A name that no creator has blocks the form until a tick says that the creator is new: a mistyped
 * one would be made with the thing. `usual` is the name that the form suggests, which needs no tick.
 */
export function CreatorField({ usual, ...props }: CreatorFieldProps & { readonly usual?: string }) {
  const typed = props.value.trim();
  const { choices, onFocus, isRead } = useKnownCreators(typed);
  const [agreed, setAgreed] = useState('');
  const isUnknown = typed !== '' && typed !== usual && !choices.includes(typed);
  useFormBlock(isUnknown && agreed !== typed);
  return (
    <>
      <TextField {...props} choices={choices} onFocus={onFocus} />
      {isUnknown && isRead && (
        <Checkbox
          label="New creator"
          hint={`Nothing belongs to ${typed} yet.`}
          checked={agreed === typed}
          onChange={(isChosen) => setAgreed(isChosen ? typed : '')}
        />
      )}
    </>
  );
}

/** A field for a creator who has something already. */
export function KnownCreatorField(props: CreatorFieldProps) {
  const { choices, onFocus } = useKnownCreators(props.value.trim());
  return <TextField {...props} choices={choices} onFocus={onFocus} />;
}

/** A filter of a list. */
export function CreatorFilter({ value, onChange }: Pick<CreatorFieldProps, 'value' | 'onChange'>) {
  const { choices, onFocus } = useKnownCreators('');
  return <FilterText label="Creator" value={value} onChange={onChange} choices={choices} onFocus={onFocus} />;
}

/**
 * Reads the creators when the field gets the focus or a name. If they are too many for one reply, those that begin as
 * typed. `isRead`: whether the choices are those for the typed name, or cannot be read.
 */
function useKnownCreators(typed: string) {
  const [isAsked, setAsked] = useState(false);
  const first = useRead('/listCreators', {}, { enabled: isAsked || typed !== '' });
  const isCut = first.data?.nextCursor !== undefined && typed !== '';
  const fitting = useRead('/listCreators', { beginning: typed }, { enabled: isCut, keepPrevious: true });
  const { data, error, isPlaceholderData } = isCut ? fitting : first;
  return {
    choices: data?.creators ?? [],
    onFocus: () => setAsked(true),
    isRead: error !== null || (data !== undefined && !isPlaceholderData),
  };
}
