/** Counts destinations by state at a bounded cost: for the metrics and for warnings, never for a decision. */
import { type Sql, statement } from '../../storage/contract/storage.ts';
import { DESTINATION_STATES } from './destination.ts';

/** Maximum number of destinations read in each state. */
const MAX_COUNTED = 20_000;

const countState = statement(
  'destination.count_state',
  `select count(*) as "count", coalesce(sum(case when p.failing_since is not null then 1 else 0 end), 0) as "failing"
   from (select d.destination_id from destination d where d.state = $1 order by d.destination_id limit $2) s
     left join destination_progress p on p.destination_id = s.destination_id`,
);

const countPausedAs = statement(
  'destination.count_paused_as',
  `select count(*) as "count"
   from (select d.state_reason from destination d where d.state = 'paused' order by d.destination_id limit $1) p
   where p.state_reason = $2`,
);

const countActive = statement(
  'destination.count_active_since',
  `select count(*) as "count"
   from (select d.updated_at from destination d where d.state = 'active' order by d.destination_id limit $1) a
   where a.updated_at <= $2`,
);

/** Destinations by their state in replies: a failing destination does not count as active. */
export type DestinationCounts = Readonly<Record<'active' | 'failing' | 'paused' | 'disabled', number>>;

/** Counts the destinations of all owners. */
export async function countDestinationStates(sql: Sql): Promise<DestinationCounts> {
  const counts = { active: 0, failing: 0, paused: 0, disabled: 0 };
  for (const state of DESTINATION_STATES) {
    const found = await sql.first<{ count: number; failing: number }>(countState, state, MAX_COUNTED);
    const { count, failing } = found ?? { count: 0, failing: 0 };
    counts[state] = count;
    if (state !== 'active') continue;
    counts.active -= failing;
    counts.failing = failing;
  }
  return counts;
}

/** Counts the destinations that copy or restore paused. */
export async function countCopied(sql: Sql): Promise<number> {
  return (await sql.first<{ count: number }>(countPausedAs, MAX_COUNTED, 'copied'))?.count ?? 0;
}

/** Counts the active destinations that nobody has changed since a moment. */
export async function countActiveSince(sql: Sql, moment: string): Promise<number> {
  return (await sql.first<{ count: number }>(countActive, MAX_COUNTED, moment))?.count ?? 0;
}
