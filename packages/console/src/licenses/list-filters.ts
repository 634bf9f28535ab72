/** The filters of the list of licenses: how they stand in the address, and what they ask the service: pure. */
import type { LicenseStatus, RequestOf } from '../api/contract.ts';

/** Names of the filters in the address. */
export const FILTERS = ['email', 'product', 'variant', 'purchase', 'status', 'view'] as const;

export type FilterValues = Readonly<Record<(typeof FILTERS)[number], string>>;

/** Views that the service keeps in order; with them it takes no filter but the product. */
export const VIEWS: readonly { readonly value: string; readonly title: string }[] = [
  { value: '', title: 'All licenses' },
  { value: 'expiring-7', title: 'Expiring within 7 days' },
  { value: 'expiring-30', title: 'Expiring within 30 days' },
  { value: 'expiring-90', title: 'Expiring within 90 days' },
  { value: 'threat-1', title: 'With open violations' },
  { value: 'threat-3', title: 'With grave violations' },
];

const STATUSES: readonly string[] = ['active', 'revoked', 'expired'] satisfies LicenseStatus[];

/** What the service is asked. What somebody typed into the address and nobody understands is left out. */
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

/** A change of the filters: a view takes those away that it cannot go with, and they take the view away. */
export function changeOf(change: Partial<FilterValues>): Partial<FilterValues> {
  if (change.view !== undefined && change.view !== '')
    return { ...change, email: '', variant: '', purchase: '', status: '' };
  const isOther = Object.entries(change).some(([name, value]) => name !== 'product' && name !== 'view' && value !== '');
  return isOther ? { ...change, view: '' } : change;
}

/** A name for a view that is about to be saved, from its filters. No key is ever a filter. */
export function suggestedName(values: FilterValues): string {
  const view = VIEWS.find(({ value }) => value === values.view && value !== '')?.title;
  const parts = [view, values.status, values.product, values.variant, values.email, values.purchase];
  const named = parts.filter((part) => part !== undefined && part !== '').join(', ');
  return named === '' ? 'All licenses' : named.charAt(0).toUpperCase() + named.slice(1);
}
