/**
 * The licenses and machines of the bench's database. Each follows from its number alone, so that those who fill the
 * database and those who prepare requests agree without keeping millions of them in memory.
 */
import { hash } from 'node:crypto';
import { DAY_MS, toTimestamp } from '@latchkey/server/clock.ts';
import type { Activation } from '@latchkey/server/licenses/activation.ts';
import { type License, UNLIMITED_MACHINES } from '@latchkey/server/licenses/license.ts';
import { UNAMBIGUOUS_ALPHABET } from '@latchkey/server/random.ts';

/** Of each five licenses in a row, two are per-machine, one is floating, and two are site licenses. */
export const LICENSES_PER_GROUP = 5;
/** How long a floating session lives: longer than the bench runs, so that each heartbeat finds its session alive. */
export const SESSION_LIFETIME_MS = DAY_MS;

const PRODUCTS = 50;
const KEY_GROUP_LENGTH = 5;
/** The characters of license keys in the order in which databases sort them. */
const KEY_CHARACTERS = [...UNAMBIGUOUS_ALPHABET].sort().join('');
const KEY_GROUPS = KEY_CHARACTERS.length ** KEY_GROUP_LENGTH;

/** Makes licenses and their machines. */
export class Catalogue {
  readonly size: number;
  /** When the database was filled, milliseconds since 1970. */
  readonly filledAt: number;
  readonly #moments: Readonly<Record<'filledAt' | 'tokenExpiry' | 'sessionDeadline' | 'licenseExpiry', string>>;

  constructor(size: number, filledAt: number, tokenLifetimeMs: number) {
    this.size = size;
    this.filledAt = filledAt;
    this.#moments = {
      filledAt: toTimestamp(filledAt),
      tokenExpiry: toTimestamp(filledAt + tokenLifetimeMs),
      sessionDeadline: toTimestamp(filledAt + SESSION_LIFETIME_MS),
      licenseExpiry: toTimestamp(filledAt + 365 * DAY_MS),
    };
  }

  /** The license with a number from 0 up to, not including, the size. All are active; half of them are perpetual. */
  license(number: number): License {
    const place = number % LICENSES_PER_GROUP;
    const kind =
      place < 2
        ? ({
            licenseType: 'per-machine',
            maxMachines: 2,
            maxConcurrent: null,
            machinesUsed: 1,
            sessionsHeld: 0,
          } as const)
        : place === 2
          ? ({ licenseType: 'floating', maxMachines: 2, maxConcurrent: 10, machinesUsed: 2, sessionsHeld: 2 } as const)
          : ({
              licenseType: 'site',
              maxMachines: UNLIMITED_MACHINES,
              maxConcurrent: null,
              machinesUsed: 0,
              sessionsHeld: 0,
            } as const);
    // The older the lower the number, over two years.
    const createdAt = toTimestamp(this.filledAt - Math.ceil((1 - number / this.size) * 730 * DAY_MS));
    return {
      ...kind,
      licenseKey: this.#licenseKey(number),
      email: `customer-${number}@example.com`,
      productId: `product-${Math.floor(number / LICENSES_PER_GROUP) % PRODUCTS}`,
      variant: 'indie',
      revocation: null,
      createdAt,
      purchasedAt: createdAt,
      expiresAt: Math.floor(number / LICENSES_PER_GROUP) % 2 === 0 ? null : this.#moments.licenseExpiry,
      discountCode: null,
      purchaseId: `purchase-${number}`,
      bundleId: null,
      unlockedProducts: [],
      threatLevel: 0,
      disputeReason: null,
      attempts: [],
      countriesSeen: {},
    };
  }

  /** The machines on which a license is activated; those of a floating license have a live session. */
  machines(number: number, { licenseKey, licenseType, machinesUsed }: License): Activation[] {
    return Array.from({ length: machinesUsed }, (_, machine) => ({
      licenseKey,
      fingerprint: hash('sha256', `machine ${machine} of license ${number}`).slice(0, 32),
      activationId: hash('sha256', `activation ${machine} of license ${number}`, 'base64url').slice(0, 16),
      hostname: `workstation-${machine}`,
      firstSeen: this.#moments.filledAt,
      lastSeen: this.#moments.filledAt,
      tokenExpiry: this.#moments.tokenExpiry,
      sessionStarted: licenseType === 'floating' ? this.#moments.filledAt : null,
      sessionDeadline: licenseType === 'floating' ? this.#moments.sessionDeadline : null,
      countries: [],
      lastCountry: null,
    }));
  }

  /**
   * Keys rise with the numbers, or a large index would be filled in random order, which takes many times as long. They
   * are read in random order all the same.
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
