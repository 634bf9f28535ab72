/** Stored discount codes and redemptions. Redemptions of one code wait for the lock of its row. */

import { foldCode, foldEmail } from '../../ground/base/typed-text.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import type { PageCursor } from '../../platform/endpoint/page.ts';
import { FilteredList, indexScan, NamedStatement } from '../../storage/contract/list.ts';
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import {
  flagColumn,
  integerColumn,
  requireUnchanged,
  type StoredRow,
  Table,
  textColumn,
} from '../../storage/contract/table.ts';
import type { DiscountCode } from './discount-code.ts';

/** A code as its row stores it, including the folded code for look-ups. */
interface DiscountCodeRecord extends DiscountCode {
  readonly codeFolded: string;
}

export const codeTable = new Table<DiscountCodeRecord>('discount_code', {
  codeFolded: textColumn('code_folded'),
  code: textColumn('code'),
  productId: textColumn('product_id'),
  creatorId: textColumn('creator_id'),
  trialDays: integerColumn('trial_days'),
  maxUses: integerColumn('max_uses'),
  usedCount: integerColumn('used_count'),
  active: flagColumn('active'),
  createdAt: textColumn('created_at'),
  expiresAt: textColumn('expires_at'),
});

/** One use of a code. */
export interface Redemption {
  /** The redeemer's address, in lower case. */
  readonly email: string;
  readonly licenseKey: string;
  readonly redeemedAt: string;
}

/** A redemption as its row stores it, with the folded code. */
export interface StoredRedemption extends Redemption {
  readonly code: string;
}

export const redemptionTable = new Table<StoredRedemption>('redemption', {
  code: textColumn('code_folded'),
  email: textColumn('email_folded'),
  licenseKey: textColumn('license_key'),
  redeemedAt: textColumn('redeemed_at'),
});

const COLUMNS = codeTable.select(
  'c',
  codeTable.fields.filter((field) => field !== 'codeFolded'),
);
/** The fields that no change writes. */
const FIXED_FIELDS = ['code', 'productId', 'creatorId', 'trialDays', 'createdAt'] as const;
const CHANGEABLE_FIELDS = codeTable.except(['codeFolded', ...FIXED_FIELDS]);

const IN_SCOPE = `select ${COLUMNS} from discount_code c
    where c.code_folded = $1 and (c.creator_id = $2 or $2 is null)`;

const findInScope = statement('discount_code.find', IN_SCOPE);

const lockInScope = statement('discount_code.lock', (dialect) => `${IN_SCOPE} ${dialect.forUpdate}`);

const insert = recorded(codeTable.insert('discount_code.insert', { conflict: 'on conflict (code_folded) do nothing' }));

const update = recorded(codeTable.update('discount_code.update', ['codeFolded'], CHANGEABLE_FIELDS));

const deleteOne = recorded(statement('discount_code.delete', 'delete from discount_code where code_folded = $1'));

const deleteRedemptions = recorded(
  statement('redemption.delete_of_code', 'delete from redemption where code_folded = $1'),
);

const findRedemption = statement(
  'redemption.find',
  `select ${redemptionTable.select('r', ['redeemedAt', 'licenseKey'])} from redemption r where r.code_folded = $1 and r.email_folded = $2`,
);

const listRedemptionsOfCode = new NamedStatement(
  'redemption.list',
  ['code', 'createdAt', 'id', 'limit'],
  (dialect) => `select ${redemptionTable.select('r', ['email', 'licenseKey', 'redeemedAt'])}
    from redemption r ${indexScan(dialect, {
      agreed: { 'r.code_folded': ':code' },
      cursor: { 'r.redeemed_at': ':createdAt', 'r.email_folded': ':id' },
      limit: ':limit',
    })}`,
);

// Only part of the addresses, because an import may have given thousands of redemptions one moment.
const listOfMoment = statement(
  'redemption.list_of_moment',
  `select ${redemptionTable.select('r', ['email'])} from redemption r
   where r.code_folded = $1 and r.redeemed_at = $2 and r.email_folded >= $4 and r.email_folded <= $5
   and r.license_key = $3`,
);

const insertOneRedemption = recorded(
  statement(
    'redemption.insert',
    'insert into redemption (code_folded, email_folded, license_key, redeemed_at) values ($1, $2, $3, $4)',
  ),
);

const listCodesOfEmail = statement(
  'redemption.list_codes_of_email',
  `select r.code_folded as "codeFolded" from redemption r
   where r.email_folded = $1 order by r.code_folded limit $2`,
);

const forgetRedeemer = statement(
  'redemption.forget',
  (dialect) => `update redemption set email_folded = $2
    where code_folded ${dialect.among('$3')} and email_folded = $1`,
);

// The customer redeemed a code again between two calls that forget the address: the pseudonym has redeemed it already.
const forgetRepeatedRedemptions = statement(
  'redemption.forget_repeated',
  (dialect) => `delete from redemption
    where code_folded ${dialect.among('$3')} and email_folded = $1 and exists (
      select 1 from redemption p where p.code_folded = redemption.code_folded and p.email_folded = $2)`,
);

