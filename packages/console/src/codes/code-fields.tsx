/** The fields that the forms of one code and of many codes share. */
import { CreatorField } from '../actions/creator-field.tsx';
import { useSession } from '../api/session.ts';
import { DateField, FieldRow, type FormPartProps, NumberField } from '../parts/field.tsx';
import { wholeNumber } from '../parts/whole-number.ts';
import type { CodeForm } from './code-form.ts';
import { ProductField } from './product-field.tsx';

const fault = (text: string) => (wholeNumber(text) === undefined ? 'A whole number, 1 or more.' : undefined);

/** Product and days of a trial. */
export function TrialFields({ form, onChange }: FormPartProps<CodeForm>) {
  return (
    <FieldRow>
      <ProductField
        label="Product"
        none="All products"
        value={form.product}
        onChange={(product) => onChange({ ...form, product })}
      />
      <NumberField
        label="Trial"
        value={form.days}
        onChange={(days) => onChange({ ...form, days })}
        min={1}
        unit="days"
        wrong={fault(form.days)}
        required
      />
    </FieldRow>
  );
}

/** The owner of a code without a product. Only operators may choose it. */
export function OwnerField({ form, onChange }: FormPartProps<CodeForm>) {
  const isOperator = useSession().kind === 'operator';
  if (!isOperator || form.product !== '') return null;
  return (
    <CreatorField
      label="Creator"
      value={form.creator}
      onChange={(creator) => onChange({ ...form, creator })}
      hint="For all products of this creator. Empty: for every product of everybody."
    />
  );
}

/** Maximum uses and expiry of a code. */
export function LimitFields<Form extends Pick<CodeForm, 'uses' | 'until'>>({ form, onChange }: FormPartProps<Form>) {
  return (
    <FieldRow>
      <NumberField
        label="Uses"
        value={form.uses}
        onChange={(uses) => onChange({ ...form, uses })}
        min={1}
        hint="Each customer uses it once. Empty: no limit."
        wrong={fault(form.uses)}
      />
      <DateField
        label="Last day"
        value={form.until}
        onChange={(until) => onChange({ ...form, until })}
        hint="Empty: no end."
      />
    </FieldRow>
  );
}
