/** Stored users: the holders of seats of licenses with named users. Written under the lock of the license's row. */
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { listOf, type Sql, statement, type Tx, writeStatement } from '../../storage/contract/storage.ts';
import { type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { LicenseUser, UserOfLicense } from './user.ts';

export const userTable = new Table<LicenseUser>('license_user', {
  licenseKey: textColumn('license_key'),
  userFolded: textColumn('user_folded'),
  user: textColumn('user_name'),
  since: textColumn('since'),
  lastSeen: textColumn('last_seen'),
});

/** The key of a user. */
const USER = ['licenseKey', 'userFolded'] as const;

/** The machines of the user `u`. */
const MACHINES = 'from activation m where m.user_folded = u.user_folded and m.license_key = u.license_key';

const insert = recorded(
  userTable.insert('license_user.insert', {
    conflict: 'on conflict (license_key, user_folded) do nothing',
  }),
);

const listStates = statement(
  'license_user.list_states',
  (dialect) => `select u.license_key as "licenseKey", u.user_folded as "userFolded",
      (select 1 from license_user s where s.license_key = u.license_key and s.user_folded = u.user_folded) as "seated",
      (select count(*) ${MACHINES}) as "machines"
    from ${userTable.unfold(dialect, '$1', USER)} u`,
);

const countSeats = statement(
  'license_user.count',
  (dialect) => `select u.license_key as "licenseKey", count(*) as "seats" from license_user u
    where u.license_key ${dialect.among('$1')} group by u.license_key`,
);

const list = statement(
  'license_user.list',
  `select ${userTable.select('u')}, (select count(*) ${MACHINES}) as "machines",
      (select max(m.last_seen) ${MACHINES}) as "machineSeen"
    from license_user u where u.license_key = $1 and u.user_folded > $2 order by u.user_folded limit $3`,
);

const find = statement(
  'license_user.find',
  `select ${userTable.select('u')}, (select count(*) ${MACHINES}) as "machines",
      (select max(m.last_seen) ${MACHINES}) as "machineSeen"
    from license_user u where u.license_key = $1 and u.user_folded = $2`,
);

const listByName = statement(
  'license_user.list_by_name',
  (dialect) => `select ${userTable.select('u')} from ${userTable.unfold(dialect, '$1', USER)} r
    join license_user u on u.license_key = r.license_key and u.user_folded = r.user_folded`,
);

const see = recorded(
  statement(
    'license_user.see',
    (dialect) => `update license_user set last_seen = r.last_seen
    from ${userTable.unfold(dialect, '$1', [...USER, 'lastSeen'])} r
    where license_user.license_key = r.license_key and license_user.user_folded = r.user_folded
      and license_user.last_seen < r.last_seen`,
  ),
);

const seeAll = recorded(
  statement(
    'license_user.see_all',
    `update license_user set last_seen = coalesce((select max(m.last_seen) from activation m
       where m.user_folded = license_user.user_folded and m.license_key = license_user.license_key
         and m.last_seen > license_user.last_seen), last_seen)
   where license_key = $1`,
  ),
);

const remove = recorded(
  statement(
    'license_user.delete',
    (dialect) => `delete from license_user where (license_key, user_folded) in
    (select r.license_key, r.user_folded from ${userTable.unfold(dialect, '$1', USER)} r)`,
  ),
);

const removeWithoutMachine = recorded(
  statement(
    'license_user.delete_without_machine',
    (dialect) => `delete from license_user where (license_key, user_folded) in
    (select r.license_key, r.user_folded from ${userTable.unfold(dialect, '$1', USER)} r
     where not exists (select 1 from activation m
       where m.user_folded = r.user_folded and m.license_key = r.license_key))`,
  ),
);

const removeAllWithoutMachine = recorded(
  statement(
    'license_user.delete_all_without_machine',
    `delete from license_user where license_key = $1 and not exists (select 1 from activation m
     where m.user_folded = license_user.user_folded and m.license_key = license_user.license_key)`,
  ),
);

const removeOfLicense = recorded(
  statement('license_user.delete_of_license', 'delete from license_user where license_key = $1'),
);

const seatThoseOfMachines = recorded(
  statement(
    'license_user.insert_of_machines',
    `insert into license_user (license_key, user_folded, user_name, since, last_seen)
   select a.license_key, a.user_folded,
     (select m.user_name from activation m where m.license_key = a.license_key and m.user_folded = a.user_folded
       order by m.first_seen, m.fingerprint limit 1),
     min(a.first_seen), max(a.last_seen) from activation a
   where a.license_key = $1 and a.user_folded is not null group by a.license_key, a.user_folded
   on conflict (license_key, user_folded) do nothing`,
  ),
);

const listNames = statement(
  'license_user.list_names',
  `select u.user_folded as "name" from license_user u where u.license_key = $1 and u.user_folded > $2
   order by u.user_folded limit $3`,
);

const findLicenses = statement(
  'license_user.find_license',
  `select names.license_key as "licenseKey" from (
     select u.license_key from license_user u where u.user_folded = $1
     union all
     select a.license_key from activation a where a.user_folded = $1
   ) names limit 1`,
);

const rename = writeStatement(
  'license_user.rename',
  'update license_user set user_folded = $3, user_name = $3 where license_key = $1 and user_folded = $2 returning 1 as "one"',
);

const renameOnMachines = writeStatement(
  'activation.rename_user',
  'update activation set user_folded = $3, user_name = $3 where user_folded = $2 and license_key = $1 returning 1 as "one"',
);

/** The limits of a license that concern a user. */
export interface UserState extends UserOfLicense {
  readonly isSeated: boolean;
  /** Number of machines of the user. */
  readonly machines: number;
}

/** The states of the named users of locked licenses; each once. */
export async function listUserStates(sql: Sql, users: readonly UserOfLicense[]): Promise<readonly UserState[]> {
  type Row = UserOfLicense & { readonly seated: number | null; readonly machines: number };
  const rows = await sql.all<Row>(listStates, userTable.rows(users, USER));
  return rows.map(({ seated, ...state }) => ({ ...state, isSeated: seated !== null }));
}

/** The number of seats that users of some licenses hold; licenses without one are absent. */
export async function countUsers(sql: Sql, licenseKeys: readonly string[]): Promise<ReadonlyMap<string, number>> {
  type Row = { readonly licenseKey: string; readonly seats: number };
  const rows = await sql.all<Row>(countSeats, listOf(licenseKeys));
  return new Map(rows.map(({ licenseKey, seats }) => [licenseKey, seats]));
}

/** The seats of the named users. */
export async function listUsersByName(sql: Sql, users: readonly UserOfLicense[]): Promise<readonly LicenseUser[]> {
  return (await sql.all<StoredRow>(listByName, userTable.rows(users, USER))).map((row) => userTable.restore(row));
}

/** A user with the facts that lists show. */
export interface ListedUser extends LicenseUser {
  /** Number of machines of the user. */
  readonly machines: number;
}

type ListedRow = StoredRow & { readonly machines: number; readonly machineSeen: string | null };

function listedFrom(row: ListedRow): ListedUser {
  const { machines, machineSeen } = row;
  const user = userTable.restore<LicenseUser>(row);
  const { licenseKey, userFolded, user: name, since, lastSeen } = user;
  const seen = machineSeen !== null && machineSeen > lastSeen ? machineSeen : lastSeen;
  return { licenseKey, userFolded, user: name, since, lastSeen: seen, machines };
}

/** A page of a license's users, in the order of their folded names; `after` is the last of the page before, or ''. */
export async function listUsersOf(
  sql: Sql,
  licenseKey: string,
  after: string,
  limit: number,
): Promise<readonly ListedUser[]> {
  return (await sql.all<ListedRow>(list, licenseKey, after, limit)).map(listedFrom);
}

/** A user who holds a seat; undefined if nobody of this name does. */
export async function findUser(sql: Sql, { licenseKey, userFolded }: UserOfLicense): Promise<ListedUser | undefined> {
  const row = await sql.first<ListedRow>(find, licenseKey, userFolded);
  return row === undefined ? undefined : listedFrom(row);
}

/** The folded names of the users who hold seats, in order; `after` is the last of the page before, or ''. */
export async function listUserNames(
  sql: Sql,
  licenseKey: string,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await sql.all<{ readonly name: string }>(listNames, licenseKey, after, limit);
  return rows.map(({ name }) => name);
}

/** A license that has a user of this folded name, or a machine of one. */
export async function findLicenseOfUser(sql: Sql, userFolded: string): Promise<string | undefined> {
  return (await sql.first<{ readonly licenseKey: string }>(findLicenses, userFolded))?.licenseKey;
}

/**
 * Renames a user of a locked license and the user of their machines, when a customer is forgotten.
 *
 * @returns whether there is such a user
 */
export async function renameUser(tx: Tx, { licenseKey, userFolded }: UserOfLicense, name: string): Promise<boolean> {
  const seats = await tx.all(rename, licenseKey, userFolded, name);
  const machines = await tx.all(renameOnMachines, licenseKey, userFolded, name);
  return seats.length + machines.length > 0;
}

/** Gives seats to users who have none. */
export async function insertUsers(tx: RecordedTx, users: readonly LicenseUser[]): Promise<void> {
  await tx.run(insert, userTable.rows(users, userTable.fields));
}

/** Gives a seat to every user that a machine of the license has. */
export async function seatUsersOfMachines(tx: RecordedTx, licenseKey: string): Promise<void> {
  await tx.run(seatThoseOfMachines, licenseKey);
}

/** Notes the last signs of life of machines that users lose. */
export async function noteLastSeen(
  tx: RecordedTx,
  machines: readonly Pick<LicenseUser, 'licenseKey' | 'userFolded' | 'lastSeen'>[],
): Promise<void> {
  await tx.run(see, userTable.rows(machines, [...USER, 'lastSeen']));
}

/** Notes the last signs of life of the machines of a license, before all of them are unbound. */
export async function noteAllLastSeen(tx: RecordedTx, licenseKey: string): Promise<void> {
  await tx.run(seeAll, licenseKey);
}

/** Frees the seats of users. */
export async function deleteUsers(tx: RecordedTx, users: readonly UserOfLicense[]): Promise<void> {
  await tx.run(remove, userTable.rows(users, USER));
}

/** Frees the seats of those among some users who have no machine. */
export async function deleteUsersWithoutMachine(tx: RecordedTx, users: readonly UserOfLicense[]): Promise<void> {
  await tx.run(removeWithoutMachine, userTable.rows(users, USER));
}

/** Frees the seats of a license whose users have no machine. */
export async function deleteAllUsersWithoutMachine(tx: RecordedTx, licenseKey: string): Promise<void> {
  await tx.run(removeAllWithoutMachine, licenseKey);
}

/** Frees all seats of a license. */
export async function deleteAllUsers(tx: RecordedTx, licenseKey: string): Promise<void> {
  await tx.run(removeOfLicense, licenseKey);
}
