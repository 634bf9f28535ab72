/** The table of licenses (storage/contract/table.ts): the only place in SQL that names its columns. */
import { elementsOf, fieldsOf, isFiniteNumber, isText } from '../../storage/contract/stored-json.ts';
import { computedColumn, integerColumn, jsonColumn, Table, textColumn } from '../../storage/contract/table.ts';
import { termsColumn, variantTermsFrom } from '../products/terms.ts';
import { type License, type LicenseStatus, UNREADABLE_PRODUCTS, USED_FIELDS } from './license.ts';
import { metadataColumn } from './metadata.ts';
import { licenseTermsFrom } from './own-terms.ts';

/** A license as its row stores it, including the columns for look-ups. */
export interface LicenseRecord extends License {
  /** The case-folded e-mail address. */
  readonly emailFolded: string;
  /** The status at the last write or tidying: an index aid for lists, never used for decisions. */
  readonly statusMark: LicenseStatus;
  /** The moment of the refusal: the expiry and the grace. Null is perpetual. */
  readonly endsAt: string | null;
}

/**
 * A list with an entry that is not text is treated as unreadable as a whole, because a missing product would be
 * refused.
 */
function unlockedProductsFrom(stored: unknown): readonly string[] {
  return Array.isArray(stored) && stored.every(isText) ? stored : UNREADABLE_PRODUCTS;
}

export const licenseTable = new Table<LicenseRecord>('license', {
  licenseKey: textColumn('license_key'),
  issuedKey: textColumn('issued_key'),
  email: textColumn('email'),
  emailFolded: textColumn('email_folded'),
  productId: textColumn('product_id'),
  variant: textColumn('variant'),
  licenseType: textColumn('license_type'),
  revocation: textColumn('revocation'),
  statusMark: textColumn('status_mark'),
  maxMachines: integerColumn('max_machines'),
  maxConcurrent: integerColumn('max_concurrent'),
  createdAt: textColumn('created_at'),
  purchasedAt: textColumn('purchased_at'),
  expiresAt: textColumn('expires_at'),
  endsAt: textColumn('ends_at'),
  graceDays: integerColumn('grace_days'),
  updatesUntil: textColumn('updates_until'),
  terms: termsColumn('terms', licenseTermsFrom),
  variantTerms: computedColumn(
    'variant_terms',
    (l) => `(select v.terms from variant v where v.product_id = ${l}.product_id and v.name = ${l}.variant)`,
    variantTermsFrom,
  ),
  metadata: metadataColumn('metadata'),
  discountCode: textColumn('discount_code'),
  purchaseId: textColumn('purchase_id'),
  bundleId: textColumn('bundle_id'),
  unlockedProducts: jsonColumn('unlocked_products', unlockedProductsFrom),
  threatLevel: integerColumn('threat_level'),
  disputeReason: textColumn('dispute_reason'),
  replaces: textColumn('replaces'),
  replacedBy: textColumn('replaced_by'),
  machinesUsed: integerColumn('machines_used'),
  sessionsHeld: integerColumn('sessions_held'),
  attempts: jsonColumn('attempts', (stored) => elementsOf(stored, isFiniteNumber)),
  countriesSeen: jsonColumn('countries_seen', (stored) => fieldsOf(stored, isText)),
  eventCount: integerColumn('event_count'),
  lastEventId: textColumn('last_event_id'),
});

type LicenseField = keyof License & string;

/** Columns that are derived for look-ups and lists. */
const DERIVED_FIELDS = ['emailFolded', 'statusMark', 'endsAt'] as const;

/** The fields of {@link License} that are read from a row. */
export const LICENSE_FIELDS: readonly LicenseField[] = licenseTable.except(DERIVED_FIELDS);

/** The fields of a license that calls of machines change. */
export const USE_FIELDS = [
  'machinesUsed',
  'sessionsHeld',
  'attempts',
  'countriesSeen',
  'threatLevel',
  'eventCount',
  'lastEventId',
] as const;

/** The fields written with the first activation of a license whose time begins with it. */
export const BEGUN_FIELDS = [...USE_FIELDS, 'expiresAt', 'endsAt', 'updatesUntil', 'terms'] as const;

/** The fields that no change of a license writes: its identity, origin and purchase, and the terms of its variant. */
const FIXED_FIELDS = [
  'licenseKey',
  'issuedKey',
  'productId',
  'createdAt',
  'purchasedAt',
  'discountCode',
  'purchaseId',
  'bundleId',
  'replaces',
  'variantTerms',
] as const;

/** Many indexes contain the address, so it has a statement of its own, which no other change runs. */
const ADDRESS_FIELDS = ['email', 'emailFolded'] as const;

/** The fields that a change writes: all but the fixed ones and the e-mail address. */
export const CHANGEABLE_FIELDS = licenseTable.except([...FIXED_FIELDS, ...ADDRESS_FIELDS]);

/** The fields written with a new e-mail address. */
export const EMAIL_FIELDS = [...ADDRESS_FIELDS, 'eventCount', 'lastEventId'] as const;

/** The fields that saving a license counts by itself. */
type CountedField = 'eventCount' | 'lastEventId';
/** The fields that a decision on a license may change. */
export type UpdateField = Exclude<(typeof CHANGEABLE_FIELDS)[number], CountedField | 'statusMark' | 'endsAt'>;

/** New values for some fields of a license. A field that no change writes does not compile. */
export type LicenseUpdate = Partial<Pick<License, UpdateField>> & {
  readonly [Field in Exclude<LicenseField, UpdateField>]?: never;
};

/** By the kind of write: the fields that it leaves out, and so must find unchanged. */
export const UNWRITTEN_FIELDS = {
  changed: unwritten(LICENSE_FIELDS, CHANGEABLE_FIELDS),
  used: unwritten(USED_FIELDS, USE_FIELDS),
  begun: unwritten(USED_FIELDS, BEGUN_FIELDS),
  readdressed: unwritten(LICENSE_FIELDS, EMAIL_FIELDS),
} as const;

/** The stored fields among those known that are not written. */
function unwritten(known: readonly LicenseField[], written: readonly string[]): readonly LicenseField[] {
  return known.filter((field) => licenseTable.storedFields.includes(field) && !written.includes(field));
}
