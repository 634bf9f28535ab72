/** Builds the request of the refusal list from the address: pure. */
import type { ListRefusalsRequest } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { spanOf } from '../parts/day-range.ts';
import { REFUSAL_REASONS } from '../sentences/refusals.ts';

/** The names of the filters in the address. */
export const REFUSAL_FILTERS = ['code', 'product', 'license', 'machine', 'days'] as const;
/** The filter values; '' if not set. */
export type RefusalFilters = Readonly<Record<(typeof REFUSAL_FILTERS)[number], string>>;

/** Page size. */
const PAGE = 50;

/**
 * The request for a page.
 *
 * @param cursor '' for the first page
 */
export function refusalsRequest(filters: RefusalFilters, cursor: string): ListRefusalsRequest {
  const { code, product, license, machine } = filters;
  return {
    limit: PAGE,
    ...given({ code, productId: product, licenseKey: license, machineFingerprint: machine, cursor }),
    ...given(spanOf(filters.days)),
  };
}

/** The choices of the reason filter. Codes in the address that match no known reason become a choice of their own. */
export function reasonChoices(code: string): readonly { readonly value: string; readonly title: string }[] {
  const reasons = REFUSAL_REASONS.map(({ title, codes }) => ({ value: codes.join(','), title }));
  const isKnown = code === '' || reasons.some(({ value }) => value === code);
  return [
    { value: '', title: 'Any reason' },
    ...reasons,
    ...(isKnown ? [] : [{ value: code, title: code.replaceAll(/[_,]/g, (sign) => (sign === ',' ? ', ' : ' ')) }]),
  ];
}
