/**
 * The license file: what it says, how it is written, and how many a license may have out (rules 11.1, 11.3).
 * docs/license-files.md is the specification for whoever reads one.
 */
import { hash } from 'node:crypto';
import { DAY_MS, fromTimestamp, LATEST_MS } from '../clock.ts';
import { countsSessions, type License, slotLimit, UNLIMITED_MACHINES } from '../licenses/license.ts';
import { bindingOf } from '../licenses/token.ts';

/**
 * What a file is for.
 * - `grace`: fetched by an app, to go on while the service cannot be reached
 * - `offline`: made by an operator or creator for a machine without a connection
 */
export const PURPOSES = ['grace', 'offline'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** How long license files last, as the operator chose. */
export interface LicenseFileTerms {
  /** Of files that apps fetch; null: none are given. */
  readonly lifetimeMs: number | null;
  /** The same for floating licenses. */
  readonly floatingLifetimeMs: number | null;
  /** How long a file lasts beyond the expiry of its license, for renewals that cannot be heard of. */
  readonly leewayMs: number;
}

/** What a file is made of: what its license says, and what is decided when it is issued. */
export interface LicenseFileFacts {
  readonly issuer: string;
  readonly fileId: string;
  readonly purpose: Purpose;
  /** Null: any machine may use it. */
  readonly fingerprint: string | null;
  readonly hostname: string | null;
  readonly includesEmail: boolean;
  readonly period: Period;
}

/** Whole seconds since 1970; `expiresAt` null: never. */
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
>;

/** How long a file that never expires is used before an app that can ask asks for another one, in seconds. */
const YEAR_SECONDS = (365 * DAY_MS) / 1000;

/**
 * From when until when a file is good: for its lifetime, and not longer after the expiry of the license than the leeway.
 *
 * @param lifetimeMs null: as long as the license lasts
 * @param now milliseconds since 1970
 */
export function periodOf(
  { expiresAt }: Pick<License, 'expiresAt'>,
  lifetimeMs: number | null,
  { leewayMs }: Pick<LicenseFileTerms, 'leewayMs'>,
  now: number,
): Period {
  const ends = [
    ...(lifetimeMs === null ? [] : [now + lifetimeMs]),
    ...(expiresAt === null ? [] : [fromTimestamp(expiresAt) + leewayMs]),
  ];
  const issuedAt = Math.floor(now / 1000);
  const end = ends.length === 0 ? null : Math.floor(Math.min(...ends, LATEST_MS) / 1000);
  const renewAfter = issuedAt + Math.floor((end === null ? YEAR_SECONDS : end - issuedAt) / 4);
  return { issuedAt, renewAfter, expiresAt: end };
}

/** How long a file lasts that an app fetches, in milliseconds; null where none is offered. */
export function fetchedLifetimeMs(
  { licenseType }: Pick<License, 'licenseType'>,
  { lifetimeMs, floatingLifetimeMs }: LicenseFileTerms,
): number | null {
  return countsSessions(licenseType) ? floatingLifetimeMs : lifetimeMs;
}

/**
 * How many machines may have a fetched file at once: twice the slots, and two more than them at least, so that nobody who
 * moves from machine to machine notices. Null: any number, as the license itself has no limit.
 */
export function mostFetchedFiles(
  license: Pick<License, 'licenseType' | 'maxMachines' | 'maxConcurrent'>,
): number | null {
  const slots = slotLimit(license);
  return slots === UNLIMITED_MACHINES ? null : slots + Math.max(2, slots);
}

/** What a machine is called in a file: its fingerprint cannot be read from it. */
export function fingerprintHash(fingerprint: string): string {
  return hash('sha256', `latchkey-fp:${fingerprint}`, 'base64url');
}

/** The claims of a file, in the order in which they are written. */
export function claimsOf(license: FileLicense, facts: LicenseFileFacts): Readonly<Record<string, unknown>> {
  const { issuer, fileId, purpose, fingerprint, hostname, includesEmail, period } = facts;
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
    ...(hostname === null ? {} : { hostname }),
    ...(includesEmail ? { email } : {}),
  };
}

/** The header of a file, as JWS has it. */
export const LICENSE_FILE_TYPE = 'latchkey-license+jwt';

const LINE_LENGTH = 64;

/** A signed text as a file: between two lines that say what it is, in lines of 64 characters. */
export function armoured(signed: string): string {
  const lines = signed.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
  return ['-----BEGIN LATCHKEY LICENSE-----', ...lines, '-----END LATCHKEY LICENSE-----', ''].join('\n');
}
