/** SQL of the tidying jobs. Each statement touches a bounded number of rows, found by an index. */
import { type Dialect, listOf, statement, type Tx, tableOf } from '../storage/storage.ts';
import { countDue, dueRows, touchDue, untouched } from './due-store.ts';
import type { StepBounds } from './step-size.ts';

// A lease that ends later than any valid one was taken while a clock was wrong, and blocks no node.
const takeLease = statement(
  'job_lease.take',
  `insert into job_lease (job, leased_until) values ($1, $3)
   on conflict (job) do update set leased_until = excluded.leased_until
     where job_lease.leased_until <= $2 or job_lease.leased_until > $4`,
);
const moveLease = statement(
  'job_lease.move',
  'update job_lease set leased_until = $3 where job = $1 and leased_until = $2',
);

const dueMarks = (name: string, from: string, to: string, comparison: '<=' | '>') =>
  dueRows(name, {
    table: 'license',
    key: ['license_key'],
    isDue: (moment) =>
      `d.status_mark = '${from}' and d.expires_at is not null and d.expires_at ${comparison} ${moment}`,
    order: 'd.expires_at',
    write: `update license set status_mark = '${to}'`,
  });
const lapsed = dueMarks('license.mark_lapsed', 'active', 'expired', '<=');
const notLapsed = dueMarks('license.mark_unlapsed', 'expired', 'active', '>');
const newMachines = dueRows('activation.index_new', {
  table: 'activation',
  key: ['license_key', 'fingerprint'],
  isDue: () => "d.unindexed_since is not null and d.unindexed_since > ''",
  hasMoment: false,
  order: 'd.unindexed_since',
  write: 'update activation set unindexed_since = null',
});
// The length of a text is in its row: neither engine reads the text itself for it.
const listOldReplies = statement(
  'idempotent_reply.list_old',
  (dialect) => `select r.caller, r.idempotency_key as "key", octet_length(r.reply) as "bytes"
   from idempotent_reply r where r.created_at <= $1 order by r.created_at limit $2 ${untouched(dialect)}`,
);
const deleteReplies = statement(
  'idempotent_reply.delete_old',
  (dialect) => `delete from idempotent_reply where (caller, idempotency_key) in
     (select r.caller, r.idempotency_key
      from ${dialect.table('$1', { caller: 'text', idempotency_key: 'text' })} r)`,
);
const deleteOldRoom = statement(
  'kept_reply_room.delete_old',
  (dialect) => `delete from kept_reply_room where caller in
     (select r.caller from kept_reply_room r where r.day_begins_at <= $1
      order by r.day_begins_at limit $2 ${untouched(dialect)})`,
);
const deleteOldAttempts = statement(
  'redemption_attempts.delete_old',
  (dialect) => `delete from redemption_attempts where address in
     (select a.address from redemption_attempts a where a.last_at <= $1 order by a.last_at limit $2 ${untouched(dialect)})`,
);

const deleteOldTrials = statement(
  'trial_rate.delete_old',
  (dialect) => `delete from trial_rate where network in
     (select r.network from trial_rate r where r.last_at <= $1 order by r.last_at limit $2 ${untouched(dialect)})`,
);

const dueRefusals = (name: string, comparison: '<=' | '>', order: string) =>
  dueRows(name, {
    table: 'kept_refusal',
    key: ['license_key', 'refusal_id'],
    isDue: (moment) => `d.first_at ${comparison} ${moment}`,
    order,
    write: 'delete from kept_refusal',
  });
const oldRefusals = dueRefusals('kept_refusal.delete_old', '<=', 'd.first_at');
const futureRefusals = dueRefusals('kept_refusal.delete_future', '>', 'd.first_at desc');

// A license keeps its product for ever, and is never deleted.
const refusalsWithoutProduct = dueRows('kept_refusal.add_products', {
  table: 'kept_refusal',
  key: ['license_key', 'refusal_id'],
  isDue: () => "d.product_id is null and d.refusal_id > ''",
  hasMoment: false,
  order: 'd.refusal_id desc',
  write: `update kept_refusal set product_id = coalesce(
    (select l.product_id from license l where l.license_key = kept_refusal.license_key), '')`,
});

const deleteOldSessions = statement(
  'console_session.delete_old',
  (dialect) => `delete from console_session where session_id in
     (select s.session_id from console_session s where s.expires_at <= $1
      order by s.expires_at limit $2 ${untouched(dialect)})`,
);

const deleteOldCodes = statement(
  'sign_in_code.delete_old',
  (dialect) => `delete from sign_in_code where hash in
     (select c.hash from sign_in_code c where c.expires_at <= $1 order by c.expires_at limit $2 ${untouched(dialect)})`,
);

