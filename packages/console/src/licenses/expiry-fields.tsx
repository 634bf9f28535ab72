/** Fields for the expiry of a license. */
import { DateField, FieldRow, NumberField, SelectField } from '../parts/field.tsx';
import type { Expiry } from './expiry.ts';

export { type Expiry, expiryOf, NO_EXPIRY } from './expiry.ts';

export interface ExpiryFieldsProps {
  readonly expiry: Expiry;
  readonly onChange: (expiry: Expiry) => void;
  /** The starting point of the days in words: "from now". */
  readonly from?: string;
}

/** A choice, and the field that belongs to it. */
export function ExpiryFields({ expiry, onChange, from = 'from now' }: ExpiryFieldsProps) {
  return (
    <FieldRow>
      <SelectField
        label="Ends"
        value={expiry.kind}
        onChange={(kind) => onChange({ ...expiry, kind: kind as Expiry['kind'] })}
        options={[
          { value: 'days', title: `A number of days ${from}` },
          { value: 'day', title: 'On a day' },
          { value: 'never', title: 'Never' },
        ]}
      />
      {expiry.kind === 'days' && (
        <NumberField
          label="Days"
          unit="days"
          min={1}
          max={36_500}
          value={expiry.days}
          onChange={(days) => onChange({ ...expiry, days })}
        />
      )}
      {expiry.kind === 'day' && (
        <DateField label="Day" value={expiry.day} onChange={(day) => onChange({ ...expiry, day })} />
      )}
    </FieldRow>
  );
}
