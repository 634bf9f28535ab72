/** Every screen of the console, one line each: address, title, permission, and file. */
import type { ComponentType } from 'react';
import type { Path } from './api/contract.ts';
import type { Address, Read } from './api/reads.ts';
import { customersRequest, licenseRequest, listRequest, PASTED, whyRequest } from './licenses/first-reads.ts';

/** One screen. Its file exports the component `Screen`. */
export interface ScreenEntry {
  /** The address after the #; `$name` is a parameter. */
  readonly path: string;
  readonly title: string;
  readonly load: () => Promise<{ readonly Screen: ComponentType }>;
  /** The reads that it begins with at an address. They are sent while its file is loaded. */
  readonly reads?: (address: Address) => readonly Read[];
  /** The endpoint that the screen cannot do without. Sessions without permission for it do not see the screen. */
  readonly needs: Path;
  /** The group in the navigation; absent for screens that are reached from others. */
  readonly navigation?: 'work' | 'shop' | 'service';
  /** The key that opens it after `g`. */
  readonly go?: string;
}

type More = Partial<Pick<ScreenEntry, 'navigation' | 'go' | 'reads'>>;

const entry = (path: string, title: string, needs: Path, load: ScreenEntry['load'], more: More = {}): ScreenEntry => ({
  ...{ path, title, needs, load },
  ...more,
});
/** The groups of the navigation; `go` is the key after `g`. */
const work = (go: string) => ({ navigation: 'work', go }) as const;
const shop = (go: string) => ({ navigation: 'shop', go }) as const;
const service = (go: string) => ({ navigation: 'service', go }) as const;

/** In the order of the navigation. */
export const screens: readonly ScreenEntry[] = [
  entry('/', 'Overview', '/getOverview', () => import('./overview/screen.tsx'), work('o')),
  entry('/start', 'First steps', '/getOverview', () => import('./start/screen.tsx')),
  entry('/licenses', 'Licenses', '/listLicenses', () => import('./licenses/screen.tsx'), {
    ...work('l'),
    // A pasted list is in memory only.
    reads: (address) => (address.view === PASTED ? [] : [['/listLicenses', listRequest(address)]]),
  }),
  entry('/licenses/$licenseKey', 'License', '/getLicense', () => import('./licenses/license-screen.tsx'), {
    reads: ({ licenseKey = '', machine = '' }) => [
      ['/getLicense', licenseRequest(licenseKey)],
      ['/explainLicense', whyRequest(licenseKey, machine)],
    ],
  }),
  entry('/licenses/$licenseKey/evidence', 'Evidence', '/getLicense', () => import('./licenses/evidence-screen.tsx')),
  entry('/customers', 'Customers', '/listCustomers', () => import('./licenses/customers-screen.tsx'), {
    ...work('u'),
    reads: (address) => [['/listCustomers', customersRequest(address)]],
  }),
  entry('/customers/$email', 'Customer', '/getCustomer', () => import('./licenses/customer-screen.tsx')),
  entry('/violations', 'Violations', '/listViolations', () => import('./violations/screen.tsx'), work('v')),
  entry('/seats', 'Seats', '/listLiveSessions', () => import('./seats/screen.tsx'), work('s')),
  entry('/activity', 'Activity', '/listEvents', () => import('./activity/screen.tsx'), work('a')),
  entry('/sales', 'Sales', '/getSales', () => import('./sales/screen.tsx'), shop('r')),
  entry('/products', 'Products', '/listProducts', () => import('./products/screen.tsx'), shop('p')),
  entry('/products/$productId', 'Product', '/listProducts', () => import('./products/product-screen.tsx')),
  entry('/codes', 'Codes', '/listDiscountCodes', () => import('./codes/screen.tsx'), shop('c')),
  entry('/codes/$code', 'Code', '/listDiscountCodes', () => import('./codes/code-screen.tsx')),
  entry('/orders', 'Orders', '/searchStudioOrders', () => import('./orders/screen.tsx'), shop('t')),
  entry('/orders/$orderId', 'Order', '/getStudioOrder', () => import('./orders/order-screen.tsx')),
  entry('/orders/$orderId/print', 'Print seat codes', '/getStudioOrder', () => import('./orders/print-screen.tsx')),
  entry('/shops', 'Shops', '/listConnectors', () => import('./shops/screen.tsx'), shop('h')),
  entry(
    '/shops/attention',
    'Shop events that need you',
    '/listShopEvents',
    () => import('./shops/attention-screen.tsx'),
  ),
  entry('/shops/$connectorId', 'Shop', '/listConnectors', () => import('./shops/connector-screen.tsx')),
  entry('/brand', 'Brand', '/getBrand', () => import('./brand/screen.tsx'), shop('b')),
  entry('/texts', 'E-mail texts', '/listMailTemplates', () => import('./texts/screen.tsx'), shop('e')),
  entry('/destinations', 'Destinations', '/listDestinations', () => import('./destinations/screen.tsx'), service('d')),
  entry(
    '/destinations/$destinationId',
    'Destination',
    '/getDestination',
    () => import('./destinations/destination-screen.tsx'),
  ),
  entry('/mails', 'E-mails', '/listMails', () => import('./mails/screen.tsx'), service('m')),
  entry('/keys', 'Keys', '/listApiKeys', () => import('./keys/screen.tsx'), service('k')),
  entry('/system', 'System', '/getSystem', () => import('./system/screen.tsx'), service('y')),
];

/**
 * The screen of an address, with the parameters and filters in it.
 *
 * @param hash the address after the #; null for an unknown one
 */
export function screenAt(hash: string): { readonly screen: ScreenEntry; readonly address: Address } | null {
  const [path = '', query] = hash.split('?');
  const parts = path.split('/');
  for (const screen of screens) {
    const names = screen.path.split('/');
    if (names.length !== parts.length || !names.every((name, at) => name[0] === '$' || name === parts[at])) continue;
    const parameters = names.flatMap((name, at) =>
      name[0] === '$' ? [[name.slice(1), decodeURIComponent(parts[at]!)]] : [],
    );
    return { screen, address: Object.fromEntries([...new URLSearchParams(query), ...parameters]) };
  }
  return null;
}
