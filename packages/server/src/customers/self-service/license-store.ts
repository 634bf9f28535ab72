/** The licenses of a customer within a shop. */

import { IN_SCOPE } from '../../licensing/licenses/store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { type Sql, statement } from '../../storage/contract/storage.ts';

const listKeys = statement(
  'license.list_keys_of_customer',
  `select l.license_key as "licenseKey" from license l where l.email_folded = $1 and ${IN_SCOPE}
   order by l.created_at desc, l.license_key desc limit $3`,
);

// From the creator's products to the license of each, so that what the customer has bought elsewhere costs nothing.
const findOfCreator = statement(
  'license.find_key_of_customer_and_creator',
  `select k.license_key as "licenseKey" from
     (select (select l.license_key from license l where l.email_folded = $1 and l.product_id = p.product_id
              order by l.created_at desc, l.license_key desc limit 1) as license_key
      from product p where p.creator_id = $2) k
   where k.license_key is not null limit 1`,
);

/** The key of one license of an address in scope; undefined without any. Reads no license of another creator. */
export async function findCustomerKey(sql: Sql, emailFolded: string, scope: Scope): Promise<string | undefined> {
  if (scope.creatorId === null) return (await listCustomerKeys(sql, emailFolded, scope, 1))[0];
  return (await sql.first<{ readonly licenseKey: string }>(findOfCreator, emailFolded, scope.creatorId))?.licenseKey;
}

/** The keys of an address's licenses in scope, newest first. */
export async function listCustomerKeys(
  sql: Sql,
  emailFolded: string,
  scope: Scope,
  limit: number,
): Promise<readonly string[]> {
  const rows = await sql.all<{ readonly licenseKey: string }>(listKeys, emailFolded, scope.creatorId, limit);
  return rows.map(({ licenseKey }) => licenseKey);
}
