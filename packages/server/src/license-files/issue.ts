/** Issues license files: signs them, and keeps which machine got one (rules 11.3). */
import { fromTimestamp, HOUR_MS, toTimestamp } from '../clock.ts';
import { type Actor, actorText } from '../events/event.ts';
import type { UsedLicense } from '../licenses/license.ts';
import { mintOrderedUuid } from '../random.ts';
import { countsAfter, pauseSeconds, type RecentCounts } from '../recent-counts.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { RuleContext } from '../rule-context.ts';
import type { Sql, Tx } from '../storage/storage.ts';
import { armoured, claimsOf, LICENSE_FILE_TYPE, mostFetchedFiles, type Period, type Purpose } from './license-file.ts';
import { ANY_MACHINE, addToCount, countFetchedFiles, findFile, findNextFileExpiry, saveFile } from './store.ts';

/** What is asked for. */
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

/** A file that was issued, as replies tell it. */
export interface IssuedFile {
  readonly licenseFile: string;
  readonly fileId: string;
  readonly issuedAt: string;
  readonly renewAfter: string;
  readonly expiresAt: string | null;
  readonly keyId: string;
}

/** Signs a file for a locked license, and keeps that it was issued. */
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

/** What a file would say beside when it is issued, and who would sign it: files that agree in this are as good as one. */
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

/** Files that a machine is given within an hour, where they last for an hour or longer. */
const FILES_PER_HOUR = 10;
/** How often a file may be fetched in its lifetime. Apps renew it when a quarter of that is over. */
const FILES_PER_LIFETIME = 6;

/** How many files a machine may fetch within an hour: as many as it needs where they are over sooner. */
export function mostFilesPerHour(lifetimeMs: number): number {
  return Math.max(FILES_PER_HOUR, Math.ceil((FILES_PER_LIFETIME * HOUR_MS) / lifetimeMs));
}

/** What a machine that may fetch a file is written down with. */
export interface FilePlace {
  /** When the machine fetched files, this one included. */
  readonly fetchedLately: RecentCounts;
}

/**
 * Makes room for the file that a machine fetches, under the license's lock: it may fetch {@link mostFilesPerHour}, and who
 * has a file that is not over may renew it; any other machine is one more, of which there may be {@link mostFetchedFiles}.
 *
 * @param now the time by which files in the count are over (believed-time/), in milliseconds since 1970
 */
export async function takeFilePlace(
  tx: Tx,
  license: UsedLicense,
  fingerprint: string,
  lifetimeMs: number,
  now: number,
): Promise<FilePlace | Refusal<'too_many_license_files' | 'license_file_rate'>> {
  const { licenseKey } = license;
  const at = toTimestamp(now);
  const present = await findFile(tx, licenseKey, fingerprint, 'grace');
  const counts = present?.fetchedLately ?? [];
  const pause = pauseSeconds(counts, mostFilesPerHour(lifetimeMs), now, HOUR_MS);
  if (pause !== null) return refuse('license_file_rate', { retryAfterSeconds: pause });
  const place = { fetchedLately: countsAfter(counts, now, HOUR_MS) };
  if (present?.counted && (present.expiresAt ?? at) > at) return place;
  const counted = await countFetchedFiles(tx, licenseKey, at);
  // A file of its own that is over, and that was not taken out of the count yet, is its place.
  const hasPlace = (await findFile(tx, licenseKey, fingerprint, 'grace'))?.counted === true;
  const most = mostFetchedFiles(license);
  if (most !== null && counted - (hasPlace ? 1 : 0) >= most) {
    const time = (await findNextFileExpiry(tx, licenseKey, at)) ?? at;
    const retryAfterSeconds = Math.max(1, Math.ceil((fromTimestamp(time) - now) / 1000));
    return refuse('too_many_license_files', { details: { time }, retryAfterSeconds });
  }
  if (!hasPlace) await addToCount(tx, licenseKey, 1);
  return place;
}
