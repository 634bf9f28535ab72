/** SQL of the tidying jobs. Each statement touches a bounded number of rows, found by an index. */
import { statement, type Tx } from '../storage/storage.ts';

const takeLease = statement(
  'job_lease.take',
  `insert into job_lease (job, leased_until) values ($1, $3)
   on conflict (job) do update set leased_until = excluded.leased_until where job_lease.leased_until <= $2`,
);
const markLapsed = statement(
  'license.mark_lapsed',
  `update license set status_mark = 'expired' where license_key in
     (select l.license_key from license l
      where l.status_mark = 'active' and l.expires_at is not null and l.expires_at <= $1
      order by l.expires_at limit $2)`,
);
const deleteOldReplies = statement(
  'idempotent_reply.delete_old',
  `delete from idempotent_reply where (caller, idempotency_key) in
     (select r.caller, r.idempotency_key from idempotent_reply r where r.created_at <= $1
      order by r.created_at limit $2)`,
);
const deleteOldAttempts = statement(
  'redemption_attempts.delete_old',
  `delete from redemption_attempts where address in
     (select a.address from redemption_attempts a where a.last_at <= $1 order by a.last_at limit $2)`,
);

/** Takes a job for this process until a moment, if no other has it. */
export async function leaseJob(tx: Tx, job: string, now: string, until: string): Promise<boolean> {
  return (await tx.run(takeLease, job, now, until)) > 0;
}

/** Marks licenses that lapsed before a moment; answers how many. The mark only helps lists to find them. */
export function markLapsedLicenses(tx: Tx, before: string, most: number): Promise<number> {
  return tx.run(markLapsed, before, most);
}

/** Deletes replies to idempotent requests older than a moment; answers how many. */
export function deleteOldIdempotentReplies(tx: Tx, before: string, most: number): Promise<number> {
  return tx.run(deleteOldReplies, before, most);
}

/** Deletes redemption attempts older than a moment; answers how many. */
export function deleteOldRedemptionAttempts(tx: Tx, before: string, most: number): Promise<number> {
  return tx.run(deleteOldAttempts, before, most);
}
