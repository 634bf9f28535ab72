/**
 * The licenses and machines of the bench's database. Each is computed from its number, so that filling
 * the database and preparing requests agree without keeping millions of them in memory.
 */
import { hash } from 'node:crypto';
import { DAY_MS, toTimestamp } from '@latchkey/server/ground/base/clock.ts';
import { UNAMBIGUOUS_ALPHABET } from '@latchkey/server/ground/base/random.ts';
import { type License, UNLIMITED_MACHINES, UNSET, UNUSED } from '@latchkey/server/licensing/licenses/license.ts';
import type { Activation } from '@latchkey/server/licensing/machines/activation.ts';

const PER_MACHINE = { licenseType: 'per-machine', maxMachines: 2, machinesUsed: 1 } as const;
const FLOATING = {
  licenseType: 'floating',
  maxMachines: 2,
  maxConcurrent: 10,
  machinesUsed: 2,
  sessionsHeld: 2,
} as const;
const SITE = { licenseType: 'site', maxMachines: UNLIMITED_MACHINES } as const;
/** The licenses of a group of consecutive ones. */
const KINDS = [PER_MACHINE, PER_MACHINE, FLOATING, SITE, SITE];
export const LICENSES_PER_GROUP = KINDS.length;
/** Lifetime of a floating session: longer than a run of the bench, so that each heartbeat finds its session alive. */
export const SESSION_LIFETIME_MS = DAY_MS;
/** Lifetime of the tokens of its machines. */
export const TOKEN_LIFETIME_MS = 30 * DAY_MS;

/** Number of products that have licenses. */
export const LICENSED_PRODUCTS = 50;
/**
 * The oldest licenses are revoked, the next oldest are expired. Both are rare, and lists begin with the newest, so a
 * list without an index would have to scan all others to find them.
 */
const REVOKED_SHARE = 0.01;
const EXPIRED_SHARE = 0.05;
const EXPIRED_AFTER_MS = 30 * DAY_MS;
/** One group in this many belongs to the reseller. */
const GROUPS_PER_RESOLD = 10;
/** The customer who has a tenth of all licenses, old and new. */
export const RESELLER_EMAIL = 'reseller@example.com';
const KEY_GROUP_LENGTH = 5;
/** The characters of license keys in the order in which databases sort them. */
const KEY_CHARACTERS = [...UNAMBIGUOUS_ALPHABET].sort().join('');
const KEY_GROUPS = KEY_CHARACTERS.length ** KEY_GROUP_LENGTH;

/**
 * A creation time in milliseconds, spread evenly over the two years before the database was filled.
 *
 * @param position from 0 for the oldest to 1, exclusive
 */
export function agedMoment(position: number, filledAt: number): number {
  return filledAt - Math.ceil((1 - position) * 730 * DAY_MS);
}

/** The name of a machine by its number, unique across licenses. */
export function hostnameOf(licenseKey: string, number: number): string {
  return `${licenseKey.toLowerCase()}-${number}`;
}

/** Computes licenses and their machines from their numbers. */
export class Catalogue {
  readonly size: number;
  /** Time of filling the database, in milliseconds since 1970. */
  readonly filledAt: number;
  readonly #moments: Readonly<Record<'filledAt' | 'tokenExpiry' | 'sessionDeadline' | 'licenseExpiry', string>>;

  /** @param filledAt milliseconds since 1970 */
  constructor(size: number, filledAt: number) {
    this.size = size;
    this.filledAt = filledAt;
    this.#moments = {
      filledAt: toTimestamp(filledAt),
      tokenExpiry: toTimestamp(filledAt + TOKEN_LIFETIME_MS),
      sessionDeadline: toTimestamp(filledAt + SESSION_LIFETIME_MS),
      licenseExpiry: toTimestamp(filledAt + 365 * DAY_MS),
    };
  }

  /** The lowest number of an active license. */
  get firstActive(): number {
    return Math.floor(this.size * REVOKED_SHARE) + Math.floor(this.size * EXPIRED_SHARE);
  }

  /** The license with a number from 0 to the size, exclusive. Half of the active ones are perpetual. */
  license(number: number): License {
    const group = Math.floor(number / LICENSES_PER_GROUP);
    const isRevoked = number < Math.floor(this.size * REVOKED_SHARE);
    const hasExpired = !isRevoked && number < this.firstActive;
    const createdAtMs = agedMoment(number / this.size, this.filledAt);
    const createdAt = toTimestamp(createdAtMs);
    return {
      ...UNSET,
      ...UNUSED,
      ...KINDS[number % LICENSES_PER_GROUP]!,
      licenseKey: this.#licenseKey(number),
      email: group % GROUPS_PER_RESOLD === 0 ? RESELLER_EMAIL : `customer-${number}@example.com`,
      productId: `product-${group % LICENSED_PRODUCTS}`,
      variant: 'indie',
      revocation: isRevoked ? 'plain' : null,
      createdAt,
      purchasedAt: createdAt,
      expiresAt: hasExpired
        ? toTimestamp(createdAtMs + EXPIRED_AFTER_MS)
        : group % 2 === 0
          ? null
          : this.#moments.licenseExpiry,
      purchaseId: `purchase-${number}`,
    };
  }

  /** The activated machines of a license; those of a floating license have a live session. */
  machines(license: License): Activation[] {
    return Array.from({ length: license.machinesUsed }, (_, number) => this.machine(license, number));
  }

  /** A machine of a license by its number, from 0. */
  machine({ licenseKey, licenseType }: License, number: number): Activation {
    return {
      licenseKey,
      fingerprint: hash('sha256', `machine ${number} of ${licenseKey}`).slice(0, 32),
      activationId: hash('sha256', `activation ${number} of ${licenseKey}`, 'base64url').slice(0, 16),
      hostname: hostnameOf(licenseKey, number),
      firstSeen: this.#moments.filledAt,
      lastSeen: this.#moments.filledAt,
      tokenExpiry: this.#moments.tokenExpiry,
      sessionStarted: licenseType === 'floating' ? this.#moments.filledAt : null,
      sessionDeadline: licenseType === 'floating' ? this.#moments.sessionDeadline : null,
      sessionDue: licenseType === 'floating' ? this.#moments.sessionDeadline : null,
      fileUntil: null,
      countries: [],
      lastCountry: null,
      user: null,
      userFolded: null,
    };
  }

  /**
   * Keys rise with the numbers, because filling a large index in random order takes many times as long. They are still
   * read in random order.
   */
  #licenseKey(number: number): string {
    const bytes = hash('sha256', `license ${number}`, 'buffer');
    let rising = Math.floor((number / this.size) * KEY_GROUPS);
    let key = '';
    for (let at = KEY_GROUP_LENGTH - 1; at >= 0; at -= 1) {
      key = KEY_CHARACTERS[rising % KEY_CHARACTERS.length] + key;
      rising = Math.floor(rising / KEY_CHARACTERS.length);
    }
    for (let at = KEY_GROUP_LENGTH; at < 5 * KEY_GROUP_LENGTH; at += 1) {
      if (at % KEY_GROUP_LENGTH === 0) key += '-';
      key += KEY_CHARACTERS[bytes[at]! % KEY_CHARACTERS.length];
    }
    return key;
  }
}
