/**
 * The license file: its claims, its format, and the number of files per license (rules 11.1, 11.3).
 * docs/apps/license-files.md specifies the format for readers.
 */
import { hash } from 'node:crypto';
import { DAY_MS, fromTimestamp, LATEST_MS } from '../../ground/base/clock.ts';
import { endsAt, type License, slotLimit, UNLIMITED_MACHINES } from '../licenses/license.ts';
import { termsClaims } from '../licenses/terms.ts';
import { countsSessions } from '../products/license-type.ts';
import { bindingOf } from '../session-tokens/token.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface Settings {
    /** Lifetimes of license files. */
    readonly licenseFiles: LicenseFileTerms;
  }
}

/**
 * The purpose of a file.
 * - `grace`: fetched by an app, to bridge times when the service cannot be reached
 * - `offline`: made by an operator or creator for a machine without a connection
 */
export const PURPOSES = ['grace', 'offline'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** The configured lifetimes of license files. */
export interface LicenseFileTerms {
  /** Lifetime of files that apps fetch; null disables them. */
  readonly lifetimeMs: number | null;
  /** The same for floating licenses. */
  readonly floatingLifetimeMs: number | null;
  /** How long a file outlives its license, because an offline app cannot learn of a renewal. */
  readonly leewayMs: number;
}

/** The data of a file besides its license, decided when it is issued. */
export interface LicenseFileFacts {
  readonly issuer: string;
  readonly fileId: string;
  readonly purpose: Purpose;
  /** Null: any machine may use it. */
  readonly fingerprint: string | null;
  readonly hostname: string | null;
  readonly includesEmail: boolean;
  readonly period: Period;
  /** The time of the features, in milliseconds since 1970. */
  readonly now: number;
}

/** Whole seconds since 1970; `expiresAt` is null when the file never expires. */
export interface Period {
  readonly issuedAt: number;
  readonly renewAfter: number;
  readonly expiresAt: number | null;
}

type FileLicense = Pick<
  License,
  | 'licenseKey'
  | 'email'
  | 'productId'
  | 'unlockedProducts'
  | 'variant'
  | 'licenseType'
  | 'maxMachines'
  | 'maxConcurrent'
  | 'expiresAt'
  | 'updatesUntil'
  | 'terms'
  | 'variantTerms'
>;

/** Lifetime in seconds assumed for the renewal of a file that never expires: apps renew it after a quarter of this. */
const YEAR_SECONDS = (365 * DAY_MS) / 1000;

/**
 * The validity of a file: its lifetime, but at most the leeway beyond the expiry of the license and its grace.
 *
 * @param lifetimeMs null: until the license expires
 * @param now milliseconds since 1970
 */
export function periodOf(
  license: Pick<License, 'expiresAt' | 'graceDays'>,
  lifetimeMs: number | null,
  { leewayMs }: Pick<LicenseFileTerms, 'leewayMs'>,
  now: number,
): Period {
  const refusedFrom = endsAt(license);
  const ends = [
    ...(lifetimeMs === null ? [] : [now + lifetimeMs]),
    ...(refusedFrom === null ? [] : [fromTimestamp(refusedFrom) + leewayMs]),
  ];
  const issuedAt = Math.floor(now / 1000);
  const end = ends.length === 0 ? null : Math.floor(Math.min(...ends, LATEST_MS) / 1000);
  const renewAfter = issuedAt + Math.floor((end === null ? YEAR_SECONDS : end - issuedAt) / 4);
  return { issuedAt, renewAfter, expiresAt: end };
}

/** Lifetime of a file that an app fetches, in milliseconds; null when none is offered. */
export function fetchedLifetimeMs(
  { licenseType }: Pick<License, 'licenseType'>,
  { lifetimeMs, floatingLifetimeMs }: LicenseFileTerms,
): number | null {
  return countsSessions(licenseType) ? floatingLifetimeMs : lifetimeMs;
}

/**
 * Maximum number of machines with a fetched file at the same time: twice the slots, and at least two more than the
 * slots, so that customers who switch machines do not notice the limit. Null: unlimited, like the license itself.
 */
export function maxFetchedFiles(
  license: Pick<License, 'licenseType' | 'maxMachines' | 'maxConcurrent'>,
): number | null {
  const slots = slotLimit(license);
  return slots === UNLIMITED_MACHINES ? null : slots + Math.max(2, slots);
}

/** Identifies a machine in a file without revealing its fingerprint. */
export function fingerprintHash(fingerprint: string): string {
  return hash('sha256', `latchkey-fp:${fingerprint}`, 'base64url');
}

/** The claims of a file, in the order of the format. */
export function claimsOf(license: FileLicense, facts: LicenseFileFacts): Readonly<Record<string, unknown>> {
  const { issuer, fileId, purpose, fingerprint, hostname, includesEmail, period, now } = facts;
  const { licenseKey, email, productId, unlockedProducts, variant, licenseType, expiresAt } = license;
  return {
    v: 1,
    iss: issuer,
    jti: fileId,
    iat: period.issuedAt,
    renewAfter: period.renewAfter,
    exp: period.expiresAt,
    purpose,
    lic: bindingOf(licenseKey),
    keyHint: licenseKey.slice(licenseKey.lastIndexOf('-') + 1).slice(-5),
    fp: fingerprint === null ? null : fingerprintHash(fingerprint),
    productId,
    products: [...new Set([productId, ...unlockedProducts])],
    variant,
    licenseType,
    licenseExpiresAt: expiresAt === null ? null : Math.floor(fromTimestamp(expiresAt) / 1000),
    maxMachines: slotLimit(license),
    ...termsClaims(license, now),
    ...(hostname === null ? {} : { hostname }),
    ...(includesEmail ? { email } : {}),
  };
}

/** The `typ` in the JWS header of a file. */
export const LICENSE_FILE_TYPE = 'latchkey-license+jwt';

const LINE_LENGTH = 64;

/** Wraps a signed text as a file: lines of 64 characters between two marker lines. */
export function armoured(signed: string): string {
  const lines = signed.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
  return ['-----BEGIN LATCHKEY LICENSE-----', ...lines, '-----END LATCHKEY LICENSE-----', ''].join('\n');
}
