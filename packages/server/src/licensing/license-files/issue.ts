/** Issues license files: signs them, and records which machine received one (rules 11.3). */
import { fromTimestamp, HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { mintOrderedUuid } from '../../ground/base/random.ts';
import { countsAfter, pauseSeconds, type RecentCounts } from '../../ground/base/recent-counts.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
import { type Actor, actorText } from '../../platform/events/event.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import type { UsedLicense } from '../licenses/license.ts';
import { armoured, claimsOf, LICENSE_FILE_TYPE, maxFetchedFiles, type Period, type Purpose } from './license-file.ts';
import { ANY_MACHINE, addToCount, countFetchedFiles, findFile, findNextFileExpiry, saveFile } from './store.ts';

/** An order for a file. */
export interface FileOrder {
  readonly purpose: Purpose;
  /** Null: any machine. */
  readonly fingerprint: string | null;
  readonly hostname: string | null;
  readonly includesEmail: boolean;
  readonly period: Period;
  readonly issuedBy: Actor;
  readonly now: number;
}

/** An issued file in replies. */
export interface IssuedFile {
  readonly licenseFile: string;
  readonly fileId: string;
  readonly issuedAt: string;
  readonly renewAfter: string;
  readonly expiresAt: string | null;
  readonly keyId: string;
}

/** Signs a file for a locked license, and stores the record of its issue. */
export async function issueFile(
  tx: Tx,
  license: UsedLicense,
  order: FileOrder,
  { signingKeys }: Pick<RuleContext, 'signingKeys'>,
  fetchedLately: RecentCounts | null = null,
): Promise<IssuedFile> {
  const { purpose, fingerprint, hostname, period, issuedBy, now } = order;
  await signingKeys.refresh(tx, now);
  const fileId = `lf_${mintOrderedUuid(now)}`;
  const claims = claimsOf(license, { ...order, issuer: signingKeys.issuer, fileId });
  const { signed, keyId } = signingKeys.sign(LICENSE_FILE_TYPE, claims, now);
  const moment = (seconds: number) => toTimestamp(seconds * 1000);
  const issuedAt = moment(period.issuedAt);
  const expiresAt = period.expiresAt === null ? null : moment(period.expiresAt);
  await saveFile(tx, {
    licenseKey: license.licenseKey,
    fingerprint: fingerprint ?? ANY_MACHINE,
    purpose,
    fileId,
    hostname,
    issuedAt,
    expiresAt,
    issuedBy: actorText(issuedBy),
    counted: purpose === 'grace',
    fetchedLately,
  });
  return { licenseFile: armoured(signed), fileId, issuedAt, renewAfter: moment(period.renewAfter), expiresAt, keyId };
}

/**
 * The content of a file without its time of issue, and its signing key. Files with the same content are
 * interchangeable.
 */
export async function contentOf(
  sql: Sql,
  license: UsedLicense,
  order: FileOrder,
  { signingKeys }: Pick<RuleContext, 'signingKeys'>,
): Promise<string> {
  await signingKeys.refresh(sql, order.now);
  const { issuer } = signingKeys;
  const claims = claimsOf(license, { ...order, issuer, fileId: '', period: NO_PERIOD });
  return JSON.stringify([signingKeys.signerId(order.now), claims]);
}

const NO_PERIOD: Period = { issuedAt: 0, renewAfter: 0, expiresAt: null };

/** Files per machine and hour, for lifetimes of an hour or longer. */
const FILES_PER_HOUR = 10;
/** Fetches of a file within its lifetime. Apps renew a file after a quarter of it. */
const FILES_PER_LIFETIME = 6;

/** Maximum number of files that a machine may fetch within an hour; more for files with a shorter lifetime. */
export function maxFilesPerHour(lifetimeMs: number): number {
  return Math.max(FILES_PER_HOUR, Math.ceil((FILES_PER_LIFETIME * HOUR_MS) / lifetimeMs));
}

/**
 * Reserves a place for a file that a machine fetches, under the license's lock. The machine may fetch {@link
 * maxFilesPerHour}. A machine with an unexpired file may renew it; any other machine adds to the count, which is
 * limited to {@link maxFetchedFiles}.
 *
 * @returns the recent fetches of the machine, including this one
 * @param now the time by which counted files expire (believed-time/), in milliseconds since 1970
 */
export async function takeFilePlace(
  tx: Tx,
  license: UsedLicense,
  fingerprint: string,
  lifetimeMs: number,
  now: number,
): Promise<RecentCounts | Refusal<'too_many_license_files' | 'license_file_rate'>> {
  const { licenseKey } = license;
  const at = toTimestamp(now);
  const present = await findFile(tx, licenseKey, fingerprint, 'grace');
  const counts = present?.fetchedLately ?? [];
  const limit = { max: maxFilesPerHour(lifetimeMs), windowMs: HOUR_MS };
  const pause = pauseSeconds(counts, limit, now);
  if (pause !== null) return refuse('license_file_rate', { retryAfterSeconds: pause });
  const fetchedLately = countsAfter(counts, limit, now);
  if (present?.counted && (present.expiresAt ?? at) > at) return fetchedLately;
  const counted = await countFetchedFiles(tx, licenseKey, at);
  // The machine's own expired file still holds its place while it is in the count.
  const hasPlace = (await findFile(tx, licenseKey, fingerprint, 'grace'))?.counted === true;
  const most = maxFetchedFiles(license);
  if (most !== null && counted - (hasPlace ? 1 : 0) >= most) {
    const time = (await findNextFileExpiry(tx, licenseKey, at)) ?? at;
    const retryAfterSeconds = Math.max(1, Math.ceil((fromTimestamp(time) - now) / 1000));
    return refuse('too_many_license_files', { details: { time }, retryAfterSeconds });
  }
  if (!hasPlace) await addToCount(tx, licenseKey, 1);
  return fetchedLately;
}
