/**
 * The index of metadata: a row for each name of a license. An index of the database could not hold the longest values,
 * so the rows hold hashes.
 */
import { type IndexScan, mergeScans } from '../../platform/endpoint/merged-scans.ts';
import type { PageCursor } from '../../platform/endpoint/page.ts';
import { NamedStatement, pageAlong } from '../../storage/contract/list.ts';
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { Table, textColumn } from '../../storage/contract/table.ts';
import type { License } from './license.ts';
import { licenseTable } from './license-table.ts';
import { LISTED_FIELDS, type LicenseFilter, type ListedLicense, newestFirst } from './listing-store.ts';
import { hashOfPair, hashOfValue } from './metadata.ts';

interface IndexedName {
  readonly licenseKey: string;
  readonly pair: string;
  readonly value: string;
  readonly productId: string;
  readonly createdAt: string;
}

const metadataTable = new Table<IndexedName>('license_metadata', {
  licenseKey: textColumn('license_key'),
  pair: textColumn('pair'),
  value: textColumn('value_hash'),
  productId: textColumn('product_id'),
  createdAt: textColumn('created_at'),
});

const insert = metadataTable.insert('license_metadata.insert');

const remove = statement(
  'license_metadata.delete',
  (dialect) => `delete from license_metadata where license_key ${dialect.among('$1')}`,
);

const COLUMNS = licenseTable.select('l', LISTED_FIELDS);

/** The other filters of the list, which a row passes or not: the index leads to the licenses of the pair. */
const FILTERS = [
  'and (l.email_folded = :email or :email is null)',
  'and (l.variant = :variant or :variant is null)',
  'and (l.purchase_id = :purchase or :purchase is null)',
  `and (case when l.revocation is not null then 'revoked'
     when l.ends_at is not null and l.ends_at <= :now then 'expired' else 'active' end = :status or :status is null)`,
].join('\n');

const list = (name: string, agreed: Readonly<Record<string, string>>) =>
  new NamedStatement(
    name,
    ['createdAt', 'id', 'limit', 'pair', 'product', 'email', 'variant', 'purchase', 'status', 'now'],
    (dialect) => `select ${COLUMNS} from license_metadata m join license l on l.license_key = m.license_key
       ${pageAlong(dialect, 'm', 'license_key', agreed, { filter: FILTERS })}`,
  );

const listOfPair = list('license_metadata.list', { pair: ':pair' });
const listOfProductAndPair = list('license_metadata.list_of_product', { product_id: ':product', pair: ':pair' });

/** Writes the index of licenses whose metadata changed; `isNew` if they have no rows yet. */
export function* indexMetadata(
  tx: Tx,
  licenses: readonly Pick<License, 'licenseKey' | 'metadata' | 'productId' | 'createdAt'>[],
  isNew: boolean,
): Generator<Promise<unknown>> {
  const rows = licenses.flatMap(({ licenseKey, metadata, productId, createdAt }) =>
    Object.entries(metadata ?? {}).map(([name, value]) => ({
      ...{ licenseKey, productId, createdAt },
      pair: hashOfPair(name, value),
      value: hashOfValue(value),
    })),
  );
  if (!isNew && licenses.length > 0) yield tx.run(remove, listOf(licenses.map(({ licenseKey }) => licenseKey)));
  if (rows.length > 0) yield tx.run(insert, metadataTable.rows(rows, metadataTable.fields));
}

/**
 * A page of licenses with a name of this value in their metadata, newest first.
 *
 * @param filter the other filters, as the columns store them; `now` decides the status
 */
export function listLicensesOfMetadata(
  sql: Sql,
  [name, value]: readonly [name: string, value: string],
  { productIds, email, variant, purchaseId, status }: LicenseFilter,
  after: PageCursor,
  limit: number,
  now: string,
): Promise<readonly ListedLicense[]> {
  const page = productIds === null ? listOfPair : listOfProductAndPair;
  const given = {
    pair: hashOfPair(name, value),
    ...{ email: email ?? null, variant: variant ?? null, purchase: purchaseId ?? null, status: status ?? null, now },
  };
  const scans = (productIds ?? [null]).map(
    (product): IndexScan<ListedLicense> =>
      (from, last, most) => {
        const start = last === undefined ? after : { createdAt: last.createdAt, id: last.licenseKey };
        return page.all<ListedLicense>(from, { ...start, ...given, limit: most, product });
      },
  );
  return mergeScans(sql, scans, newestFirst, limit);
}
