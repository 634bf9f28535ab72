/** The filters of the license list: their names in the address, and the request they make. Pure. */
import type { LicenseStatus, RequestOf } from '../api/contract.ts';

export const FILTERS = ['email', 'product', 'variant', 'purchase', 'status', 'view'] as const;

export type FilterValues = Readonly<Record<(typeof FILTERS)[number], string>>;

/** Views that the service keeps in order. With a view it takes no filter but the product. */
export const VIEWS: readonly { readonly value: string; readonly title: string }[] = [
  { value: '', title: 'All licenses' },
  { value: 'expiring-7', title: 'Expiring within 7 days' },
  { value: 'expiring-30', title: 'Expiring within 30 days' },
  { value: 'expiring-90', title: 'Expiring within 90 days' },
  { value: 'threat-1', title: 'With open violations' },
  { value: 'threat-3', title: 'With grave violations' },
];

const STATUSES: readonly string[] = ['active', 'revoked', 'expired'] satisfies LicenseStatus[];

/** The request for the filters. Unknown values in the address are ignored. */
export function listRequest(values: FilterValues): RequestOf<'/listLicenses'> {
  const { email, product, variant, purchase, status, view } = values;
  const byProduct = product === '' ? {} : { productId: product };
  const [, kind, number] = /^(expiring|threat)-(\d{1,4})$/.exec(view) ?? [];
  if (kind === 'expiring') return { ...byProduct, view: 'expiring', withinDays: Number(number) };
  if (kind === 'threat') return { ...byProduct, view: 'threat', minimum: Number(number) };
  return {
    ...byProduct,
    ...(email === '' ? {} : { email }),
    ...(variant === '' ? {} : { variant }),
    ...(purchase === '' ? {} : { purchaseId: purchase }),
    ...(STATUSES.includes(status) ? { status: status as LicenseStatus } : {}),
  };
}

/** A change of the filters. A view removes the filters that it excludes, and those filters remove the view. */
export function changeOf(change: Partial<FilterValues>): Partial<FilterValues> {
  if (change.view !== undefined && change.view !== '')
    return { ...change, email: '', variant: '', purchase: '', status: '' };
  const isOther = Object.entries(change).some(([name, value]) => name !== 'product' && name !== 'view' && value !== '');
  return isOther ? { ...change, view: '' } : change;
}

/** A suggested name for a new view, from its filters. No key is ever a filter. */
export function suggestedName(values: FilterValues): string {
  const view = VIEWS.find(({ value }) => value === values.view && value !== '')?.title;
  const parts = [view, values.status, values.product, values.variant, values.email, values.purchase];
  const named = parts.filter((part) => part !== undefined && part !== '').join(', ');
  return named === '' ? 'All licenses' : named.charAt(0).toUpperCase() + named.slice(1);
}
