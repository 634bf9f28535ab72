/** The license's own row: how it is read, locked and written. Lists are in listing-store.ts, sets in license-set-store.ts. */
import type { Scope } from '../endpoint/caller.ts';
import { type Sql, statement, type Tx } from '../storage/storage.ts';
import { foldEmail, type License, statusAt, type UsedLicense } from './license.ts';

/** A row as it is stored: lists and records are JSON text. */
export type LicenseRow = Stored<License>;

/** Some fields of a license as they are stored. */
export type Stored<Fields> = {
  readonly [Field in keyof Fields]: Field extends 'unlockedProducts' | 'attempts' | 'countriesSeen'
    ? string
    : Fields[Field];
};

const COLUMNS: Readonly<Record<keyof License, string>> = {
  licenseKey: 'license_key',
  email: 'email',
  productId: 'product_id',
  variant: 'variant',
  licenseType: 'license_type',
  revocation: 'revocation',
  maxMachines: 'max_machines',
  maxConcurrent: 'max_concurrent',
  createdAt: 'created_at',
  purchasedAt: 'purchased_at',
  expiresAt: 'expires_at',
  discountCode: 'discount_code',
  purchaseId: 'purchase_id',
  bundleId: 'bundle_id',
  unlockedProducts: 'unlocked_products',
  threatLevel: 'threat_level',
  disputeReason: 'dispute_reason',
  machinesUsed: 'machines_used',
  sessionsHeld: 'sessions_held',
  attempts: 'attempts',
  countriesSeen: 'countries_seen',
};

/** The select list of some fields of a license; `l` is the table. Hot paths read no more than they look at. */
export function licenseColumns(fields: readonly (keyof License)[]): string {
  return fields.map((field) => `l.${COLUMNS[field]} as "${field}"`).join(', ');
}

/** The select list of a {@link LicenseRow}. */
export const LICENSE_COLUMNS = licenseColumns(Object.keys(COLUMNS) as (keyof License)[]);

/**
 * The part of a where clause that keeps a caller to its creator's products; `$2` is the scope's creatorId. The comparison
 * comes first because PostgreSQL takes the parameter's type from its first use.
 */
const IN_SCOPE = `(exists
  (select 1 from product p where p.product_id = l.product_id and p.creator_id = $2) or $2 is null)`;

const findInScope = statement(
  'license.find',
  `select ${LICENSE_COLUMNS} from license l where l.license_key = $1 and ${IN_SCOPE}`,
);

const lockInScope = statement(
  'license.lock',
  (words) =>
    `select ${LICENSE_COLUMNS} from license l where l.license_key = $1 and ${IN_SCOPE} ${
      words.forUpdate === '' ? '' : `${words.forUpdate} of l`
    }`,
);

