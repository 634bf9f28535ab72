/** API keys as they are stored: by hash only. */
import { type Sql, statement } from '../storage/storage.ts';

const findActive = statement(
  'api_key.find_active',
  'select creator_id as "creatorId" from api_key where hash = $1 and active = 1',
);

/** The creator whose active key has this hash. */
export async function findCreatorByKey(sql: Sql, hash: string): Promise<string | undefined> {
  return (await sql.first<{ creatorId: string }>(findActive, hash))?.creatorId;
}
