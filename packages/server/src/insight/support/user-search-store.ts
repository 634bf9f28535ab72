/** The look-up of users of licenses in a search (rules 4.3.1). */
import { type Sql, statement } from '../../storage/contract/storage.ts';
import type { Beginning } from './query-form.ts';

/** Users by the beginning of their folded names: those who hold seats, and those whom machines name. */
const byUser = statement(
  'license_user.search',
  `select * from (select u.license_key as "licenseKey", u.user_folded as "userFolded", u.user_name as "user",
       u.last_seen as "lastSeen"
     from license_user u where u.user_folded >= $1 and u.user_folded < $2
     order by u.user_folded, u.license_key limit $3) seated
   union all
   select * from (select a.license_key as "licenseKey", a.user_folded as "userFolded", a.user_name as "user",
       a.last_seen as "lastSeen"
     from activation a where a.user_folded is not null and a.user_folded >= $1 and a.user_folded < $2
     order by a.user_folded, a.license_key limit $3) named`,
);

/** A user of a license. */
export interface FoundUser {
  readonly licenseKey: string;
  readonly userFolded: string;
  readonly user: string;
  readonly lastSeen: string;
}

/** Users whose folded names begin with a text, each once for a license. A row is read for each of their machines. */
export async function searchUsers(sql: Sql, { from, to }: Beginning, limit: number): Promise<readonly FoundUser[]> {
  const rows = await sql.all<FoundUser>(byUser, from, to, limit);
  const byKey = Map.groupBy(rows, ({ licenseKey, userFolded }) => JSON.stringify([licenseKey, userFolded]));
  const found = [...byKey.values()].map((each) => ({
    ...each[0]!,
    lastSeen: each
      .map(({ lastSeen }) => lastSeen)
      .sort()
      .at(-1)!,
  }));
  return found.sort((one, other) => (one.userFolded < other.userFolded ? -1 : 1)).slice(0, limit);
}
