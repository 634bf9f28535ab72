/** Dialogs that change fields of a license: limits, variant and type. */
import { useState } from 'react';
import { type Undoing, undoOfUpdate } from '../actions/undo.ts';
import { useUndoToast } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Activation, License, LicenseType, RequestOf } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { countText } from '../parts/count-words.ts';
import { Checkbox, FieldRow, NumberField, SelectField } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { toast } from '../parts/toast.tsx';
import { LARGEST_LIMIT, licenseTypes, limitIn, limitText, typeText } from './words.ts';

/** The props of every license dialog. */
export interface LicenseDialogProps {
  readonly license: License;
  readonly activationCount: number;
  /** The first page of its machines. */
  readonly activations: readonly Activation[];
  readonly onClose: () => void;
}

/** Changes the number of machines, and the seats of a floating license. */
export function LimitsDialog({ license: present, activationCount, onClose }: LicenseDialogProps) {
  // Keeps the values from the opening: the service refuses the change if they are no longer the stored ones.
  const [license] = useState(present);
  const undo = useUndoToast();
  const [isUnlimited, setUnlimited] = useState(license.maxMachines < 0);
  const [machines, setMachines] = useState(String(license.maxMachines < 0 ? activationCount + 1 : license.maxMachines));
  const [seats, setSeats] = useState(String(license.maxConcurrent ?? 1));
  const isFloating = license.licenseType === 'floating';
  const maxMachines = isUnlimited ? -1 : limitIn(machines);
  const maxConcurrent = isFloating ? limitIn(seats) : null;
  const isWrong = maxMachines === null || (isFloating && maxConcurrent === null);
  const tooFew = !isUnlimited && maxMachines !== null && maxMachines < activationCount && !isFloating;
  return (
    <WriteDialog
      path="/updateLicense"
      request={
        isWrong
          ? null
          : {
              licenseKey: license.key,
              maxMachines: maxMachines ?? -1,
              wasMaxMachines: license.maxMachines,
              ...(maxConcurrent === null ? {} : { maxConcurrent, wasMaxConcurrent: license.maxConcurrent }),
            }
      }
      title="Limits"
      description={`The license is for ${limitText(license)}; ${countText(activationCount)} ${activationCount === 1 ? 'is' : 'are'} bound to it.`}
      verb="Save"
      onClose={onClose}
      onDone={({ license: after }, _, sent) =>
        toast({
          title: `The license of ${after.email} is for ${limitText(after)}.`,
          ...undo(undoOfUpdate(license, after, sent)),
        })
      }
    >
      <NumberField
        label="Machines"
        min={1}
        max={LARGEST_LIMIT}
        value={isUnlimited ? '' : machines}
        onChange={setMachines}
        disabled={isUnlimited}
        hint={
          tooFew
            ? 'More machines than this are activated. They keep working; new ones must wait until you are below the limit.'
            : undefined
        }
        wrong={!isUnlimited && maxMachines === null ? 'A whole number, 1 or more.' : undefined}
      />
      <Checkbox label="Any number of machines" checked={isUnlimited} onChange={setUnlimited} />
      {isFloating && (
        <NumberField
          label="Seats at once"
          min={1}
          max={LARGEST_LIMIT}
          value={seats}
          onChange={setSeats}
          wrong={maxConcurrent === null ? 'A whole number, 1 or more.' : undefined}
        />
      )}
    </WriteDialog>
  );
}

/** Changes variant and type. */
export function VariantDialog({ license: present, onClose }: LicenseDialogProps) {
  const [license] = useState(present);
  const undo = useUndoToast();
  const { data } = useRead('/listVariants', { productId: license.productId, includeInactive: true });
  const [variant, setVariant] = useState(license.variant);
  const [licenseType, setType] = useState<LicenseType>(license.licenseType);
  const [seats, setSeats] = useState(String(license.maxConcurrent ?? Math.max(1, license.maxMachines)));
  const [takesTerms, setTakesTerms] = useState(true);
  const names = [...new Set([license.variant, ...(data?.variants ?? []).map(({ name }) => name)])];
  const maxConcurrent = licenseType === 'floating' ? limitIn(seats) : null;
  const isOtherVariant = variant !== license.variant;
  const isSame = !isOtherVariant && licenseType === license.licenseType;
  const isWrong = licenseType === 'floating' && maxConcurrent === null;
  return (
    <WriteDialog
      path="/updateLicense"
      request={
        isSame || isWrong
          ? null
          : {
              licenseKey: license.key,
              ...(isOtherVariant ? { variant, wasVariant: license.variant } : {}),
              ...(isOtherVariant && takesTerms ? { terms: 'variant' as const } : {}),
              ...(licenseType === license.licenseType ? {} : { licenseType, wasLicenseType: license.licenseType }),
              ...(maxConcurrent === null || maxConcurrent === license.maxConcurrent
                ? {}
                : { maxConcurrent, wasMaxConcurrent: license.maxConcurrent }),
            }
      }
      title="Type and variant"
      description="The features of a variant follow the license at once; limits stay as they are unless you change them."
      verb="Save"
      onClose={onClose}
      onDone={({ license: after }, _, sent) =>
        toast({
          title: `The license of ${after.email} is ${typeText(after.licenseType).toLowerCase()}, variant ${after.variant}.`,
          ...undo(undoOfVariantChange(license, after, sent)),
        })
      }
    >
      <FieldRow>
        <SelectField
          label="Variant"
          value={variant}
          onChange={setVariant}
          options={names.map((name) => ({ value: name, title: name }))}
        />
        <SelectField
          label="Type"
          value={licenseType}
          onChange={(type) => setType(type as LicenseType)}
          options={licenseTypes.map((type) => ({ value: type, title: typeText(type) }))}
        />
        {licenseType === 'floating' && <NumberField label="Seats at once" min={1} value={seats} onChange={setSeats} />}
      </FieldRow>
      {licenseType === 'floating' && license.licenseType !== 'floating' && (
        <Notice tone="warn" title="A floating license has seats in place of machines.">
          So many machines run at the same time. The present one has {limitText(license)}.
        </Notice>
      )}
      {isOtherVariant && (
        <Checkbox
          label={`Take over the terms of ${variant}`}
          hint="Type, limits, grace, updates and further products become those of the variant. The end and the license's own features stay."
          checked={takesTerms}
          onChange={setTakesTerms}
        />
      )}
    </WriteDialog>
  );
}

/** Undoes a change of variant, with the terms that came with it. */
function undoOfVariantChange(before: License, after: License, sent: RequestOf<'/updateLicense'>): Undoing | null {
  if (sent.terms === undefined) return undoOfUpdate(before, after, sent);
  const { licenseType, maxMachines, maxConcurrent, unlockedProducts } = after;
  return undoOfUpdate(before, after, {
    ...{ ...sent, ...termsOf(after), licenseType, maxMachines, unlockedProducts },
    ...(maxConcurrent === null ? {} : { maxConcurrent }),
  });
}

/** The terms of a license that it copies from its variant. */
function termsOf({ graceDays = null, updatesUntil = null, maxVersion = null, ...license }: License) {
  const { releaseIdleDays = null, maxUsers = null, maxMachinesPerUser = null, usersFloat = null } = license;
  return { graceDays, updatesUntil, maxVersion, releaseIdleDays, maxUsers, maxMachinesPerUser, usersFloat };
}
