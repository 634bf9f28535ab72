/** How many floating sessions are live, found at a bounded cost: for the metrics, never for a decision. */
import { toTimestamp } from '../clock.ts';
import { type Sql, statement } from '../storage/storage.ts';

/** So many sessions that hold a slot are looked at; some 10 milliseconds for the database. */
const MOST_SESSIONS_COUNTED = 20_000;

// Sessions that have lapsed hold their slot until it is needed, so they are looked at as well, and not counted.
const countHeld = statement(
  'activation.count_sessions',
  `select count(*) as "held", coalesce(sum(case when h.session_deadline > $1 then 1 else 0 end), 0) as "live"
   from (select a.session_deadline from activation a where a.session_due is not null order by a.license_key limit $2) h`,
);

/** What was counted. */
export interface SessionCount {
  readonly live: number;
  /** False where there are more sessions than are looked at. */
  readonly isComplete: boolean;
}

/** Counts live sessions. `now` in milliseconds. */
export async function countLiveSessions(sql: Sql, now: number, most = MOST_SESSIONS_COUNTED): Promise<SessionCount> {
  const counted = await sql.first<{ held: number; live: number }>(countHeld, toTimestamp(now), most);
  return { live: counted?.live ?? 0, isComplete: (counted?.held ?? 0) < most };
}
