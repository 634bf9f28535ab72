/** Facts about a license for display, taken from replies and license files. */
import type { ActivateReply, ValidateReply } from './contract.ts';
import { DAY_MS, timestamp } from './decide.ts';
import type { LicenseFileClaims } from './license-file.ts';
import type { LicenseFacts } from './state.ts';
import { NO_FACTS } from './stored-state.ts';
import { featuresIn, termsOfFile } from './terms.ts';

/** The last group of a license key, or the last four characters of a key without groups. */
export function hintOf(licenseKey: string): string {
  const key = licenseKey.trim().toUpperCase();
  return key.includes('-') ? key.slice(key.lastIndexOf('-') + 1) : key.slice(-4);
}

/** Whether a key, in any spelling, can be the one that a file names. */
export function isKeyOfFile(licenseKey: string, { keyHint }: LicenseFileClaims): boolean {
  const bare = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return bare(licenseKey).endsWith(bare(keyHint));
}

/** The facts known before the first answer of the service. */
export function factsOfKey(licenseKey: string, productId: string): LicenseFacts {
  return { ...NO_FACTS, licenseKeyHint: hintOf(licenseKey), productId };
}

/** The later fields of a reply. One of another type counts as absent, because the rest of the reply is sound. */
interface LaterFields {
  readonly graceUntil?: unknown;
  readonly updatesUntil?: unknown;
  readonly maxVersion?: unknown;
  readonly features?: unknown;
}

function timestampOrNull(value: unknown): string | null {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : null;
}

/** The covered builds, as a reply or a refusal states them. */
export function coverageIn(reply: object): Pick<LicenseFacts, 'updatesUntil' | 'maxVersion'> {
  const { updatesUntil, maxVersion } = reply as LaterFields;
  return {
    updatesUntil: timestampOrNull(updatesUntil),
    maxVersion: typeof maxVersion === 'string' ? maxVersion : null,
  };
}

/** Adds the facts in a reply of /heartbeat, which every good reply of the other endpoints has, too. */
export function factsAfterHeartbeat(before: LicenseFacts, reply: object): LicenseFacts {
  const { graceUntil, features } = reply as LaterFields;
  return { ...before, graceUntil: timestampOrNull(graceUntil), features: featuresIn(features) };
}

/** Adds the facts in a reply of /activate. @param now milliseconds since 1970 */
export function factsAfterActivation(before: LicenseFacts, reply: ActivateReply, now: number): LicenseFacts {
  const { variant, licenseExpiresAt, machinesUsed, maxMachines, licenseType } = reply;
  const daysRemaining = daysUntil(licenseExpiresAt, now);
  const known = { ...before, variant, licenseExpiresAt, daysRemaining, machinesUsed, maxMachines };
  return withType({ ...factsAfterHeartbeat(known, reply), ...coverageIn(reply) }, licenseType);
}

/** Adds the facts in a reply of /validate. */
export function factsAfterCheck(before: LicenseFacts, reply: ValidateReply): LicenseFacts {
  const { productId, variant, licenseExpiresAt, daysRemaining, licenseType } = reply;
  const known = { ...before, productId, variant, licenseExpiresAt, daysRemaining };
  return withType({ ...factsAfterHeartbeat(known, reply), ...coverageIn(reply) }, licenseType);
}

/** The facts in a license file. @param now milliseconds since 1970 */
export function factsOfFile(claims: LicenseFileClaims, now: number): LicenseFacts {
  const { keyHint, productId, variant, licenseType, licenseExpiresAt, maxMachines } = claims;
  const { updatesUntil, maxVersion } = termsOfFile(claims);
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
    graceUntil: null,
    updatesUntil: updatesUntil === null ? null : timestamp(updatesUntil),
    maxVersion,
    features: featuresIn(claims.features),
  };
}

/** Keeps the known type if the reply has none, as from a server with an earlier form of the protocol. */
function withType(facts: LicenseFacts, licenseType: LicenseFacts['licenseType'] | undefined): LicenseFacts {
  return licenseType === undefined ? facts : { ...facts, licenseType };
}

/**
 * Rounds up to whole days, like the replies of the service. Subtracts a second, because its `Date` header omits
 * fractions.
 */
function daysUntil(expiresAt: string | null, now: number): number | null {
  return expiresAt === null ? null : Math.max(0, Math.ceil((Date.parse(expiresAt) - now - 1000) / DAY_MS));
}
