/** The values of e-mails to buyers (rules 13.1). */
import { DAY_MS, fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { endsAt, type License, shownLicenseKey } from '../../licensing/licenses/license.ts';
import { findProduct } from '../../licensing/products/store.ts';
import type { MailLanguage } from '../../platform/endpoint/mail-kind.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { findBrand, type ShownBrand } from '../brand/store.ts';
import { labelOfKey, oneLine, shownVariant } from '../mail/layout.ts';
import { wordsOf } from './built-in-texts.ts';
import type { SaleMailKind, TemplateValues } from './template.ts';

/** Keys in one e-mail. */
const MAX_KEYS = 50;
/** Names in a list within a sentence; a longer list ends with three dots. */
const MAX_NAMES = 5;
const EVERYBODY = { creatorId: null };

/** The facts of a license that an e-mail tells. */
export type ToldLicense = Pick<
  License,
  'licenseKey' | 'issuedKey' | 'productId' | 'variant' | 'expiresAt' | 'graceDays'
>;

/** The values for the licenses of a sale, one at least. */
export async function valuesOf(
  sql: Sql,
  licenses: readonly ToldLicense[],
  { kind, language, brand }: { kind: SaleMailKind; language: MailLanguage; brand: ShownBrand | null },
): Promise<TemplateValues> {
  const words = wordsOf(language);
  const names = new Map<string, string>();
  for (const productId of new Set(licenses.map((license) => license.productId)))
    names.set(productId, oneLine((await findProduct(sql, productId, EVERYBODY))?.name ?? productId));
  // The license works to the end of its grace, which bridges a failed payment; other e-mails tell what was paid for.
  const endOf = (license: ToldLicense) => (kind === 'payment_failed' ? endsAt(license) : license.expiresAt);
  const ends = licenses.map((license) => {
    const end = endOf(license);
    return end === null ? words.endless : dateIn(language, end);
  });
  return {
    product: listed(licenses.map(({ productId }) => names.get(productId)!)),
    variant: listed(licenses.map(({ variant }) => shownVariant(variant))),
    expires: listed(ends),
    shop: brand?.name ?? '',
    support: brand?.supportAddress ?? brand?.supportUrl ?? '',
    keys: licenses.slice(0, MAX_KEYS).map((license) => ({
      label: labelOfKey(names.get(license.productId)!, license.variant),
      value: oneLine(shownLicenseKey(license)),
    })),
    more: licenses.length > MAX_KEYS ? words.more : null,
  };
}

/** Values that show a text without a sale. @param now milliseconds since 1970 */
export async function sampleValues(
  sql: Sql,
  { kind, language, creatorId, productId }: SampleOf,
  now: number,
): Promise<TemplateValues> {
  const sample = {
    ...{ issuedKey: null, productId: productId === '' ? SAMPLE.product : productId, variant: SAMPLE.variant },
    ...{ expiresAt: toTimestamp(now + SAMPLE.days * DAY_MS), graceDays: 0 },
  };
  const licenses = SAMPLE.keys.slice(0, kind === 'keys_added' ? 2 : 1).map((licenseKey) => ({ ...sample, licenseKey }));
  return valuesOf(sql, licenses, { kind, language, brand: await findBrand(sql, creatorId) });
}

/** The text that a sample is for. */
export interface SampleOf {
  readonly kind: SaleMailKind;
  readonly language: MailLanguage;
  readonly creatorId: string | null;
  /** Empty: for all products of the creator. */
  readonly productId: string;
}

const SAMPLE = {
  product: 'Example product',
  variant: 'pro',
  keys: ['EXAMP-LEKEY-00000-00000-00001', 'EXAMP-LEKEY-00000-00000-00002'],
  days: 365,
} as const;

function dateIn(language: MailLanguage, timestamp: string): string {
  const form = { dateStyle: 'long', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, form).format(fromTimestamp(timestamp));
}

/** Different texts in their order, as a list within a sentence. */
function listed(texts: readonly string[]): string {
  const different = [...new Set(texts.filter((text) => text !== ''))];
  const shown = different.slice(0, MAX_NAMES).join(', ');
  return different.length > MAX_NAMES ? `${shown}, ...` : shown;
}
