/** The fields and the dialog for the terms of a variant. */
import { useState } from 'react';
import { undoOfVariant } from '../actions/undo-catalogue.ts';
import { useUndoToast } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Variant } from '../api/contract.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import { FieldRow, type FormPartProps, NumberField, SelectField, TextField } from '../parts/field.tsx';
import { GraceField, IdleField, NewestVersionField, UserFields } from '../parts/term-fields.tsx';
import { toast } from '../parts/toast.tsx';
import { FEATURES_FAULT, FEATURES_HINT } from '../sentences/features.ts';
import { SEAT_RULES } from '../sentences/seats.ts';
import {
  QUANTITY_WORDS,
  START_WORDS,
  type TermFault,
  type TermsForm,
  termFaultsOf,
  termsFormOf,
  termsRequest,
} from './variant-terms.ts';

/** Changes the terms of a variant, without its limits. */
export function VariantTermsDialog({ of: present, onClose }: DialogOf<Variant>) {
  const [variant] = useState(present);
  const undo = useUndoToast();
  const [form, setForm] = useState(() => termsFormOf(variant));
  return (
    <WriteDialog
      path="/updateVariant"
      title={`Terms of ${variant.name}`}
      description="Features hold for all of its licenses at once. The other terms hold for licenses that are issued from now on."
      verb="Save"
      request={termsRequest(variant, form)}
      onClose={onClose}
      onDone={({ variant: after }, _, sent) =>
        toast({ title: `The terms of ${variant.name} were changed.`, ...undo(undoOfVariant(variant, after, sent)) })
      }
    >
      <TermsFields form={form} onChange={setForm} />
    </WriteDialog>
  );
}

export function TermsFields({ form, onChange }: FormPartProps<TermsForm>) {
  const faults = termFaultsOf(form);
  const set = (field: keyof TermsForm) => (value: string) => onChange({ ...form, [field]: value });
  const wrong = (field: TermFault) => (faults.has(field) ? 'A whole number, 1 or more.' : undefined);
  return (
    <>
      <TextField
        label="Features"
        rows={Math.min(10, Math.max(3, form.features.split('\n').length))}
        mono
        value={form.features}
        onChange={set('features')}
        hint={FEATURES_HINT}
        wrong={faults.has('features') ? FEATURES_FAULT : undefined}
      />
      <FieldRow>
        <NumberField
          label="Lasts"
          min={1}
          unit="months"
          value={form.durationMonths}
          onChange={set('durationMonths')}
          hint="In place of days."
          wrong={wrong('durationMonths')}
        />
        <GraceField value={form.graceDays} onChange={set('graceDays')} wrong={wrong('graceDays')} />
      </FieldRow>
      <FieldRow>
        <NumberField
          label="Updates"
          min={1}
          unit="days"
          value={form.updatesDays}
          onChange={set('updatesDays')}
          hint="Builds released later are not covered."
          wrong={wrong('updatesDays')}
        />
        <NewestVersionField value={form.maxVersion} onChange={set('maxVersion')} />
      </FieldRow>
      <SelectField
        label="Time begins"
        value={form.durationStarts}
        onChange={set('durationStarts')}
        options={Object.entries(START_WORDS).map(([value, title]) => ({ value, title }))}
        hint="The time that a license lasts, and that of its updates."
      />
      <FieldRow>
        <IdleField value={form.releaseIdleDays} onChange={set('releaseIdleDays')} wrong={wrong('releaseIdleDays')} />
        <SelectField
          label="Several copies in one sale"
          value={form.quantity}
          onChange={set('quantity')}
          options={[
            { value: '', title: 'By the kind of sale' },
            ...Object.entries(QUANTITY_WORDS).map(([value, title]) => ({ value, title })),
          ]}
          hint="A subscription gets higher limits, any other sale a license for each copy."
        />
      </FieldRow>
      <UserFields form={form} set={set} wrong={wrong} rules={SEAT_RULES} />
      <TextField
        label="Also opens"
        value={form.unlockedProducts}
        onChange={set('unlockedProducts')}
        hint="Identifiers of further products, divided by commas."
      />
    </>
  );
}
