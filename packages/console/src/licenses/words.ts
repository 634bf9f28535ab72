/** What licenses, and what can be done about them, are called: pure. */

import type { License, LicenseStatus, LicenseType } from '../api/contract.ts';
import { counted } from '../parts/count-words.ts';
import type { Tone } from '../parts/status.tsx';
import { daysUntil, dayText } from '../parts/time-words.ts';

/** Days before its end in which a license is shown as one to look at. */
const SOON_DAYS = 30;

const STATUSES: Readonly<Record<LicenseStatus, readonly [Tone, string]>> = {
  active: ['good', 'Active'],
  revoked: ['danger', 'Revoked'],
  expired: ['quiet', 'Expired'],
};

/** A status as tone and word. */
export function statusWords(status: LicenseStatus): { readonly tone: Tone; readonly word: string } {
  const [tone, word] = STATUSES[status];
  return { tone, word };
}

const TYPES: Readonly<Record<LicenseType, string>> = {
  'per-machine': 'Per machine',
  floating: 'Floating',
  site: 'Site',
};

/** All types, for a field. */
export const licenseTypes = Object.keys(TYPES) as readonly LicenseType[];

/** A type as people call it. */
export function typeText(type: LicenseType): string {
  return TYPES[type];
}

/** When a license ends: "never expires", "expired on 3 May 2027", "expires on 3 May 2027, in 12 days". */
export function expiryText(expiresAt: string | null, now: number, locale?: string): string {
  if (expiresAt === null) return 'never expires';
  const day = dayText(expiresAt, locale);
  const days = daysUntil(expiresAt, now);
  if (Date.parse(expiresAt) <= now) return `expired on ${day}`;
  if (days > SOON_DAYS) return `expires on ${day}`;
  return `expires on ${day}, ${days === 0 ? 'within a day' : days === 1 ? 'in 1 day' : `in ${days} days`}`;
}

/** Whether a license ends soon enough to look at it. */
export function endsSoon(expiresAt: string | null | undefined, now: number): boolean {
  if (expiresAt === null || expiresAt === undefined) return false;
  const days = daysUntil(expiresAt, now);
  return Date.parse(expiresAt) > now && days <= SOON_DAYS;
}

/** What a license counts: machines, or sessions of a floating one. */
export function slotNoun(type: LicenseType, count: number): string {
  const noun = type === 'floating' ? 'seat' : 'machine';
  return count === 1 ? noun : `${noun}s`;
}

/** Its limit in words: "2 machines", "any number of machines", "5 seats on any number of machines". */
export function limitText(license: Pick<License, 'licenseType' | 'maxMachines' | 'maxConcurrent'>): string {
  const { licenseType, maxMachines, maxConcurrent } = license;
  const machines = maxMachines < 0 ? 'any number of machines' : counted(maxMachines, 'machine');
  if (licenseType !== 'floating' || maxConcurrent === null) return machines;
  return `${counted(maxConcurrent, 'seat')} at once`;
}

/** Lists of addresses as people paste them: one a line, or with commas, semicolons or blanks between. */
export function addressesIn(text: string): readonly string[] {
  const found = text
    .split(/[\s,;]+/)
    .map((part) => part.replace(/^<|>$/g, ''))
    .filter((part) => part !== '');
  return [...new Set(found)];
}
