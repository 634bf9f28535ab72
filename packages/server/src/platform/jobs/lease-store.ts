/** SQL of the leases of jobs. */
import { MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';

// A lease that ends later than any valid one was taken while a clock was wrong, and blocks no node.
const take = statement(
  'job_lease.take',
  `insert into job_lease (job, leased_until) values ($1, $3)
   on conflict (job) do update set leased_until = excluded.leased_until
     where job_lease.leased_until <= $2 or job_lease.leased_until > $4`,
);
const move = statement('job_lease.move', 'update job_lease set leased_until = $3 where job = $1 and leased_until = $2');
const find = statement('job_lease.find', 'select l.leased_until as "until" from job_lease l where l.job = $1');

/** No valid lease ends later than this from now. */
export const LONGEST_LEASE_MS = MINUTE_MS;

/** The time of a job's lease, as timestamps. */
interface LeaseTime {
  readonly now: string;
  readonly until: string;
  /** The latest end of a lease that is valid now; a lease beyond it is ignored. */
  readonly latest: string;
}

/** Takes a job for this process, if no other has it. */
export async function takeLease(tx: Tx, job: string, { now, until, latest }: LeaseTime): Promise<boolean> {
  return (await tx.run(take, job, now, until, latest)) > 0;
}

/** Moves the end of a lease that this process took; false when another has taken the job since. */
export async function moveLease(tx: Tx, job: string, from: string, until: string): Promise<boolean> {
  return (await tx.run(move, job, from, until)) > 0;
}

/** Returns whether a node holds a job, or held it at `since` or later. Times are milliseconds since 1970. */
export async function isLeaseHeld(sql: Sql, job: string, since: number, now: number): Promise<boolean> {
  const found = await sql.first<{ readonly until: string }>(find, job);
  return found !== undefined && found.until > toTimestamp(since) && found.until <= toTimestamp(now + LONGEST_LEASE_MS);
}
