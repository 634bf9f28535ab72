/** The words for products and variants. */
import type { LicenseType, ProductStatus, Variant } from '../api/contract.ts';
import { counted, countText } from '../parts/count-words.ts';
import { moneyText } from '../parts/figures.ts';
import { daysText } from '../parts/span-words.ts';
import type { StatusWords } from '../parts/status.tsx';
import { termTexts } from './variant-terms.ts';

/** The tone and word of each product status. */
export const PRODUCT_STATUS_WORDS: Readonly<Record<ProductStatus, StatusWords>> = {
  live: { tone: 'good', title: 'On sale' },
  unlisted: { tone: 'quiet', title: 'Not listed' },
  archived: { tone: 'quiet', title: 'Archived' },
};

/** The name of each license type. */
export const LICENSE_TYPE_WORDS: Readonly<Record<LicenseType, string>> = {
  'per-machine': 'Per machine',
  floating: 'Floating',
  site: 'Site',
};

/** The slots of each license type, shown beside the choice. */
export const LICENSE_TYPE_HINTS: Readonly<Record<LicenseType, string>> = {
  'per-machine': 'Each computer that is activated takes one place.',
  floating: 'Any number of computers; only those that run the program at the same time take a place.',
  site: 'For a whole organisation, counted like computers.',
};

/** The limit of a variant, as "2 machines" or "5 at the same time". */
export function limitText(variant: Pick<Variant, 'licenseType' | 'maxMachines' | 'maxConcurrent'>): string {
  if (variant.licenseType === 'floating') {
    const limit = variant.maxConcurrent ?? variant.maxMachines;
    return limit < 0 ? 'No limit' : `${countText(limit)} at the same time`;
  }
  return variant.maxMachines < 0 ? 'No limit' : counted(variant.maxMachines, 'machine');
}

/** The duration of licenses without an end. */
export const FOR_EVER = 'For ever';

/** The duration of a license of a variant: `30 days`, `12 months`, or for ever. */
export function durationText({
  durationDays,
  durationMonths,
}: Pick<Variant, 'durationDays' | 'durationMonths'>): string {
  return durationMonths ? counted(durationMonths, 'month') : daysText(durationDays, FOR_EVER);
}

/** A price in the smallest unit of a currency, which the catalogue does not name: "49.00". */
export function priceText(price: number | null): string {
  return price === null ? 'Not stated' : price === 0 ? 'Free' : moneyText(price, null);
}

/** One changed value. */
export interface Difference {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

/** The values that change when a new variant replaces one of the same name; empty if both are the same. */
export function differences(before: Variant, after: Variant): readonly Difference[] {
  const shown: readonly (readonly [what: string, text: (variant: Variant) => string])[] = [
    ['Type', ({ licenseType }) => LICENSE_TYPE_WORDS[licenseType]],
    ['Limit', limitText],
    ['Lasts', durationText],
    ['Trial', ({ defaultTrialDays }) => daysText(defaultTrialDays, 'None')],
    ['Price', ({ price }) => priceText(price)],
    ['Offered', ({ active }) => (active ? 'Yes' : 'No')],
  ];
  const terms = (variant: Variant) => new Map(termTexts(variant));
  const named = new Set([...terms(before).keys(), ...terms(after).keys()]);
  const ofTerms = [...named].map((what) => [what, (variant: Variant) => terms(variant).get(what) ?? 'None'] as const);
  return [...shown, ...ofTerms]
    .map(([what, text]) => ({ what, before: text(before), after: text(after) }))
    .filter((each) => each.before !== each.after);
}
