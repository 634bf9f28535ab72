/** Fields for the expiry of a license. */
import { countText } from '../parts/count-words.ts';
import { DateField, FieldRow, NumberField, SelectField } from '../parts/field.tsx';
import { type Expiry, MAX_DAYS } from './expiry.ts';

/** The offered kinds of an expiry, in their order. */
const KINDS = ['days', 'day', 'never'] as const satisfies readonly Expiry['kind'][];

export interface ExpiryFieldsProps {
  readonly expiry: Expiry;
  readonly onChange: (expiry: Expiry) => void;
  /** The starting point of the days in words: "from now". */
  readonly from?: string;
  /** The kinds to choose from; all by default. */
  readonly kinds?: readonly Expiry['kind'][];
  /** Maximum number of days. */
  readonly maxDays?: number | undefined;
  /** The limit of the days, in a sentence. */
  readonly hint?: string | undefined;
  /** The reason for refusing the chosen day. */
  readonly wrongDay?: string | undefined;
}

/** A choice, and the field that belongs to it. */
export function ExpiryFields(props: ExpiryFieldsProps) {
  const { expiry, onChange, from = 'from now', kinds = KINDS, maxDays = MAX_DAYS } = props;
  const titles = { days: `Days ${from}`, day: 'On a day', never: 'Never' };
  return (
    <FieldRow>
      {kinds.length > 1 && (
        <SelectField
          label="Ends"
          value={expiry.kind}
          onChange={(kind) => onChange({ ...expiry, kind: kind as Expiry['kind'] })}
          options={kinds.map((kind) => ({ value: kind, title: titles[kind] }))}
        />
      )}
      {expiry.kind === 'days' && (
        <NumberField
          label={kinds.length > 1 ? 'Days' : `Days ${from}`}
          unit="days"
          min={1}
          max={maxDays}
          value={expiry.days}
          onChange={(days) => onChange({ ...expiry, days })}
          hint={props.hint}
          wrong={Number(expiry.days) > maxDays ? `At most ${countText(maxDays)} days.` : undefined}
        />
      )}
      {expiry.kind === 'day' && (
        <DateField
          label="Day"
          value={expiry.day}
          onChange={(day) => onChange({ ...expiry, day })}
          wrong={props.wrongDay}
        />
      )}
    </FieldRow>
  );
}
