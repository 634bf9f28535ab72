/** Values of a license that a caller saw before it asked for a change (rules 3.1). */
import {
  email,
  endTimestamp,
  listOfText,
  machineLimit,
  nullable,
  oneOf,
  text,
  wholeNumber,
} from '../../../platform/endpoint/field-types.ts';
import { changesField, type SeenThing, seenFields, undoesField } from '../../../platform/endpoint/shown-values.ts';
import type { EventType } from '../../../platform/events/event-types.ts';
import { LICENSE_TYPES } from '../../products/license-type.ts';
import { type License, REVOCATIONS } from '../license.ts';
import { type MetadataChange, metadataChangeField } from '../metadata.ts';
import type { LicenseTerms } from '../own-terms.ts';
import { changedLicenseTerms } from '../terms.ts';

/** The fields for shown values. Null has a meaning of its own where the license may have null. */
export const shownFields = {
  wasVariant: text('The variant that the caller saw.'),
  wasLicenseType: oneOf('The type that the caller saw.', LICENSE_TYPES),
  wasMaxMachines: machineLimit('The number of machines that the caller saw.'),
  wasMaxConcurrent: nullable(wholeNumber('The number of floating sessions that the caller saw.', 1)),
  wasExpiresAt: nullable(endTimestamp('The expiry that the caller saw; null for a perpetual license.')),
  wasEmail: email('The address of the license that the caller saw.'),
  wasRevocation: nullable(
    oneOf('The revocation that the caller saw; `plain` has no reason, null is none.', REVOCATIONS),
  ),
  undoes: undoesField,
} as const;

/** The fields for shown values of the terms, the further products and the metadata of a license. */
export const shownTermFields = seenFields({
  ...changedLicenseTerms,
  unlockedProducts: listOfText('Further products that it opens.'),
  metadata: metadataChangeField('Facts of the vendor.'),
});

/** A license with its terms by the names of their fields, null where it has none. */
type SeenLicense = Omit<License, 'graceDays' | 'metadata' | 'unlockedProducts'> &
  Omit<LicenseTerms, 'waiting'> & {
    readonly graceDays: number | null;
    readonly unlockedProducts: string[];
    /** The names that a change of them mentions alone are compared. */
    readonly metadata: MetadataChange | null;
  };

/** The events that change these fields. Others of a license only mention a field, as the end of a license file. */
const CHANGES: readonly EventType[] = [
  'license.updated',
  'license.renewed',
  'license.revoked',
  'license.reinstated',
  'license.email_changed',
];

/** The license as {@link refusalOfShown} compares it. @param license locked */
export function seenLicense(license: License): SeenThing<SeenLicense> {
  const { unlockedProducts, graceDays, terms } = license;
  return {
    name: 'License',
    stored: {
      ...license,
      ...terms,
      unlockedProducts: [...unlockedProducts],
      graceDays: graceDays === 0 ? null : graceDays,
    },
    merged: ['metadata'],
    events: { productIds: null, licenseKey: license.licenseKey },
    isChangeOf: (event, field) => CHANGES.includes(event.type) && changesField(event, field),
  };
}
