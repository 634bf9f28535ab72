/** The licenses of an address as its customer sees them: all of them, or those of one creator's products. */
import type { Scope } from '../../platform/endpoint/caller.ts';
import { type Sql, statement } from '../../storage/contract/storage.ts';
import { sharedOut } from './shared-out.ts';

interface Found {
  readonly licenseKey: string;
  readonly productId: string;
  readonly createdAt: string;
}

const FOUND = `l.license_key as "licenseKey", l.product_id as "productId", l.created_at as "createdAt"`;

/** A customer has the license that took the place of a replaced one, and nothing to do with the old key. */
const IN_FORCE = `l.revocation is distinct from 'replaced'`;

const listNewest = statement(
  'license.list_of_address',
  `select ${FOUND} from license l where l.email_folded = $1 and ${IN_FORCE}
   order by l.created_at desc, l.license_key desc limit $2`,
);

const listOfProduct = statement(
  'license.list_of_address_and_product',
  `select ${FOUND} from license l where l.email_folded = $1 and l.product_id = $2 and ${IN_FORCE}
   order by l.created_at desc, l.license_key desc limit $3`,
);

// From the creator's products to those of the customer, so that what the customer has bought elsewhere costs nothing.
const listProductsOfCreator = statement(
  'license.list_products_of_address_and_creator',
  `select p.product_id as "productId", p.creator_id as "creatorId" from product p where p.creator_id = $2 and exists
     (select 1 from license l where l.email_folded = $1 and l.product_id = p.product_id) limit $3`,
);

const findOfCreator = statement(
  'license.find_key_of_address_and_creator',
  `select k.license_key as "licenseKey" from
     (select (select l.license_key from license l where l.email_folded = $1 and l.product_id = p.product_id
              order by l.created_at desc, l.license_key desc limit 1) as license_key
      from product p where p.creator_id = $2) k
   where k.license_key is not null limit 1`,
);

// From one product to the next, so that a thousand licenses for one of them cost as much as one.
const listOwners = statement(
  'license.list_owners_of_address',
  `with recursive met(product_id, place) as (
     select (select min(l.product_id) from license l where l.email_folded = $1), 1
     union all
     select (select min(l.product_id) from license l where l.email_folded = $1 and l.product_id > m.product_id),
       m.place + 1
     from met m where m.product_id is not null and m.place < $2)
   select m.product_id as "productId", p.creator_id as "creatorId"
   from met m left join product p on p.product_id = m.product_id where m.product_id is not null`,
);

const findEstablished = statement(
  'license.find_established_of_address',
  `select l.license_key as "licenseKey" from license l
   where l.email_folded = $1 and (l.purchase_id is not null or l.created_at <= $2
     or (l.discount_code is null and (l.expires_at is null or l.expires_at > $3))) limit 1`,
);

/** The most products of an address whose owners get a share of its list. */
const MAX_PRODUCTS = 1_000;

/** The key of one license of an address in scope; undefined without any. Reads no license of another creator. */
export async function findKeyOfAddress(sql: Sql, emailFolded: string, scope: Scope): Promise<string | undefined> {
  const row =
    scope.creatorId === null
      ? await sql.first<Found>(listNewest, emailFolded, 1)
      : await sql.first<Pick<Found, 'licenseKey'>>(findOfCreator, emailFolded, scope.creatorId);
  return row?.licenseKey;
}

/**
 * The keys of an address's licenses in scope, newest first. If there are more than `most`, each creator has a share of
 * the list, so that none hides what the customer bought from another.
 */
export async function listKeysOfAddress(
  sql: Sql,
  emailFolded: string,
  { creatorId }: Scope,
  most: number,
): Promise<readonly string[]> {
  if (creatorId !== null) {
    const products = await sql.all<Owned>(listProductsOfCreator, emailFolded, creatorId, MAX_PRODUCTS);
    return keysOf((await listOfEach(sql, emailFolded, products, most)).slice(0, most));
  }
  const newest = await sql.all<Found>(listNewest, emailFolded, most + 1);
  if (newest.length <= most) return keysOf(newest);
  const products = await sql.all<Owned>(listOwners, emailFolded, MAX_PRODUCTS);
  const owners = new Map(products.map((each) => [each.productId, each.creatorId]));
  const ofEach = Math.ceil(most / new Set(owners.values()).size);
  const shares = await listOfEach(sql, emailFolded, products, ofEach);
  const found = new Map([...newest, ...shares].map((each) => [each.licenseKey, each]));
  return keysOf(
    sharedOut([...found.values()].sort(newestFirst), ({ productId }) => owners.get(productId) ?? null, most),
  );
}

/** The `most` newest licenses of an address for each product, newest first. */
async function listOfEach(
  sql: Sql,
  emailFolded: string,
  products: readonly Owned[],
  most: number,
): Promise<readonly Found[]> {
  const lists = products.map(({ productId }) => sql.all<Found>(listOfProduct, emailFolded, productId, most));
  return (await Promise.all(lists)).flat().sort(newestFirst);
}

/**
 * Whether an address has another license than a fresh trial, which strangers can make for any address: one that a trial
 * code gave after `since`, or that nobody bought and that ends before `until`, as the trial of a machine does.
 */
export async function hasEstablishedLicense(
  sql: Sql,
  emailFolded: string,
  { since, until }: { readonly since: string; readonly until: string },
): Promise<boolean> {
  return (await sql.first(findEstablished, emailFolded, since, until)) !== undefined;
}

interface Owned {
  readonly productId: string;
  /** Null: not in the catalogue. */
  readonly creatorId: string | null;
}

const keysOf = (found: readonly Found[]): readonly string[] => found.map(({ licenseKey }) => licenseKey);

function newestFirst(one: Found, other: Found): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1;
  return one.licenseKey < other.licenseKey ? 1 : -1;
}