const deleteOldSignIns = statement(
  'sign_in_rate.delete_old',
  (dialect) => `delete from sign_in_rate where (source, name) in
     (select r.source, r.name from sign_in_rate r where r.last_at <= $1
      order by r.last_at limit $2 ${untouched(dialect)})`,
);

const oldExtensions = dueRows('support_extension.delete_old', {
  table: 'support_extension',
  key: ['license_key'],
  isDue: (moment) => `d.last_at <= ${moment}`,
  order: 'd.last_at',
  write: 'delete from support_extension',
});

const deleteOldStatistics = (step: 'hour' | 'day') => (dialect: Dialect) =>
  `delete from statistic where (product_id, step, metric, at) in
     (select s.product_id, s.step, s.metric, s.at from statistic s where s.step || '' = '${step}' and s.at || '' <= $1
      order by s.at || '' limit $2 ${untouched(dialect)})`;
const deleteOldHours = statement('statistic.delete_old_hours', deleteOldStatistics('hour'));
const deleteOldDays = statement('statistic.delete_old_days', deleteOldStatistics('day'));

// Uncounted first: in the count, expired files hold a place until a call examines them.
const dueFiles = (name: string, counted: 0 | 1, write: string) =>
  dueRows(name, {
    table: 'license_file',
    key: ['license_key', 'fingerprint', 'purpose'],
    isDue: (moment) => `d.counted = ${counted} and d.expires_at <= ${moment}`,
    order: 'd.expires_at',
    write,
  });
const expiredCountedFiles = dueFiles('license_file.uncount_old', 1, 'update license_file set counted = 0');
const expiredFiles = dueFiles('license_file.delete_old', 0, 'delete from license_file');
const lowerFileCounts = statement(
  'license_file_count.lower',
  (dialect) => `update license_file_count set machines = license_file_count.machines - r.machines
    from ${dialect.table('$1', { license_key: 'text', machines: 'integer' })} r
    where license_file_count.license_key = r.license_key`,
);
const listOld = statement(
  'event.list_old',
  `select e.event_id as "eventId", e.type as "type" from event e where e.event_id > $1 and e.event_id < $2
   order by e.event_id limit $3`,
);
const deleteByIds = statement(
  'event.delete_old',
  (dialect) => `delete from event where event_id ${dialect.among('$1')}`,
);

/** The time of a job's lease, as timestamps. */
export interface Lease {
  readonly now: string;
  readonly until: string;
  /** The latest end of a lease that is valid now; a lease beyond it is ignored. */
  readonly latest: string;
}

/** Takes a job for this process, if no other has it. */
export async function leaseJob(tx: Tx, job: string, { now, until, latest }: Lease): Promise<boolean> {
  return (await tx.run(takeLease, job, now, until, latest)) > 0;
}

/** Moves the end of a lease that this process took; false when another has taken the job since. */
export async function moveJobLease(tx: Tx, job: string, from: string, until: string): Promise<boolean> {
  return (await tx.run(moveLease, job, from, until)) > 0;
}

/** Marks licenses that lapsed before a moment; returns their number. The mark only helps lists to find them. */
export function markLapsedLicenses(tx: Tx, before: string, most: number): Promise<number> {
  return countDue(tx, lapsed, before, most);
}

/** Removes the mark from licenses that lapse after a moment: a clock that was ahead set it. Returns their number. */
export function markUnlapsedLicenses(tx: Tx, after: string, most: number): Promise<number> {
  return countDue(tx, notLapsed, after, most);
}

/**
 * Adds recently activated machines to the search indexes, the longest waiting first; returns their number. Searches
 * find them either way (support/search-store.ts), so the clock of their activation does not matter.
 */
export function indexNewMachines(tx: Tx, _before: string, most: number): Promise<number> {
  return countDue(tx, newMachines, null, most);
}

/**
 * Deletes replies to idempotent requests older than a moment, as many as the bounds allow: replies kept by an earlier
 * version may have many megabytes.
 */
export async function deleteOldIdempotentReplies(tx: Tx, before: string, most: StepBounds) {
  const old = await tx.all<{ readonly caller: string; readonly key: string; readonly bytes: number }>(
    listOldReplies,
    before,
    most.rows,
  );
  let bytes = 0;
  const taken = old.filter((reply, index) => {
    bytes += reply.bytes;
    return index === 0 || bytes <= most.bytes;
  });
  const keys = taken.map(({ caller, key }) => [caller, key]);
  const rows = keys.length === 0 ? 0 : await tx.run(deleteReplies, tableOf(keys));
  return { rows, isLast: old.length < most.rows && taken.length === old.length };
}

