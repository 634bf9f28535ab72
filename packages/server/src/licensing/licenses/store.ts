/**
 * Reads, locks and writes single license rows. Lists are in listing-store.ts, sets in license-set-store.ts, look-ups by
 * purchaseId in purchase-store.ts.
 */

import { foldEmail } from '../../ground/base/typed-text.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import { endsAt, type License, statusAt, UNREADABLE_PRODUCTS } from './license.ts';
import { CHANGEABLE_FIELDS, EMAIL_FIELDS, LICENSE_FIELDS, type LicenseRecord, licenseTable } from './license-table.ts';

/** The select list of a license; `l` is the table. */
export const LICENSE_COLUMNS = licenseTable.select('l', LICENSE_FIELDS);

/**
 * The condition that limits a caller to its creator's products; `$2` is the scope's creatorId. The comparison comes
 * first because PostgreSQL takes the parameter's type from its first use.
 */
export const IN_SCOPE = `(exists
  (select 1 from product p where p.product_id = l.product_id and p.creator_id = $2) or $2 is null)`;

/** The condition that no other license took the place of `l`. */
export const HAS_OWN_RIGHTS = 'l.replaced_by is null';

const findInScope = statement(
  'license.find',
  `select ${LICENSE_COLUMNS} from license l where l.license_key = $1 and ${IN_SCOPE}`,
);

const lockInScope = statement(
  'license.lock',
  (dialect) =>
    `select ${LICENSE_COLUMNS} from license l where l.license_key = $1 and ${IN_SCOPE} ${
      dialect.forUpdate === '' ? '' : `${dialect.forUpdate} of l`
    }`,
);

const listWhole = statement(
  'license.list_whole',
  (dialect) => `select ${LICENSE_COLUMNS} from license l where l.license_key ${dialect.among('$1')}`,
);

const insert = recorded(
  licenseTable.insert('license.insert', {
    computed: {
      in_catalogue: 'coalesce((select 1 from product p where p.product_id = r.product_id), 0)',
    },
  }),
);
const update = recorded(licenseTable.update('license.update', ['licenseKey'], CHANGEABLE_FIELDS));
// A list of products that cannot be read is left for its repair.
const READABLE_FIELDS = CHANGEABLE_FIELDS.filter((field) => field !== 'unlockedProducts');
const updateReadable = recorded(licenseTable.update('license.update_readable', ['licenseKey'], READABLE_FIELDS));
const updateEmail = recorded(licenseTable.update('license.update_email', ['licenseKey'], EMAIL_FIELDS));

const findNewestByEmail = statement(
  'license.find_by_email_product',
  `select ${LICENSE_COLUMNS} from license l where l.email_folded = $1 and l.product_id = $2 and ${HAS_OWN_RIGHTS}
   order by l.created_at desc, l.license_key desc limit 1`,
);

const findNewestByEmailVariant = statement(
  'license.find_by_email_product_variant',
  `select ${LICENSE_COLUMNS} from license l where l.email_folded = $1 and l.product_id = $2 and l.variant = $3
     and ${HAS_OWN_RIGHTS}
   order by l.created_at desc, l.license_key desc limit 1`,
);

/** The license in a row of {@link LICENSE_COLUMNS}. */
export function licenseFrom(row: StoredRow): License {
  return licenseTable.restore<License>(row);
}

/** The license with this key, if it is in scope. */
export async function findLicense(sql: Sql, licenseKey: string, scope: Scope): Promise<License | undefined> {
  const row = await sql.first<StoredRow>(findInScope, licenseKey, scope.creatorId);
  return row && licenseFrom(row);
}

/** The complete licenses with these keys, unlocked. */
export async function listWholeLicenses(sql: Sql, licenseKeys: readonly string[]): Promise<License[]> {
  return (await sql.all<StoredRow>(listWhole, listOf(licenseKeys))).map(licenseFrom);
}

/**
 * The license with this key, if it is in scope, locked until the transaction ends. Every change of a license or its
 * machines holds this lock.
 */
export async function lockLicense(tx: Tx, licenseKey: string, scope: Scope): Promise<License | undefined> {
  const row = await tx.first<StoredRow>(lockInScope, licenseKey, scope.creatorId);
  return row && licenseFrom(row);
}

/** A license as its row stores it; `now` decides its status mark for the lists. */
function recordOf(license: License, now: number): LicenseRecord {
  return {
    ...license,
    emailFolded: foldEmail(license.email),
    endsAt: endsAt(license),
    statusMark: statusAt(license, now),
  };
}

/** Adds licenses. */
export async function insertLicenses(tx: RecordedTx, licenses: readonly License[], now: number): Promise<void> {
  const records = licenses.map((license) => recordOf(license, now));
  await tx.run(insert, licenseTable.rows(records, licenseTable.storedFields));
}

/** Writes the changeable fields of locked licenses. */
export async function updateLicenses(tx: RecordedTx, licenses: readonly License[], now: number): Promise<void> {
  const records = licenses.map((license) => recordOf(license, now));
  const isReadable = (record: LicenseRecord) => record.unlockedProducts !== UNREADABLE_PRODUCTS;
  const [readable, others] = [records.filter(isReadable), records.filter((record) => !isReadable(record))];
  if (readable.length > 0) await tx.run(update, licenseTable.rows(readable, ['licenseKey', ...CHANGEABLE_FIELDS]));
  if (others.length > 0) await tx.run(updateReadable, licenseTable.rows(others, ['licenseKey', ...READABLE_FIELDS]));
}

/** Writes the e-mail addresses and event counts of locked licenses. */
export async function updateEmails(tx: RecordedTx, licenses: readonly License[], now: number): Promise<void> {
  const records = licenses.map((license) => recordOf(license, now));
  await tx.run(updateEmail, licenseTable.rows(records, ['licenseKey', ...EMAIL_FIELDS]));
}

/** The newest license of a customer for a product (and variant, if given), unlocked. */
export async function findNewestLicense(
  sql: Sql,
  email: string,
  productId: string,
  variant?: string,
): Promise<License | undefined> {
  const row =
    variant === undefined
      ? await sql.first<StoredRow>(findNewestByEmail, foldEmail(email), productId)
      : await sql.first<StoredRow>(findNewestByEmailVariant, foldEmail(email), productId, variant);
  return row && licenseFrom(row);
}
