/** Issues license files: signs them, and keeps which machine got one (rules 11.3). */
import { fromTimestamp, toTimestamp } from '../clock.ts';
import { type Actor, actorText } from '../events/event.ts';
import type { UsedLicense } from '../licenses/license.ts';
import { mintOrderedUuid } from '../random.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { RuleContext } from '../rule-context.ts';
import type { Tx } from '../storage/storage.ts';
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
  });
  return { licenseFile: armoured(signed), fileId, issuedAt, renewAfter: moment(period.renewAfter), expiresAt, keyId };
}

/**
 * Makes room for the file that a machine fetches, under the license's lock: who has a file that is not over may renew it,
 * any other machine is one more, of which there may be {@link mostFetchedFiles}.
 *
 * @returns why there is no room; null where there is
 */
export async function takeFilePlace(
  tx: Tx,
  license: UsedLicense,
  fingerprint: string,
  now: number,
): Promise<Refusal<'too_many_license_files'> | null> {
  const { licenseKey } = license;
  const at = toTimestamp(now);
  const present = await findFile(tx, licenseKey, fingerprint, 'grace');
  if (present?.counted && (present.expiresAt ?? at) > at) return null;
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
  return null;
}
