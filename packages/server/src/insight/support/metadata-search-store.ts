/** The look-up of licenses by a value of their metadata in a search (rules 4.3.1). */
import type { Scope } from '../../platform/endpoint/caller.ts';
import { type Sql, statement } from '../../storage/contract/storage.ts';
import { type FoundLicense, foundLicenses, LICENSE, type LicenseRow, WANTED } from './search-store.ts';

const byMetadata = statement(
  'license_metadata.search',
  `select ${LICENSE} from (select * from license_metadata m where m.value_hash = $1 order by m.license_key limit $2) f
   join license l on l.license_key = f.license_key order by l.license_key`,
);

const byMetadataOfCreator = statement(
  'license_metadata.search_of_creator',
  `select ${LICENSE} from ${WANTED} o
   join license_metadata m on m.product_id = o.product_id and m.value_hash = o.wanted
   join license l on l.license_key = m.license_key
   order by o.product_id, l.license_key limit $3`,
);

/** Licenses with this value in their metadata. @param hash of `hashOfValue` */
export async function searchMetadata(
  sql: Sql,
  hash: string,
  { creatorId }: Scope,
  limit: number,
  now: number,
): Promise<readonly FoundLicense[]> {
  const rows =
    creatorId === null
      ? await sql.all<LicenseRow>(byMetadata, hash, limit)
      : await sql.all<LicenseRow>(byMetadataOfCreator, hash, creatorId, limit);
  return foundLicenses(rows, now);
}
