/** Stored links for customers, by the hash of the code in them. */
import { statement, type Tx, writeStatement } from '../../storage/contract/storage.ts';
import { type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';

/** A link that signs in a customer once. */
export interface CustomerLink {
  /** SHA-256 of the code. */
  readonly linkId: string;
  readonly emailFolded: string;
  /** The shop; null: the pages of the operator. */
  readonly creatorId: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** The person of the console who made it; null: made with a secret, an API key or a command. */
  readonly staffName: string | null;
}

const linkTable = new Table<CustomerLink>('customer_link', {
  linkId: textColumn('link_id'),
  emailFolded: textColumn('email_folded'),
  creatorId: textColumn('creator_id'),
  createdAt: textColumn('created_at'),
  expiresAt: textColumn('expires_at'),
  staffName: textColumn('staff_name'),
});

const insert = linkTable.insert('customer_link.insert');

const take = writeStatement(
  'customer_link.take',
  `delete from customer_link where link_id = $1 and expires_at > $2 returning ${linkTable.select('customer_link')}`,
);

const removeBeyond = statement(
  'customer_link.delete_beyond',
  `delete from customer_link where link_id in
     (select l.link_id from customer_link l where l.email_folded = $1 and coalesce(l.creator_id, '') = $2
      order by l.created_at desc, l.link_id desc limit $4 offset $3)`,
);

const forget = statement('customer_link.forget', 'delete from customer_link where email_folded = $1');

const removeSome = linkTable.deleteSome('linkId');

/** Links removed at a time to make room. */
const MAX_REMOVED = 10;

/** Adds a link. */
export async function insertLink(tx: Tx, link: CustomerLink): Promise<void> {
  await tx.run(insert, linkTable.rows([link], linkTable.fields));
}

/** Uses up a link that has not ended; undefined for all callers but one. */
export async function takeLink(tx: Tx, linkId: string, now: string): Promise<CustomerLink | undefined> {
  const [row] = await tx.all<StoredRow>(take, linkId, now);
  return row && linkTable.restore(row);
}

/** Removes the links of an address to a shop beyond the `most` newest ones. */
export async function deleteLinksBeyond(
  tx: Tx,
  { emailFolded, creatorId }: Pick<CustomerLink, 'emailFolded' | 'creatorId'>,
  most: number,
): Promise<void> {
  await tx.run(removeBeyond, emailFolded, creatorId ?? '', most, MAX_REMOVED);
}

/** Removes the links of an address; returns their number. */
export function forgetLinks(tx: Tx, emailFolded: string): Promise<number> {
  return tx.run(forget, emailFolded);
}

/** Removes at most `most` of all; returns their number, which is lower when none are left. */
export function deleteSomeLinks(tx: Tx, most: number): Promise<number> {
  return tx.run(removeSome, most);
}
