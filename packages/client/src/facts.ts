/** What is shown about a license, from the answers and files that tell it. */
import type { ActivateReply, ValidateReply } from './contract.ts';
import { DAY_MS, timestamp } from './decide.ts';
import type { LicenseFileClaims } from './license-file.ts';
import type { LicenseFacts } from './state.ts';

/** The last group of a license key; the last four characters of one without groups. */
export function hintOf(licenseKey: string): string {
  const key = licenseKey.trim().toUpperCase();
  return key.includes('-') ? key.slice(key.lastIndexOf('-') + 1) : key.slice(-4);
}

/** Whether a key, however it was typed, can be the one that a file names. */
export function isKeyOfFile(licenseKey: string, { keyHint }: LicenseFileClaims): boolean {
  const bare = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return bare(licenseKey).endsWith(bare(keyHint));
}

/** What is known before the service said anything. */
export function factsOfKey(licenseKey: string, productId: string): LicenseFacts {
  return {
    licenseKeyHint: hintOf(licenseKey),
    productId,
    variant: null,
    licenseType: null,
    licenseExpiresAt: null,
    daysRemaining: null,
    machinesUsed: null,
    maxMachines: null,
  };
}

/** What /activate tells. @param now milliseconds since 1970 */
export function factsAfterActivation(before: LicenseFacts, reply: ActivateReply, now: number): LicenseFacts {
  const { variant, licenseExpiresAt, machinesUsed, maxMachines, licenseType } = reply;
  const daysRemaining = daysUntil(licenseExpiresAt, now);
  return withType({ ...before, variant, licenseExpiresAt, daysRemaining, machinesUsed, maxMachines }, licenseType);
}

/** What /validate tells. */
export function factsAfterCheck(before: LicenseFacts, reply: ValidateReply): LicenseFacts {
  const { productId, variant, licenseExpiresAt, daysRemaining, licenseType } = reply;
  return withType({ ...before, productId, variant, licenseExpiresAt, daysRemaining }, licenseType);
}

/** What a license file tells. @param now milliseconds since 1970 */
export function factsOfFile(claims: LicenseFileClaims, now: number): LicenseFacts {
  const { keyHint, productId, variant, licenseType, licenseExpiresAt, maxMachines } = claims;
  const expiresAt = licenseExpiresAt === null ? null : timestamp(licenseExpiresAt * 1000);
  return {
    licenseKeyHint: keyHint,
    productId,
    variant,
    licenseType,
    licenseExpiresAt: expiresAt,
    daysRemaining: daysUntil(expiresAt, now),
    machinesUsed: null,
    maxMachines: maxMachines ?? null,
  };
}

/** A server that speaks an earlier form of the protocol does not tell the type; then what was known stays. */
function withType(facts: LicenseFacts, licenseType: LicenseFacts['licenseType'] | undefined): LicenseFacts {
  return licenseType === undefined ? facts : { ...facts, licenseType };
}

/** A begun day counts as a whole one, as in the answers of the service, whose `Date` leaves out the fraction of the second. */
function daysUntil(expiresAt: string | null, now: number): number | null {
  return expiresAt === null ? null : Math.max(0, Math.ceil((Date.parse(expiresAt) - now - 1000) / DAY_MS));
}
