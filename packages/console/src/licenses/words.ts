/** The words for licenses and their actions: pure. */
import type {
  Activation,
  ExplainLicenseReply,
  License,
  LicenseStatus,
  LicenseType,
  Revocation,
} from '../api/contract.ts';
import { counted } from '../parts/count-words.ts';
import type { StatusWords } from '../parts/status.tsx';
import { daysUntil, dayText } from '../parts/time-words.ts';
import { wholeNumber } from '../parts/whole-number.ts';
import { waitingLength } from '../sentences/waiting.ts';

/** Days before the expiry in which a license needs attention. */
const SOON_DAYS = 30;

export const STATUS_WORDS: Readonly<Record<LicenseStatus, StatusWords>> = {
  active: { tone: 'good', title: 'Active' },
  revoked: { tone: 'danger', title: 'Revoked' },
  expired: { tone: 'quiet', title: 'Expired' },
};

const TYPES: Readonly<Record<LicenseType, string>> = {
  'per-machine': 'Per machine',
  floating: 'Floating',
  site: 'Site',
};

/** All types, for a field. */
export const licenseTypes = Object.keys(TYPES) as readonly LicenseType[];

/** The everyday name of a type. */
export function typeText(type: LicenseType): string {
  return TYPES[type];
}

/** The expiry of a license: "never expires", "expired on 3 May 2027", "expires on 3 May 2027, in 12 days". */
export function expiryText(expiresAt: string | null, now: number): string {
  if (expiresAt === null) return 'never expires';
  const day = dayText(expiresAt);
  const days = daysUntil(expiresAt, now);
  if (Date.parse(expiresAt) <= now) return `expired on ${day}`;
  if (days > SOON_DAYS) return `expires on ${day}`;
  return `expires on ${day}, ${days === 0 ? 'within a day' : days === 1 ? 'in 1 day' : `in ${days} days`}`;
}

/** The end of a license: its expiry, or the event with which its time begins. */
export function endText(license: Pick<License, 'expiresAt' | 'waiting'>, now: number): string {
  const length = waitingLength(license);
  return length === null ? expiryText(license.expiresAt, now) : `lasts ${length} from the first activation on`;
}

/** Whether a license ends within the days that need attention. */
export function endsSoon(expiresAt: string | null | undefined, now: number): boolean {
  if (expiresAt === null || expiresAt === undefined) return false;
  const days = daysUntil(expiresAt, now);
  return Date.parse(expiresAt) > now && days <= SOON_DAYS;
}

/** The slots of a license: machines, or seats of a floating one. */
export function slotNoun(type: LicenseType, count: number): string {
  const noun = type === 'floating' ? 'seat' : 'machine';
  return count === 1 ? noun : `${noun}s`;
}

/** The limit in words: "2 machines", "any number of machines", "5 seats on any number of machines". */
export function limitText(license: Pick<License, 'licenseType' | 'maxMachines' | 'maxConcurrent'>): string {
  const { licenseType, maxMachines, maxConcurrent } = license;
  const machines = maxMachines < 0 ? 'any number of machines' : counted(maxMachines, 'machine');
  if (licenseType !== 'floating' || maxConcurrent === null) return machines;
  return `${counted(maxConcurrent, 'seat')} at once`;
}

/** The number of slots: seats of a floating license, machines of any other; -1 is unlimited. */
export function slotLimit(license: Pick<License, 'licenseType' | 'maxMachines' | 'maxConcurrent'>): number {
  const { licenseType, maxMachines, maxConcurrent } = license;
  // A license that was floating before keeps its number of seats.
  return licenseType === 'floating' ? (maxConcurrent ?? maxMachines) : maxMachines;
}

/** The machines of a license: one page of them, and the number of all. */
export interface KnownMachines {
  readonly activations: readonly Pick<Activation, 'sessionActive'>[];
  readonly activationCount: number;
}

/** The number of used slots, and whether more may be used: seats of machines on other pages. */
export function slotsUsed(
  { licenseType }: Pick<License, 'licenseType'>,
  { activations, activationCount }: KnownMachines,
): { readonly count: number; readonly isLeast: boolean } {
  if (licenseType !== 'floating') return { count: activationCount, isLeast: false };
  const live = activations.filter(({ sessionActive }) => sessionActive);
  return { count: live.length, isLeast: activations.length < activationCount };
}

/** The largest limit of machines or seats. */
export const LARGEST_LIMIT = 1_000_000_000;

/** A limit as typed: a whole number of at least 1; null for any other text. */
export function limitIn(text: string): number | null {
  const number = wholeNumber(text) ?? null;
  return number !== null && number <= LARGEST_LIMIT ? number : null;
}

/** Splits a pasted list of addresses: one per line, or separated by commas, semicolons or blanks. */
export function addressesIn(text: string): readonly string[] {
  const found = text
    .split(/[\s,;]+/)
    .map((part) => part.replace(/^<|>$/g, ''))
    .filter((part) => part !== '');
  return [...new Set(found)];
}

/** The revocation that an explanation names; null without one. */
export function revocationIn({ checks }: Pick<ExplainLicenseReply, 'checks'>): Revocation | null {
  return checks.find(({ because }) => because?.revocation !== undefined)?.because?.revocation ?? null;
}
