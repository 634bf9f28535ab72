/** What products and variants are called on the screen. */

import type { LicenseType, ProductStatus, Variant } from '../api/contract.ts';
import { counted } from '../parts/count-words.ts';
import type { Tone } from '../parts/status.tsx';

/** Statuses of a product, as they are shown. */
export const PRODUCT_STATUS_WORDS: Readonly<Record<ProductStatus, { readonly tone: Tone; readonly title: string }>> = {
  live: { tone: 'good', title: 'On sale' },
  unlisted: { tone: 'quiet', title: 'Not listed' },
  archived: { tone: 'quiet', title: 'Archived' },
};

/** Types of licenses, as they are shown. */
export const LICENSE_TYPE_WORDS: Readonly<Record<LicenseType, string>> = {
  'per-machine': 'Per machine',
  floating: 'Floating',
  site: 'Site',
};

/** What each type of license counts, for whoever chooses one. */
export const LICENSE_TYPE_HINTS: Readonly<Record<LicenseType, string>> = {
  'per-machine': 'Each computer that is activated takes one place.',
  floating: 'Any number of computers; only those that run the program at the same time take a place.',
  site: 'For a whole organisation, counted like computers.',
};

/** What a variant allows at once, as "2 machines" or "5 at the same time". */
export function limitText(variant: Pick<Variant, 'licenseType' | 'maxMachines' | 'maxConcurrent'>): string {
  if (variant.licenseType === 'floating') {
    const limit = variant.maxConcurrent ?? variant.maxMachines;
    return limit < 0 ? 'No limit' : `${limit.toLocaleString()} at the same time`;
  }
  return variant.maxMachines < 0 ? 'No limit' : counted(variant.maxMachines, 'machine');
}

/** How long its licenses last, as "365 days" or "For ever". */
export function durationText(days: number | null): string {
  return days === null ? 'For ever' : counted(days, 'day');
}

/** The trial that the storefront may offer. */
export function trialText(days: number | null): string {
  return days === null ? 'None' : counted(days, 'day');
}

/** A price in the smallest unit of a currency that the catalogue does not name. */
export function priceText(price: number | null): string {
  return price === null ? 'Not stated' : price === 0 ? 'Free' : price.toLocaleString();
}

/** One thing that is not as it was. */
export interface Difference {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

/** What of a variant will be another when a new one takes its name; nothing where both are the same. */
export function differences(before: Variant, after: Variant): readonly Difference[] {
  const shown: readonly (readonly [what: string, text: (variant: Variant) => string])[] = [
    ['Type', ({ licenseType }) => LICENSE_TYPE_WORDS[licenseType]],
    ['Limit', limitText],
    ['Lasts', ({ durationDays }) => durationText(durationDays)],
    ['Trial', ({ defaultTrialDays }) => trialText(defaultTrialDays)],
    ['Price', ({ price }) => priceText(price)],
    ['Offered', ({ active }) => (active ? 'Yes' : 'No')],
  ];
  return shown
    .map(([what, text]) => ({ what, before: text(before), after: text(after) }))
    .filter((each) => each.before !== each.after);
}
