/** The licenses of one e-mail address, to change the address of all of them and to count those that work. */

import { foldEmail } from '../../ground/base/typed-text.ts';
import { indexScan } from '../../storage/contract/list.ts';
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import type { License } from './license.ts';
import { lockByKeys } from './license-set-store.ts';
import { LICENSE_COLUMNS, licenseFrom } from './store.ts';

const listKeys = statement(
  'license.list_keys_of_email',
  `select l.license_key as "licenseKey" from license l where l.email_folded = $1
   order by l.created_at, l.license_key limit $2`,
);

const listKeysAtCreator = statement(
  'license.list_keys_of_email_at_creator',
  `select l.license_key as "licenseKey" from license l left join product p on p.product_id = l.product_id
   where l.email_folded = $1 and coalesce(p.creator_id, '') = $2
   order by l.created_at, l.license_key limit $3`,
);

const lockWhole = lockByKeys('license.lock_whole', LICENSE_COLUMNS);

// The mark selects the index. A license that has expired keeps the mark until the next tidying.
const countActive = statement(
  'license.count_active_of_email_and_product',
  (dialect) =>
    `select count(*) as "count" from (select 1 from license l ${indexScan(dialect, {
      agreed: { 'l.email_folded': '$1', 'l.product_id': '$2', 'l.status_mark': "'active'" },
      cursor: { 'l.created_at': "'~'", 'l.license_key': "''" },
      filter: 'and (l.ends_at is null or l.ends_at > $3)',
      limit: '$4',
    })}) found`,
);

// As the count above: the newest first.
const findActive = statement(
  'license.find_active_of_email_and_product',
  (dialect) =>
    `select l.license_key as "licenseKey" from license l ${indexScan(dialect, {
      agreed: { 'l.email_folded': '$1', 'l.product_id': '$2', 'l.status_mark': "'active'" },
      cursor: { 'l.created_at': "'~'", 'l.license_key': "''" },
      filter: 'and (l.ends_at is null or l.ends_at > $3)',
      limit: '1',
    })}`,
);

/** The license keys of an address, oldest license first. */
export async function listLicenseKeysOf(sql: Sql, email: string, most: number): Promise<readonly string[]> {
  const rows = await sql.all<{ readonly licenseKey: string }>(listKeys, foldEmail(email), most);
  return rows.map(({ licenseKey }) => licenseKey);
}

/** The complete licenses with these keys, locked until the transaction ends. */
export async function lockWholeLicenses(tx: Tx, licenseKeys: readonly string[]): Promise<License[]> {
  return (await lockWhole(tx, licenseKeys)).map(licenseFrom);
}

/**
 * The oldest licenses of an address, locked until the transaction ends, oldest first.
 *
 * @param at limits them to products of one creator; its creatorId is null for products outside the catalogue
 */
export async function lockLicensesOfEmail(
  tx: Tx,
  email: string,
  most: number,
  at: { readonly creatorId: string | null } | undefined,
): Promise<License[]> {
  const keys =
    at === undefined
      ? await listLicenseKeysOf(tx, email, most)
      : (
          await tx.all<{ readonly licenseKey: string }>(listKeysAtCreator, foldEmail(email), at.creatorId ?? '', most)
        ).map(({ licenseKey }) => licenseKey);
  if (keys.length === 0) return [];
  const order = new Map(keys.map((key, index) => [key, index]));
  const place = ({ licenseKey }: License) => order.get(licenseKey) ?? 0;
  const locked = await lockWholeLicenses(tx, keys);
  // Skip licenses whose address changed before they were locked.
  return locked
    .filter((license) => foldEmail(license.email) === foldEmail(email))
    .sort((one, other) => place(one) - place(other));
}

/**
 * The number of active licenses of an address for a product; counting ends at `most`.
 *
 * @param now timestamp
 */
export async function countActiveLicenses(
  sql: Sql,
  { email, productId }: Pick<License, 'email' | 'productId'>,
  now: string,
  most: number,
): Promise<number> {
  const row = await sql.first<{ readonly count: number }>(countActive, foldEmail(email), productId, now, most);
  return row?.count ?? 0;
}

/**
 * The key of the newest active license of an address for a product; undefined without one.
 *
 * @param now timestamp
 */
export async function findActiveKey(
  sql: Sql,
  { email, productId }: Pick<License, 'email' | 'productId'>,
  now: string,
): Promise<string | undefined> {
  return (await sql.first<{ readonly licenseKey: string }>(findActive, foldEmail(email), productId, now))?.licenseKey;
}
