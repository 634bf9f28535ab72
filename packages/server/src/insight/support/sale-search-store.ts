/** The look-up of licenses by the ids that sellers give their sales, in a search (rules 4.3.1). */
import type { Scope } from '../../platform/endpoint/caller.ts';
import { type Sql, statement } from '../../storage/contract/storage.ts';
import { foundLicenses, LICENSE, type LicenseRow, MAX_LOOKED_AT, ownProduct } from './search-store.ts';

const bySellerId = statement(
  'license.search_seller_id',
  `select ${LICENSE} from
     (select r.connector_id, r.subject_id from shop_reference r where r.external_id = $1
      order by r.connector_id, r.subject_id limit ${MAX_LOOKED_AT}) s
   join shop_unit u on u.connector_id = s.connector_id and u.subject_id = s.subject_id
   join license l on l.license_key = u.license_key
   where ${ownProduct('l.product_id', '$2')} limit $3`,
);

/** Licenses of sales that a seller names by an id: a search by the order, the charge or the subscription. */
export async function searchSellerIds(sql: Sql, id: string, { creatorId }: Scope, limit: number, now: number) {
  return foundLicenses(await sql.all<LicenseRow>(bySellerId, id, creatorId, limit), now);
}
