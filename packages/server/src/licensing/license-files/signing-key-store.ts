/** The stored keys that sign license files, and the stored name of the installation. */
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';

/** A stored key. */
export interface StoredSigningKey {
  readonly keyId: string;
  /** base64url, 32 bytes. Secret. */
  readonly secret: string;
  readonly createdAt: string;
  /** Time from which it signs; it is published at once. */
  readonly signsFrom: string;
}

const listKeys = statement(
  'signing_key.list',
  `select key_id as "keyId", secret, created_at as "createdAt", signs_from as "signsFrom"
   from signing_key order by signs_from, key_id`,
);
const insertKey = statement(
  'signing_key.insert',
  'insert into signing_key (key_id, secret, created_at, signs_from) values ($1, $2, $3, $4)',
);
const deleteKeys = statement(
  'signing_key.delete',
  (dialect) => `delete from signing_key where key_id ${dialect.among('$1')}`,
);
const claim = statement(
  'installation.claim',
  'insert into installation (name, value) values ($1, $2) on conflict (name) do nothing',
);
const findValue = statement('installation.find', 'select value from installation where name = $1');

/** All keys, in the order of their signing start. */
export function listSigningKeys(sql: Sql): Promise<StoredSigningKey[]> {
  return sql.all<StoredSigningKey>(listKeys);
}

/** Adds a key. */
export async function insertSigningKey(
  tx: Tx,
  { keyId, secret, createdAt, signsFrom }: StoredSigningKey,
): Promise<void> {
  await tx.run(insertKey, keyId, secret, createdAt, signsFrom);
}

/** Removes keys. */
export async function deleteSigningKeys(tx: Tx, keyIds: readonly string[]): Promise<void> {
  await tx.run(deleteKeys, listOf(keyIds));
}

/**
 * Names the installation unless it has a name. Of several nodes that start together, one sets the name, and the others
 * wait here until it has committed.
 *
 * @returns whether this call set the name
 */
export async function claimInstallation(tx: Tx, installationId: string): Promise<boolean> {
  return (await tx.run(claim, 'id', installationId)) > 0;
}

/** The name of the installation; undefined before its first start. */
export async function findInstallation(sql: Sql): Promise<string | undefined> {
  return (await sql.first<{ readonly value: string }>(findValue, 'id'))?.value;
}
