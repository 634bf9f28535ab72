/** Dialogs that add, replace, change and retire variants. */
import { useState } from 'react';
import { undoOfVariant } from '../actions/undo-catalogue.ts';
import { useUndoToast } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { LicenseType, Product, Variant } from '../api/contract.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import {
  Checkbox,
  FieldRow,
  Fields,
  type FormPartProps,
  NumberField,
  SelectField,
  TextField,
} from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { toast } from '../parts/toast.tsx';
import unseen from '../parts/unseen.module.css';
import styles from './variant-dialogs.module.css';
import {
  createRequest,
  faultsOf,
  formOf,
  NEW_VARIANT,
  updateRequest,
  type VariantFault,
  type VariantForm,
  variantAfter,
} from './variant-form.ts';
import { TermsFields } from './variant-terms-fields.tsx';
import { differences, LICENSE_TYPE_HINTS, LICENSE_TYPE_WORDS } from './words.ts';

/** Adds a variant. A name in use replaces that variant, so the dialog lists the lost values. */
export function NewVariantDialog({
  product,
  variants,
  onClose,
}: {
  readonly product: Product;
  /** All variants of the product, including retired ones. */
  readonly variants: readonly Variant[];
  readonly onClose: () => void;
}) {
  const [form, setForm] = useState(NEW_VARIANT);
  const request = createRequest(product.productId, form);
  const replaced = variants.find(({ name }) => name === form.name.trim());
  return (
    <WriteDialog
      path="/createVariant"
      title={`New variant of ${product.name}`}
      verb={replaced === undefined ? 'Create variant' : 'Replace variant'}
      danger={replaced !== undefined}
      request={request}
      onClose={onClose}
      onDone={() =>
        toast({ title: `The variant ${form.name.trim()} was ${replaced === undefined ? 'created' : 'replaced'}.` })
      }
    >
      <TextField
        label="Name"
        value={form.name}
        onChange={(name) => setForm({ ...form, name })}
        hint="As licenses and the storefront name it; upper and lower case differ."
        required
      />
      <SelectField
        label="Type"
        value={form.licenseType}
        onChange={(value) => setForm({ ...form, licenseType: value as LicenseType })}
        options={Object.entries(LICENSE_TYPE_WORDS).map(([value, title]) => ({ value, title }))}
        hint={LICENSE_TYPE_HINTS[form.licenseType]}
      />
      <VariantFields form={form} onChange={setForm} />
      <details>
        <summary>Terms and features</summary>
        <Fields>
          <TermsFields form={form.terms} onChange={(terms) => setForm({ ...form, terms })} />
        </Fields>
      </details>
      {replaced !== undefined && <Replaces variant={replaced} by={request === null ? null : variantAfter(request)} />}
    </WriteDialog>
  );
}

function Replaces({ variant, by }: { readonly variant: Variant; readonly by: Variant | null }) {
  const changed = by === null ? [] : differences(variant, by);
  return (
    <Notice tone="warn" title={`${variant.name} exists already. It will be replaced as a whole.`}>
      {by !== null && changed.length === 0 && <p>Nothing about it changes.</p>}
      {changed.length > 0 && (
        <ul className={styles.differences}>
          {changed.map(({ what, before, after }) => (
            <li key={what}>
              {what}: {before} <span aria-hidden="true">→</span>
              <span className={unseen.unseen}>becomes</span> {after}
            </li>
          ))}
        </ul>
      )}
      <p>
        Licenses issued before keep their values. A change of type cannot be undone with one press: replace the variant
        again.
      </p>
    </Notice>
  );
}

/** Changes a variant. */
export function EditVariantDialog({ of: present, onClose }: DialogOf<Variant>) {
  // Keeps the values from the opening: the service refuses the change if they are no longer the stored ones.
  const [variant] = useState(present);
  const undo = useUndoToast();
  const [form, setForm] = useState(() => formOf(variant));
  return (
    <WriteDialog
      path="/updateVariant"
      title={`Change ${variant.name}`}
      description="Licenses issued before keep their values."
      verb="Save"
      request={JSON.stringify(form) === JSON.stringify(formOf(variant)) ? null : updateRequest(variant, form)}
      onClose={onClose}
      onDone={({ variant: after }, _, sent) =>
        toast({ title: `The variant ${variant.name} was changed.`, ...undo(undoOfVariant(variant, after, sent)) })
      }
    >
      <VariantFields form={form} onChange={setForm} />
      <p className={styles.note}>
        Its type is {LICENSE_TYPE_WORDS[variant.licenseType].toLowerCase()}. To change that, make a new variant with the
        same name: it replaces this one.
      </p>
    </WriteDialog>
  );
}

/** Retires a variant from sale, or restores it. */
export function RetireVariantDialog({ of: present, onClose }: DialogOf<Variant>) {
  const [variant] = useState(present);
  const undo = useUndoToast();
  const active = !variant.active;
  return (
    <WriteDialog
      path="/updateVariant"
      title={active ? `Offer ${variant.name} again` : `Retire ${variant.name}`}
      description={
        active
          ? 'It is listed again.'
          : 'It is no longer listed among the variants of the product. Its licenses keep working, and it can still be sold by name.'
      }
      verb={active ? 'Offer again' : 'Retire'}
      request={{ variantId: variant.variantId, productId: variant.productId, active, wasActive: variant.active }}
      onClose={onClose}
      onDone={({ variant: after }, _, sent) =>
        toast({
          title: active ? `The variant ${variant.name} is offered again.` : `The variant ${variant.name} was retired.`,
          ...undo(undoOfVariant(variant, after, sent)),
        })
      }
    />
  );
}

function VariantFields({ form, onChange }: FormPartProps<VariantForm>) {
  const faults = faultsOf(form);
  const wrong = (field: VariantFault, text: string) =>
    faults.has(field) && form[field].trim() !== '' ? text : undefined;
  const isFloating = form.licenseType === 'floating';
  return (
    <>
      <FieldRow>
        {isFloating ? (
          <NumberField
            label="At the same time"
            value={form.sessions}
            onChange={(sessions) => onChange({ ...form, sessions })}
            min={1}
            wrong={wrong('sessions', 'A whole number, 1 or more.')}
          />
        ) : (
          <NumberField
            label="Machines"
            value={form.isUnlimited ? '' : form.machines}
            onChange={(machines) => onChange({ ...form, machines })}
            min={1}
            disabled={form.isUnlimited}
            wrong={wrong('machines', 'A whole number, 1 or more.')}
          />
        )}
        <NumberField
          label="Lasts"
          value={form.durationDays}
          onChange={(durationDays) => onChange({ ...form, durationDays })}
          min={1}
          unit="days"
          hint="Empty: for ever."
          wrong={wrong('durationDays', 'A whole number of days.')}
        />
      </FieldRow>
      {!isFloating && (
        <Checkbox
          label="Any number of machines"
          checked={form.isUnlimited}
          onChange={(isUnlimited) => onChange({ ...form, isUnlimited, machines: form.machines || '2' })}
        />
      )}
      <FieldRow>
        <NumberField
          label="Trial"
          value={form.trialDays}
          onChange={(trialDays) => onChange({ ...form, trialDays })}
          min={1}
          unit="days"
          hint="What the storefront may offer without a code."
          wrong={wrong('trialDays', 'A whole number of days.')}
        />
        <NumberField
          label="Price"
          value={form.price}
          onChange={(price) => onChange({ ...form, price })}
          min={0}
          hint="In the smallest unit of the currency, such as cents."
          wrong={wrong('price', 'A whole number.')}
        />
      </FieldRow>
    </>
  );
}