const insert = statement(
  'license.insert',
  `insert into license (license_key, email, email_folded, product_id, variant, license_type, revocation, status_mark,
     max_machines, max_concurrent, created_at, purchased_at, expires_at, discount_code, purchase_id, bundle_id,
     unlocked_products, threat_level, dispute_reason, machines_used, sessions_held, attempts, countries_seen)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
);

const update = statement(
  'license.update',
  `update license set variant = $2, license_type = $3, revocation = $4, status_mark = $5, max_machines = $6,
     max_concurrent = $7, expires_at = $8, threat_level = $9, dispute_reason = $10, machines_used = $11,
     sessions_held = $12
   where license_key = $1`,
);

const findOldestByPurchase = statement(
  'license.find_by_purchase',
  `select ${LICENSE_COLUMNS} from license l where l.purchase_id = $1 order by l.created_at, l.license_key limit 1`,
);

const findNewestByEmail = statement(
  'license.find_by_email_product',
  `select ${LICENSE_COLUMNS} from license l where l.email_folded = $1 and l.product_id = $2
   order by l.created_at desc, l.license_key desc limit 1`,
);

const findNewestByEmailVariant = statement(
  'license.find_by_email_product_variant',
  `select ${LICENSE_COLUMNS} from license l where l.email_folded = $1 and l.product_id = $2 and l.variant = $3
   order by l.created_at desc, l.license_key desc limit 1`,
);

const findAnyOfProduct = statement(
  'license.find_any_of_product',
  'select l.license_key as "licenseKey" from license l where l.product_id = $1 limit 1',
);

/** A stored row as a license, or as the part of one that machines use. */
export function licenseFrom<Part extends UsedLicense>(row: Stored<Part>): Part {
  return {
    ...row,
    unlockedProducts: JSON.parse(row.unlockedProducts as string),
    attempts: JSON.parse(row.attempts as string),
    countriesSeen: JSON.parse(row.countriesSeen as string),
  } as unknown as Part;
}

/** The license with this key, if the scope reaches it. */
export async function findLicense(sql: Sql, licenseKey: string, scope: Scope): Promise<License | undefined> {
  const row = await sql.first<LicenseRow>(findInScope, licenseKey, scope.creatorId);
  return row && licenseFrom<License>(row);
}

/** The same, locked until the transaction ends: whoever changes a license or its machines holds this lock. */
export async function lockLicense(tx: Tx, licenseKey: string, scope: Scope): Promise<License | undefined> {
  const row = await tx.first<LicenseRow>(lockInScope, licenseKey, scope.creatorId);
  return row && licenseFrom<License>(row);
}

/** Adds a license. `now` decides its mark for the lists. */
export async function insertLicense(tx: Tx, license: License, now: number): Promise<void> {
  await tx.run(
    insert,
    license.licenseKey,
    license.email,
    foldEmail(license.email),
    license.productId,
    license.variant,
    license.licenseType,
    license.revocation,
    statusAt(license, now),
    license.maxMachines,
    license.maxConcurrent,
    license.createdAt,
    license.purchasedAt,
    license.expiresAt,
    license.discountCode,
    license.purchaseId,
    license.bundleId,
    JSON.stringify(license.unlockedProducts),
    license.threatLevel,
    license.disputeReason,
    license.machinesUsed,
    license.sessionsHeld,
    JSON.stringify(license.attempts),
    JSON.stringify(license.countriesSeen),
  );
  tx.announce(license.licenseKey);
}

/** Writes what operators and the storefront may change of a locked license. */
export async function updateLicense(tx: Tx, license: License, now: number): Promise<void> {
  await tx.run(
    update,
    license.licenseKey,
    license.variant,
    license.licenseType,
    license.revocation,
    statusAt(license, now),
    license.maxMachines,
    license.maxConcurrent,
    license.expiresAt,
    license.threatLevel,
    license.disputeReason,
    license.machinesUsed,
    license.sessionsHeld,
  );
  tx.announce(license.licenseKey);
}

/** The oldest license of a purchase, unlocked. */
export async function findLicenseOfPurchase(sql: Sql, purchaseId: string): Promise<License | undefined> {
  const row = await sql.first<LicenseRow>(findOldestByPurchase, purchaseId);
  return row && licenseFrom<License>(row);
}

/** The newest license of a customer for a product (and variant, where one is given), unlocked. */
export async function findNewestLicense(
  sql: Sql,
  email: string,
  productId: string,
  variant?: string,
): Promise<License | undefined> {
  const row =
    variant === undefined
      ? await sql.first<LicenseRow>(findNewestByEmail, foldEmail(email), productId)
      : await sql.first<LicenseRow>(findNewestByEmailVariant, foldEmail(email), productId, variant);
  return row && licenseFrom<License>(row);
}

/** Whether any license exists for a product, whoever owns it: a slug with licenses cannot be claimed. */
export async function hasLicenses(sql: Sql, productId: string): Promise<boolean> {
  return (await sql.first(findAnyOfProduct, productId)) !== undefined;
}
