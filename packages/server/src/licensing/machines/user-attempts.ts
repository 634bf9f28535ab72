/**
 * The activation limit of licenses with named users: 15 attempts an hour for each user (rules 8.1). The counts are
 * rates (platform/rates), which the lock of the license's row guards.
 */
import { createHash } from 'node:crypto';
import { HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { countsAfter, pauseSeconds, type RecentCounts } from '../../ground/base/recent-counts.ts';
import {
  deleteRatesBeginning,
  findRates,
  findRatesBeginning,
  type Rate,
  saveRateRows,
} from '../../platform/rates/rate-store.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import { ATTEMPTS_PER_HOUR, recordAttempt } from './activation-rate.ts';
import type { UserOfLicense } from './user.ts';

/** The counts of some users of a locked license, changed in memory. */
export class UserAttempts {
  readonly #licenseKey: string;
  readonly #counts: Map<string, RecentCounts>;
  readonly #changed = new Map<string, Rate>();

  /** @param counts by subject; see {@link loadUserAttempts} */
  constructor(licenseKey: string, counts: ReadonlyMap<string, RecentCounts>) {
    this.#licenseKey = licenseKey;
    this.#counts = new Map(counts);
  }

  /** The same counts, changed by themselves. */
  copy(): UserAttempts {
    return new UserAttempts(this.#licenseKey, this.#counts);
  }

  /**
   * Counts an attempt of a user. Refused ones count, too, as those of a license do (activation-rate.ts). All users
   * together have the attempts of as many users as the license has seats: with seats that float, one name after another
   * would have attempts of its own.
   *
   * @param now milliseconds since 1970
   * @returns null if it may proceed, else the whole seconds until the next may
   */
  count(userFolded: string, maxUsers: number, now: number): number | null {
    const subject = subjectOf({ licenseKey: this.#licenseKey, userFolded });
    const { attempts, retryAfterSeconds } = recordAttempt(attemptsIn(this.#counts.get(subject) ?? []), now);
    this.#set(subject, countsOf(attempts), now);
    if (retryAfterSeconds !== null) return retryAfterSeconds;
    const all = beginningOf(this.#licenseKey);
    const allowance = { max: ATTEMPTS_PER_HOUR * maxUsers, windowMs: HOUR_MS };
    const before = this.#counts.get(all) ?? [];
    const pause = pauseSeconds(before, allowance, now);
    if (pause === null) this.#set(all, countsAfter(before, allowance, now), now);
    return pause;
  }

  #set(subject: string, counts: RecentCounts, now: number): void {
    this.#counts.set(subject, counts);
    // The counts of all users have parts of a minute.
    this.#changed.set(subject, { subject, counts, endsAt: toTimestamp(now + HOUR_MS + HOUR_MS / 60) });
  }

  /** The counts that differ from the stored ones. */
  get changed(): readonly Rate[] {
    return [...this.#changed.values()];
  }
}

/** The stored attempts of the named users, by license. */
export async function loadUserAttempts(
  sql: Sql,
  users: readonly UserOfLicense[],
): Promise<(licenseKey: string) => UserAttempts> {
  const subjects = users.flatMap((user) => [subjectOf(user), beginningOf(user.licenseKey)]);
  const counts = await findRates(sql, [...new Set(subjects)]);
  return (licenseKey) => {
    const ofLicense = [...counts].filter(([subject]) => subject.startsWith(beginningOf(licenseKey)));
    return new UserAttempts(licenseKey, new Map(ofLicense));
  };
}

/** Writes the counted attempts. */
export async function saveUserAttempts(tx: Tx, rates: readonly Rate[]): Promise<void> {
  if (rates.length > 0) await saveRateRows(tx, rates);
}

/** The number of attempts of users of a license within the last hour. */
export async function countUserAttempts(sql: Sql, licenseKey: string, now: number): Promise<number> {
  const all = await findRatesBeginning(sql, `${beginningOf(licenseKey)} `);
  return [...all.values()].flatMap(attemptsIn).filter((at) => at > now - HOUR_MS && at < now + HOUR_MS).length;
}

/** Forgets the attempts of the users of a locked license. */
export async function forgetUserAttempts(tx: Tx, licenseKey: string): Promise<void> {
  await deleteRatesBeginning(tx, beginningOf(licenseKey));
}

/** The subject of all users of a license, with which those of each user begin. */
function beginningOf(licenseKey: string): string {
  return `activations of ${hashOf(licenseKey)}`;
}

function subjectOf({ licenseKey, userFolded }: UserOfLicense): string {
  return `${beginningOf(licenseKey)} ${hashOf(`${licenseKey}\n${userFolded}`)}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The times of attempts, in milliseconds, oldest first: the parts of the counts are single moments. */
function attemptsIn(counts: RecentCounts): readonly number[] {
  return counts.flatMap(([at, count]) => Array<number>(Math.min(Math.max(count, 0), ATTEMPTS_PER_HOUR)).fill(at));
}

function countsOf(attempts: readonly number[]): RecentCounts {
  return [...Map.groupBy(attempts, (at) => at)].map(([at, each]) => [at, each.length] as const);
}
