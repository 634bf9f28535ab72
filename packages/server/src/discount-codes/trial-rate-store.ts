/** Stored trial counts of networks; see trial-rate.ts. */
import { toTimestamp } from '../base/clock.ts';
import { type RecentCounts, recentCountsIn } from '../base/recent-counts.ts';
import { type Sql, statement, type Tx } from '../storage/storage.ts';
import { parseStored } from '../storage/stored-json.ts';

const find = statement('trial_rate.find', 'select r.counts as "counts" from trial_rate r where r.network = $1');

const claim = statement(
  'trial_rate.claim',
  `insert into trial_rate (network, counts, last_at) values ($1, '[]', $2) on conflict (network) do nothing`,
);

const lock = statement(
  'trial_rate.lock',
  (dialect) => `select r.counts as "counts" from trial_rate r where r.network = $1 ${dialect.forUpdate}`,
);

const save = statement('trial_rate.save', 'update trial_rate set counts = $2, last_at = $3 where network = $1');

interface TrialRateRow {
  readonly counts: string;
}

function countsFrom(row: TrialRateRow | undefined): RecentCounts {
  return recentCountsIn(parseStored(row?.counts));
}

/** The trial counts of a network. */
export async function findTrialCounts(sql: Sql, network: string): Promise<RecentCounts> {
  return countsFrom(await sql.first<TrialRateRow>(find, network));
}

/** The trial counts of a network, locked until the transaction ends. */
export async function lockTrialCounts(tx: Tx, network: string, now: number): Promise<RecentCounts> {
  await tx.run(claim, network, toTimestamp(now));
  return countsFrom(await tx.first<TrialRateRow>(lock, network));
}

/** Writes the trial counts of a locked network. */
export async function saveTrialCounts(tx: Tx, network: string, counts: RecentCounts, now: number): Promise<void> {
  await tx.run(save, network, JSON.stringify(counts), toTimestamp(now));
}
