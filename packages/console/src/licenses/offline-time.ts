/** How long an app without a connection can go on after a revocation: pure. */
import type { Activation, LicenseFile } from '../api/contract.ts';
import { countText } from '../parts/count-words.ts';
import { dayText } from '../parts/time-words.ts';

/** The time until which a machine can run offline: the later end of its token and its license file. */
export interface OfflineTime {
  /** ISO 8601; null for a file without an end. */
  readonly until: string | null;
  readonly by: 'token' | 'file';
}

/** The fields of a file that matter here. */
export type HeldFile = Pick<LicenseFile, 'fingerprint' | 'expiresAt'>;

/**
 * The time of one machine; null if nothing that it holds is good any more.
 *
 * @param files of the license; one without a fingerprint is for any machine
 * @param now milliseconds since 1970
 */
export function offlineTimeOf(
  { fingerprint, tokenExpiry }: Pick<Activation, 'fingerprint' | 'tokenExpiry'>,
  files: readonly HeldFile[],
  now: number,
): OfflineTime | null {
  const own = files.filter((file) => file.fingerprint === null || file.fingerprint === fingerprint);
  const ofFiles = own.map(({ expiresAt }): OfflineTime => ({ until: expiresAt, by: 'file' }));
  const good = [{ until: tokenExpiry, by: 'token' } as const, ...ofFiles].filter(({ until }) => endOf(until) > now);
  return good.toSorted((one, other) => endOf(other.until) - endOf(one.until))[0] ?? null;
}

function endOf(until: string | null): number {
  return until === null ? Number.POSITIVE_INFINITY : Date.parse(until);
}

/** "3 May 2027, by a file". */
export function offlineText(time: OfflineTime | null): string {
  if (time === null) return 'not any more';
  const until = time.until === null ? 'for ever' : dayText(time.until);
  return `${until}, by its ${time.by === 'file' ? 'file' : 'token'}`;
}

/** The sentence about all machines of a revoked license; null if none can go on. */
export function offlineSentence(times: readonly (OfflineTime | null)[]): string | null {
  const good = times.filter((time) => time !== null);
  const [latest] = good.toSorted((one, other) => endOf(other.until) - endOf(one.until));
  if (latest === undefined) return null;
  const machines = good.length === 1 ? '1 machine' : `${countText(good.length)} machines`;
  return `Without a connection, ${machines} can run ${latest.until === null ? 'for ever' : `until ${dayText(latest.until)}`}.`;
}
