/** The filters of the license list: the choices, and which of them exclude others. Pure. */
import { countryName } from '../parts/country-words.ts';
import type { FilterValues } from './first-reads.ts';

/** Views that the service keeps in order. With a view it takes no filter but the product. */
export const VIEWS: readonly { readonly value: string; readonly title: string }[] = [
  { value: '', title: 'All licenses' },
  { value: 'expiring-7', title: 'Expiring within 7 days' },
  { value: 'expiring-30', title: 'Expiring within 30 days' },
  { value: 'expiring-90', title: 'Expiring within 90 days' },
  { value: 'threat-1', title: 'With open violations' },
  { value: 'threat-3', title: 'With grave violations' },
];

/** The filters that a view, or a country, excludes. */
const SINGLE = { email: '', variant: '', purchase: '', status: '', view: '', country: '' } as const;

/**
 * A change of the filters. A view or a country removes all other filters but the product, because the service has no
 * index of both, and those filters remove the view and the country.
 */
export function changeOf(change: Partial<FilterValues>): Partial<FilterValues> {
  const isSet = ([name, value]: readonly [string, string | undefined]) => name !== 'product' && value !== '';
  const [set] = Object.entries(change).filter(isSet);
  if (set === undefined) return change;
  const [name] = set;
  return name === 'view' || name === 'country' ? { ...SINGLE, ...change } : { ...change, view: '', country: '' };
}

/** A suggested name for a new view, from its filters. No key is ever a filter. */
export function suggestedName(values: FilterValues): string {
  const view = VIEWS.find(({ value }) => value === values.view && value !== '')?.title;
  const country = values.country === '' ? undefined : countryName(values.country);
  const parts = [view, country, values.status, values.product, values.variant, values.email, values.purchase];
  const named = parts.filter((part) => part !== undefined && part !== '').join(', ');
  return named === '' ? 'All licenses' : named.charAt(0).toUpperCase() + named.slice(1);
}
