/** Counts live floating sessions at a bounded cost: for the metrics, never for a decision. */
import { toTimestamp } from '../../ground/base/clock.ts';
import { type Sql, statement } from '../../storage/contract/storage.ts';

/** Maximum number of slot-holding sessions read; some 10 milliseconds for the database. */
const MAX_SESSIONS_COUNTED = 20_000;

// Lapsed sessions hold their slot until it is needed, so they are read but not counted.
const countHeld = statement(
  'activation.count_sessions',
  `select count(*) as "held", coalesce(sum(case when h.session_deadline > $1 then 1 else 0 end), 0) as "live"
   from (select a.session_deadline from activation a where a.session_due is not null order by a.license_key limit $2) h`,
);

/** The result of a count. */
export interface SessionCount {
  readonly live: number;
  /** False when there are more sessions than the count reads. */
  readonly isComplete: boolean;
}

/** Counts live sessions. `now` in milliseconds. */
export async function countLiveSessions(sql: Sql, now: number, most = MAX_SESSIONS_COUNTED): Promise<SessionCount> {
  const counted = await sql.first<{ held: number; live: number }>(countHeld, toTimestamp(now), most);
  return { live: counted?.live ?? 0, isComplete: (counted?.held ?? 0) < most };
}
