/** The filters of the license list: the choices, and which of them exclude others. Pure. */
import { countryName } from '../parts/country-words.ts';
import { rangeChoices } from '../parts/day-range.ts';
import { type FilterValues, isWholeAddress } from './first-reads.ts';

/** Views that the service keeps in order. With a view it takes no filter but the product. */
export const VIEWS: readonly { readonly value: string; readonly title: string }[] = [
  { value: '', title: 'All licenses' },
  { value: 'expiring-7', title: 'Expiring within 7 days' },
  { value: 'expiring-30', title: 'Expiring within 30 days' },
  { value: 'expiring-90', title: 'Expiring within 90 days' },
  { value: 'threat-1', title: 'With open violations' },
  { value: 'threat-3', title: 'With grave violations' },
];

export const ORDERS: readonly { readonly value: string; readonly title: string }[] = [
  { value: '', title: 'Newest first' },
  { value: 'oldest', title: 'Oldest first' },
  { value: 'expiry', title: 'First to expire on top' },
];

type FilterName = keyof FilterValues;

/** The filters that each value excludes, because the service has no index of both. The product goes with all. */
function excludedBy(name: FilterName, value: string): readonly FilterName[] {
  const columns = ['email', 'variant', 'purchase'] as const;
  if (name === 'email' && !isWholeAddress(value))
    return ['variant', 'purchase', 'status', 'view', 'country', 'created', 'sort'];
  switch (name) {
    case 'product':
      return [];
    case 'view':
      return [...columns, 'status', 'country', 'created', 'sort'];
    case 'country':
      return [...columns, 'status', 'view', 'sort'];
    case 'sort':
      return value === 'expiry' ? [...columns, 'view', 'country', 'created'] : ['view', 'country'];
    case 'created':
      return ['view'];
    default:
      return ['view', 'country'];
  }
}

/** A change of the filters, with the present ones removed that the new value excludes, or that exclude it. */
export function changeOf(change: Partial<FilterValues>, present: Partial<FilterValues> = {}): Partial<FilterValues> {
  const [set] = Object.entries(change).filter(([, value]) => value !== '') as [FilterName, string][];
  if (set === undefined) return change;
  const [name, value] = set;
  const isExcluding = ([other, given]: [FilterName, string]) =>
    given !== '' && other !== name && excludedBy(other, given).includes(name);
  const excluding = (Object.entries(present) as [FilterName, string][]).filter(isExcluding).map(([other]) => other);
  const removed = [...excludedBy(name, value), ...excluding].map((other) => [other, '']);
  return { ...Object.fromEntries(removed), ...change };
}

/** The filters with which a press on the title of a column sorts by it, or by the opposite. */
export function sortedBy(column: 'created' | 'expires', { sort }: Pick<FilterValues, 'sort'>): Partial<FilterValues> {
  if (column === 'expires') return { sort: sort === 'expiry' ? '' : 'expiry' };
  return { sort: sort === '' ? 'oldest' : '' };
}

/** The order of the list in words, for its title. */
export function orderText({ sort, view, email }: Pick<FilterValues, 'sort' | 'view' | 'email'>): string {
  if (view.startsWith('expiring') || sort === 'expiry') return 'Licenses, the first to expire on top';
  if (view.startsWith('threat')) return 'Licenses, the gravest violations on top';
  if (email !== '' && !isWholeAddress(email)) return 'Licenses, by e-mail address';
  return sort === 'oldest' ? 'Licenses, the oldest first' : 'Licenses, the newest first';
}

/** A suggested name for a new view, from its filters. No key is ever a filter. */
export function suggestedName(values: FilterValues): string {
  const view = VIEWS.find(({ value }) => value === values.view && value !== '')?.title;
  const country = values.country === '' ? undefined : countryName(values.country);
  const created = rangeChoices({ what: 'Created' }).find(
    ({ value }) => value === values.created && value !== '',
  )?.title;
  const order = ORDERS.find(({ value }) => value === values.sort && value !== '')?.title;
  const parts = [
    view,
    country,
    created,
    order,
    values.status,
    values.product,
    values.variant,
    values.email,
    values.purchase,
  ];
  const named = parts.filter((part) => part !== undefined && part !== '').join(', ');
  return named === '' ? 'All licenses' : named.charAt(0).toUpperCase() + named.slice(1);
}
