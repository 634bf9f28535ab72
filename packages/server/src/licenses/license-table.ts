/** The table of licenses (storage/table.ts): the only place in SQL that names its columns. */
import { elementsOf, fieldsOf, isFiniteNumber, isText } from '../storage/stored-json.ts';
import { integerColumn, jsonColumn, Table, textColumn } from '../storage/table.ts';
import { type License, type LicenseStatus, UNREADABLE_PRODUCTS } from './license.ts';

/** A license as its row stores it, including the columns for look-ups. */
export interface LicenseRecord extends License {
  /** The case-folded e-mail address. */
  readonly emailFolded: string;
  /** The status at the last write or tidying: an index aid for lists, never used for decisions. */
  readonly statusMark: LicenseStatus;
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
  discountCode: textColumn('discount_code'),
  purchaseId: textColumn('purchase_id'),
  bundleId: textColumn('bundle_id'),
  unlockedProducts: jsonColumn('unlocked_products', unlockedProductsFrom),
  threatLevel: integerColumn('threat_level'),
  disputeReason: textColumn('dispute_reason'),
  machinesUsed: integerColumn('machines_used'),
  sessionsHeld: integerColumn('sessions_held'),
  attempts: jsonColumn('attempts', (stored) => elementsOf(stored, isFiniteNumber)),
  countriesSeen: jsonColumn('countries_seen', (stored) => fieldsOf(stored, isText)),
  eventCount: integerColumn('event_count'),
  lastEventId: textColumn('last_event_id'),
});

type LicenseField = keyof License & string;

/** The fields of {@link License} that are read from a row. */
export const LICENSE_FIELDS = licenseTable.fields.filter(
  (field): field is LicenseField => field !== 'emailFolded' && field !== 'statusMark',
);

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

/** All changeable fields except the e-mail address. */
export const CHANGEABLE_FIELDS = [
  ...USE_FIELDS,
  'variant',
  'licenseType',
  'revocation',
  'statusMark',
  'maxMachines',
  'maxConcurrent',
  'expiresAt',
  'disputeReason',
] as const;

/** The fields written with a new e-mail address. Many indexes contain the address, so no other change writes it. */
export const EMAIL_FIELDS = ['email', 'emailFolded', 'eventCount', 'lastEventId'] as const;