const list = new FilteredList('discount_code.list', `select ${COLUMNS} from discount_code c`, 'c', 'code_folded', {
  creator: 'creator_id',
  product: 'product_id',
});

function discountCodeFrom(row: StoredRow): DiscountCode {
  return codeTable.restore<DiscountCode>(row);
}

function recordOf(code: DiscountCode): DiscountCodeRecord {
  return { ...code, codeFolded: foldCode(code.code) };
}

/** The code, if it is in scope. */
export async function findDiscountCode(sql: Sql, code: string, scope: Scope): Promise<DiscountCode | undefined> {
  const row = await sql.first<StoredRow>(findInScope, foldCode(code), scope.creatorId);
  return row && discountCodeFrom(row);
}

/**
 * The code, if it is in scope, locked until the transaction ends. Every change and redemption of a code holds this
 * lock.
 */
export async function lockDiscountCode(tx: Tx, code: string, scope: Scope): Promise<DiscountCode | undefined> {
  const row = await tx.first<StoredRow>(lockInScope, foldCode(code), scope.creatorId);
  return row && discountCodeFrom(row);
}

/** Adds a code; returns false and adds nothing when the code exists, ignoring case. */
export async function insertDiscountCode(tx: RecordedTx, code: DiscountCode): Promise<boolean> {
  return (await tx.run(insert, codeTable.rows([recordOf(code)], codeTable.fields))) === 1;
}

/** Writes the changeable fields of a locked code. @throws when another field differs */
export async function updateDiscountCode(tx: RecordedTx, before: DiscountCode, code: DiscountCode): Promise<void> {
  requireUnchanged('discount code', before, code, FIXED_FIELDS);
  await tx.run(update, codeTable.rows([recordOf(code)], ['codeFolded', ...CHANGEABLE_FIELDS]));
}

/** Deletes a locked code and all its redemptions; the licenses issued with it stay. */
export async function deleteDiscountCode(tx: RecordedTx, code: DiscountCode): Promise<void> {
  await tx.run(deleteRedemptions, foldCode(code.code));
  await tx.run(deleteOne, foldCode(code.code));
}

/** The redemption of a code by an e-mail address; undefined without one. */
export function findRedemptionOf(
  sql: Sql,
  code: Pick<DiscountCode, 'code'>,
  email: string,
): Promise<Omit<Redemption, 'email'> | undefined> {
  return sql.first(findRedemption, foldCode(code.code), foldEmail(email));
}

/** The addresses within bounds that redeemed a code at one moment for one license. */
export function listRedemptionsOfMoment(
  sql: Sql,
  { code, redeemedAt, licenseKey }: Omit<StoredRedemption, 'email'>,
  { first, last }: { readonly first: string; readonly last: string },
): Promise<readonly Pick<Redemption, 'email'>[]> {
  return sql.all(listOfMoment, foldCode(code), redeemedAt, licenseKey, first, last);
}

/** A page of a code's redemptions, newest first. The cursor's id is the address. */
export function listRedemptions(
  sql: Sql,
  code: DiscountCode,
  after: PageCursor,
  limit: number,
): Promise<readonly Redemption[]> {
  return listRedemptionsOfCode.all<Redemption>(sql, { ...after, code: foldCode(code.code), limit });
}

/** Stores the redemption of a locked code by an e-mail address, and its license. */
export async function insertRedemption(
  tx: RecordedTx,
  code: DiscountCode,
  { email, licenseKey, redeemedAt }: Redemption,
): Promise<void> {
  await tx.run(insertOneRedemption, foldCode(code.code), foldEmail(email), licenseKey, redeemedAt);
}

/** The filter of a list of codes; undefined fields do not filter. */
export interface DiscountCodeFilter {
  readonly creatorId: string | undefined;
  readonly productId: string | undefined;
}

/** A page of codes, newest first. The cursor's id is the folded code. */
export async function listDiscountCodes(
  sql: Sql,
  { creatorId, productId }: DiscountCodeFilter,
  after: PageCursor,
  limit: number,
): Promise<DiscountCode[]> {
  const rows = await list.page<StoredRow>(sql, { creator: creatorId, product: productId }, after, limit);
  return rows.map(discountCodeFrom);
}

/**
 * Replaces a case-folded address with a pseudonym in redemptions, and deletes those that the pseudonym has already;
 * returns the number of both.
 */
export async function forgetRedemptions(tx: Tx, email: string, pseudonym: string, most: number): Promise<number> {
  const found = await tx.all<{ readonly codeFolded: string }>(listCodesOfEmail, email, most);
  if (found.length === 0) return 0;
  const codes = listOf(found.map(({ codeFolded }) => codeFolded));
  const repeated = await tx.run(forgetRepeatedRedemptions, email, pseudonym, codes);
  return repeated + (await tx.run(forgetRedeemer, email, pseudonym, codes));
}