/**
 * Deletes the counts of callers without a kept reply on any day that began after a moment; returns the number of
 * callers.
 */
export function deleteOldReplyRoom(tx: Tx, before: string, most: number): Promise<number> {
  return tx.run(deleteOldRoom, before, most);
}

/** Deletes redemption attempts older than a moment; returns their number. */
export function deleteOldRedemptionAttempts(tx: Tx, before: string, most: number): Promise<number> {
  return tx.run(deleteOldAttempts, before, most);
}

/** Deletes the counts of networks that had no trial since a moment; returns the number of networks. */
export function deleteOldTrialRates(tx: Tx, before: string, most: number): Promise<number> {
  return tx.run(deleteOldTrials, before, most);
}

/** Deletes kept refusals that began before a moment; returns the number of rows. */
export function deleteOldKeptRefusals(tx: Tx, before: string, most: number): Promise<number> {
  return countDue(tx, oldRefusals, before, most);
}

/**
 * Deletes kept refusals that began after a moment; returns the number of rows. A clock that was ahead dated them, and
 * as the newest of their license they would keep out those of today.
 */
export function deleteFutureKeptRefusals(tx: Tx, after: string, most: number): Promise<number> {
  return countDue(tx, futureRefusals, after, most);
}

/**
 * Adds the product to refusals that a node of an earlier version wrote, the newest first; returns their number. Until
 * then the lists of a product lack them.
 */
export function addProductsOfRefusals(tx: Tx, _before: string, most: number): Promise<number> {
  return countDue(tx, refusalsWithoutProduct, null, most);
}

/** Deletes console sessions that ended before a moment; returns their number. */
export function deleteOldConsoleSessions(tx: Tx, before: string, most: number): Promise<number> {
  return tx.run(deleteOldSessions, before, most);
}

/** Deletes codes of sign-in links that expired before a moment; returns their number. */
export function deleteOldSignInCodes(tx: Tx, before: string, most: number): Promise<number> {
  return tx.run(deleteOldCodes, before, most);
}

/** Deletes the counts of keys that have not signed in since a moment; returns their number. */
export function deleteOldSignInRates(tx: Tx, before: string, most: number): Promise<number> {
  return tx.run(deleteOldSignIns, before, most);
}

/** Deletes the support extensions of licenses that support has not extended since a moment; returns their number. */
export function deleteOldSupportExtensions(tx: Tx, before: string, most: number): Promise<number> {
  return countDue(tx, oldExtensions, before, most);
}

/** Deletes statistics of hours that began before a moment; returns the number of rows. */
export function deleteOldHoursOfStatistics(tx: Tx, before: string, most: number): Promise<number> {
  return tx.run(deleteOldHours, before, most);
}

/** Deletes statistics of days that began before a moment; returns the number of rows. */
export function deleteOldDaysOfStatistics(tx: Tx, before: string, most: number): Promise<number> {
  return tx.run(deleteOldDays, before, most);
}

/** Takes license files that expired before a moment out of the counts of their licenses; returns their number. */
export async function uncountOldLicenseFiles(tx: Tx, before: string, most: number): Promise<number> {
  const licenseKeys = await touchDue(tx, expiredCountedFiles, before, most);
  const counts = new Map<string, number>();
  for (const licenseKey of licenseKeys) counts.set(licenseKey, (counts.get(licenseKey) ?? 0) + 1);
  // In a fixed order, so that two transactions that lower the same counts do not deadlock.
  if (counts.size > 0)
    await tx.run(lowerFileCounts, tableOf([...counts].sort(([one], [other]) => (one < other ? -1 : 1))));
  return licenseKeys.length;
}

/** Deletes license files that expired before a moment and are in no count; returns their number. */
export function deleteOldLicenseFiles(tx: Tx, before: string, most: number): Promise<number> {
  return countDue(tx, expiredFiles, before, most);
}

/** An event that may be old enough to be deleted. */
interface OldEvent {
  readonly eventId: string;
  readonly type: string;
}

/** Events between two ids, the oldest first. */
export function listOldEvents(tx: Tx, after: string, before: string, most: number): Promise<OldEvent[]> {
  return tx.all<OldEvent>(listOld, after, before, most);
}

/** Deletes events; returns their number. */
export function deleteEvents(tx: Tx, eventIds: readonly string[]): Promise<number> {
  return tx.run(deleteByIds, listOf(eventIds));
}
