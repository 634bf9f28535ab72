/** The terms of a license, each with its origin. */
import { useState } from 'react';
import { undoOfUpdate } from '../actions/undo.ts';
import { useUndoToast } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { License, MeterUsage } from '../api/contract.ts';
import { maySend, useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { countText } from '../parts/count-words.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import { Empty } from '../parts/empty.tsx';
import { DateField, FieldRow, TextField } from '../parts/field.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { daysText } from '../parts/span-words.ts';
import { type Column, Table } from '../parts/table.tsx';
import { GraceField, IdleField, NewestVersionField, UserFields } from '../parts/term-fields.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import { FEATURES_FAULT, OWN_FEATURES_HINT } from '../sentences/features.ts';
import { SEAT_RULES, seatRuleOf } from '../sentences/seats.ts';
import { waitingLength, waitingUpdates } from '../sentences/waiting.ts';
import {
  type CountedTerm,
  type FeatureOrigin,
  featuresOf,
  licenseTermFaultsOf,
  licenseTermsFormOf,
  licenseTermsRequest,
} from './license-terms.ts';
import { MetadataSection } from './metadata-section.tsx';
import { Usage } from './usage.tsx';

const TERM_FIELDS = [
  ...(['updatesUntil', 'maxVersion', 'graceDays', 'releaseIdleDays', 'features'] as const),
  ...(['maxUsers', 'maxMachinesPerUser', 'usersFloat'] as const),
];

interface LicenseTermsProps {
  readonly license: License;
  /** Absent if the license has no meters. */
  readonly usage: readonly MeterUsage[] | undefined;
}

export function LicenseTerms({ license, usage }: LicenseTermsProps) {
  const [isChanging, setChanging] = useState(false);
  const mayChange = maySend(useSession(), '/updateLicense', [...TERM_FIELDS]);
  const features = featuresOf(license);
  const [length, updates] = [waitingLength(license), waitingUpdates(license)];
  const columns: readonly Column<FeatureOrigin>[] = [
    { title: 'Feature', cell: ({ name }) => name, phone: 'first' },
    { title: 'Value', cell: ({ value }) => value, phone: 'firstEnd' },
    {
      title: 'From',
      cell: ({ origin }) => (origin === 'license' ? 'This license' : `Variant ${license.variant}`),
      phone: 'second',
    },
  ];
  return (
    <>
      <Section
        title="Terms"
        hint="Copied from the variant when the license was issued, or given to it since."
        actions={mayChange && <Button onClick={() => setChanging(true)}>Change terms</Button>}
      >
        <Facts
          facts={[
            ...(length === null ? [] : [{ title: 'Lasts', value: `${length} from the first activation on` }]),
            {
              title: 'Updates until',
              value: license.updatesUntil ? (
                <Time at={license.updatesUntil} as="day" />
              ) : updates === null ? (
                'No end'
              ) : (
                `${updates} after the first activation`
              ),
            },
            { title: 'Newest version', value: license.maxVersion ?? 'Any' },
            { title: 'Grace after its end', value: daysText(license.graceDays ?? null, 'None') },
            { title: 'Idle machines make room after', value: daysText(license.releaseIdleDays ?? null, 'Never') },
            ...usersFacts(license),
            {
              title: 'Also opens',
              value: license.unlockedProducts.length === 0 ? 'Nothing else' : license.unlockedProducts.join(', '),
            },
          ]}
        />
      </Section>
      <Section title="Features" hint="Those of the variant change with it at once.">
        <Table
          caption="Features of this license"
          file="features"
          rows={features}
          keyOf={({ name }) => name}
          columns={columns}
          empty={<Empty title="No features">Neither the license nor its variant names any.</Empty>}
        />
      </Section>
      <MetadataSection license={license} />
      {usage !== undefined && <Usage licenseKey={license.key} usage={usage} />}
      {isChanging && <TermsDialog of={license} onClose={() => setChanging(false)} />}
    </>
  );
}

/** The facts about named users; none for a license without them. */
function usersFacts(license: License) {
  const { maxUsers, maxMachinesPerUser } = license;
  if (maxUsers === null || maxUsers === undefined) return [];
  return [
    { title: 'Users', value: countText(maxUsers) },
    { title: 'Machines of a user', value: maxMachinesPerUser ? countText(maxMachinesPerUser) : 'Any number' },
    { title: 'Seats of users', value: SEAT_RULES[seatRuleOf(license)] },
  ];
}

function TermsDialog({ of: present, onClose }: DialogOf<License>) {
  const [license] = useState(present);
  const undo = useUndoToast();
  const [form, setForm] = useState(() => licenseTermsFormOf(license));
  const faults = licenseTermFaultsOf(form);
  const set = (field: keyof typeof form) => (value: string) => setForm({ ...form, [field]: value });
  const wrong = (field: CountedTerm) => (faults.has(field) ? 'A whole number, 1 or more.' : undefined);
  return (
    <WriteDialog
      path="/updateLicense"
      title="Terms"
      description={`They hold for the license of ${license.email} alone.`}
      verb="Save"
      request={licenseTermsRequest(license, form)}
      onClose={onClose}
      onDone={({ license: after }, _, sent) =>
        toast({ title: `The license of ${after.email} has new terms.`, ...undo(undoOfUpdate(license, after, sent)) })
      }
    >
      <FieldRow>
        <DateField
          label="Updates until"
          value={form.updatesUntil}
          onChange={set('updatesUntil')}
          hint="Empty: no end."
        />
        <NewestVersionField value={form.maxVersion} onChange={set('maxVersion')} />
      </FieldRow>
      <FieldRow>
        <GraceField value={form.graceDays} onChange={set('graceDays')} wrong={wrong('graceDays')} />
        <IdleField value={form.releaseIdleDays} onChange={set('releaseIdleDays')} wrong={wrong('releaseIdleDays')} />
      </FieldRow>
      <UserFields form={form} set={set} wrong={wrong} rules={SEAT_RULES} />
      <TextField
        label="Features"
        rows={4}
        mono
        value={form.features}
        onChange={set('features')}
        hint={OWN_FEATURES_HINT}
        wrong={faults.has('features') ? FEATURES_FAULT : undefined}
      />
    </WriteDialog>
  );
}
