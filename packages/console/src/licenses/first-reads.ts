/** The first requests of the list and of the page of a license, which are sent before their files are loaded. Pure. */
import type { LicenseStatus, RequestOf } from '../api/contract.ts';
import { given } from '../api/given.ts';
import type { Address } from '../api/reads.ts';
import { isCountry } from '../parts/country-words.ts';
import { createdSpan } from '../parts/day-range.ts';

/** The filters of the list: their names in the address. */
export const FILTERS = [
  ...(['email', 'product', 'variant', 'purchase', 'status', 'view', 'country'] as const),
  // A range of parts/day-range.ts.
  'created',
  // '' is newest first.
  'sort',
] as const;

export type FilterValues = Readonly<Record<(typeof FILTERS)[number], string>>;

/** Page size of the list, and of the machines of a license. */
export const PAGE = 50;

/** The request of the list at an address. */
export function listRequest({ cursor = '', ...values }: Address): RequestOf<'/listLicenses'> {
  return { ...filtersRequest(values), detail: true, limit: PAGE, ...given({ cursor }) };
}

/** The request of the page of a license, with its first machines. */
export function licenseRequest(licenseKey: string): RequestOf<'/getLicense'> {
  return { licenseKey, activationLimit: PAGE };
}

/** The request of "Why?". @param machine a fingerprint; '' for the machine that was refused last */
export function whyRequest(licenseKey: string, machine: string): RequestOf<'/explainLicense'> {
  return { licenseKey, ...given({ machineFingerprint: machine }) };
}

const STATUSES: readonly string[] = ['active', 'revoked', 'expired'] satisfies LicenseStatus[];

/** The value of the filter `view` for the list that somebody pasted. */
export const PASTED = 'pasted';

/** Whether a text is a whole e-mail address, instead of the beginning of one. */
export function isWholeAddress(text: string): boolean {
  return /^[^@\s]+@[^@\s]+\.[^@\s.]+$/.test(text);
}

/**
 * The part of the list's request for the filters. Unknown values in the address are ignored.
 *
 * @param now milliseconds since 1970
 */
export function filtersRequest(values: Partial<FilterValues>, now = Date.now()): RequestOf<'/listLicenses'> {
  const { email = '', product = '', variant = '', purchase = '', status = '', view = '', country = '' } = values;
  const byProduct = given({ productId: product });
  const [, kind, number] = /^(expiring|threat)-(\d{1,4})$/.exec(view) ?? [];
  if (kind === 'expiring') return { ...byProduct, view: 'expiring', withinDays: Number(number) };
  if (kind === 'threat') return { ...byProduct, view: 'threat', minimum: Number(number) };
  const range = given(createdSpan(values.created ?? '', now));
  if (isCountry(country)) return { ...byProduct, country, ...range };
  if (email !== '' && !isWholeAddress(email)) return { ...byProduct, beginning: email };
  const byStatus = STATUSES.includes(status) ? { status: status as LicenseStatus } : {};
  if (values.sort === 'expiry') return { ...byProduct, ...byStatus, sort: 'expiry' };
  return {
    ...byProduct,
    ...given({ email, variant, purchaseId: purchase }),
    ...byStatus,
    ...range,
    ...(values.sort === 'oldest' ? { sort: 'oldest' } : {}),
  };
}

/** The filters of the list of customers: their names in the address. */
export const CUSTOMER_FILTERS = ['address', 'product'] as const;

/** The request of the list of customers at an address. */
export function customersRequest({ address = '', product = '', cursor = '' }: Address): RequestOf<'/listCustomers'> {
  return { ...given({ beginning: address, productId: product, cursor }), limit: PAGE };
}
