import { Checkbox, FieldRow, type FormPartProps, NumberField, SelectField, TextField } from '../parts/field.tsx';
import { type DestinationForm, KINDS } from './destination-form.ts';
import styles from './destinations.module.css';

/** The fields that a new and an existing destination have in common. */
export function DestinationFields({ form, onChange }: FormPartProps<DestinationForm>) {
  const set = (change: Partial<DestinationForm>) => onChange({ ...form, ...change });
  const shown = KINDS.filter(({ ofShop }) => !ofShop || !form.isEverything);
  return (
    <>
      <TextField
        label="Address"
        type="url"
        value={form.url}
        onChange={(url) => set({ url })}
        placeholder="https://shop.example.com/latchkey"
        hint="A public https address that takes events."
        required
      />
      <TextField
        label="Description"
        value={form.description}
        onChange={(description) => set({ description })}
        hint="Its name in this console, such as: Mailing list."
      />
      <SelectField
        label="Events"
        value={form.isEverything ? 'all' : 'chosen'}
        onChange={(value) => set({ isEverything: value === 'all' })}
        options={[
          { value: 'all', title: 'Everything in the shop' },
          { value: 'chosen', title: 'Only the chosen kinds' },
        ]}
        hint={
          form.isEverything
            ? 'Licenses, machines, violations, the catalogue and orders. The kinds below are sent only if you choose them.'
            : undefined
        }
      />
      <fieldset className={styles.kinds}>
        <legend>{form.isEverything ? 'And also' : 'Kinds'}</legend>
        {shown.map(({ title, kinds }) => (
          <Checkbox
            key={title}
            label={title}
            checked={kinds.every((kind) => form.kinds.includes(kind))}
            onChange={(isChosen) =>
              set({
                kinds: isChosen ? [...form.kinds, ...kinds] : form.kinds.filter((kind) => !kinds.includes(kind)),
              })
            }
          />
        ))}
      </fieldset>
      <FieldRow>
        {!form.isEverything && (
          <TextField
            label="Further types"
            value={form.furtherTypes}
            onChange={(furtherTypes) => set({ furtherTypes })}
            placeholder="license.revoked"
            hint="Single types, separated by commas."
          />
        )}
        <TextField
          label="Only these products"
          value={form.products}
          onChange={(products) => set({ products })}
          hint="Identifiers, separated by commas. Empty: all products."
        />
        <NumberField
          label="Requests per second"
          value={form.rate}
          onChange={(rate) => set({ rate })}
          min={1}
          max={500}
        />
      </FieldRow>
      <Checkbox
        label="Send license keys"
        hint="They are credentials: the receiver must keep them out of its logs."
        checked={form.licenseKeys}
        onChange={(licenseKeys) => set({ licenseKeys })}
      />
      <Checkbox
        label="Send personal data"
        hint="E-mail addresses, names of machines and people, countries and notes."
        checked={form.personalData}
        onChange={(personalData) => set({ personalData })}
      />
    </>
  );
}
