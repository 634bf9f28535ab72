/** Every screen of the console, one line each: address, title, permission, and file. */
import type { ComponentType } from 'react';
import type { Path } from './api/contract.ts';
import type { Address, Read } from './api/reads.ts';
import { licenseRequest, listRequest, whyRequest } from './licenses/first-reads.ts';

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

/** In the order of the navigation. */
export const screens: readonly ScreenEntry[] = [
  {
    path: '/',
    title: 'Overview',
    load: () => import('./overview/screen.tsx'),
    needs: '/getOverview',
    navigation: 'work',
    go: 'o',
  },
  {
    path: '/start',
    title: 'First steps',
    load: () => import('./start/screen.tsx'),
    needs: '/getOverview',
  },
  {
    path: '/licenses',
    title: 'Licenses',
    load: () => import('./licenses/screen.tsx'),
    reads: (address) => [['/listLicenses', listRequest(address)]],
    needs: '/listLicenses',
    navigation: 'work',
    go: 'l',
  },
  {
    path: '/licenses/$licenseKey',
    title: 'License',
    load: () => import('./licenses/license-screen.tsx'),
    reads: ({ licenseKey = '', machine = '' }) => [
      ['/getLicense', licenseRequest(licenseKey)],
      ['/explainLicense', whyRequest(licenseKey, machine)],
    ],
    needs: '/getLicense',
  },
  {
    path: '/customers/$email',
    title: 'Customer',
    load: () => import('./licenses/customer-screen.tsx'),
    needs: '/getCustomer',
  },
  {
    path: '/violations',
    title: 'Violations',
    load: () => import('./violations/screen.tsx'),
    needs: '/listViolations',
    navigation: 'work',
    go: 'v',
  },
  {
    path: '/seats',
    title: 'Seats',
    load: () => import('./seats/screen.tsx'),
    needs: '/listLiveSessions',
    navigation: 'work',
    go: 's',
  },
  {
    path: '/activity',
    title: 'Activity',
    load: () => import('./activity/screen.tsx'),
    needs: '/listEvents',
    navigation: 'work',
    go: 'a',
  },
  {
    path: '/products',
    title: 'Products',
    load: () => import('./products/screen.tsx'),
    needs: '/listProducts',
    navigation: 'shop',
    go: 'p',
  },
  {
    path: '/products/$productId',
    title: 'Product',
    load: () => import('./products/product-screen.tsx'),
    needs: '/listProducts',
  },
  {
    path: '/codes',
    title: 'Codes',
    load: () => import('./codes/screen.tsx'),
    needs: '/listDiscountCodes',
    navigation: 'shop',
    go: 'c',
  },
  {
    path: '/codes/$code',
    title: 'Code',
    load: () => import('./codes/code-screen.tsx'),
    needs: '/listDiscountCodes',
  },
  {
    path: '/orders',
    title: 'Orders',
    load: () => import('./orders/screen.tsx'),
    needs: '/searchStudioOrders',
    navigation: 'shop',
    go: 't',
  },
  {
    path: '/orders/$orderId',
    title: 'Order',
    load: () => import('./orders/order-screen.tsx'),
    needs: '/getStudioOrder',
  },
  {
    path: '/orders/$orderId/print',
    title: 'Print seat codes',
    load: () => import('./orders/print-screen.tsx'),
    needs: '/getStudioOrder',
  },
  {
    path: '/brand',
    title: 'Brand',
    load: () => import('./brand/screen.tsx'),
    needs: '/getBrand',
    navigation: 'shop',
    go: 'b',
  },
  {
    path: '/destinations',
    title: 'Destinations',
    load: () => import('./destinations/screen.tsx'),
    needs: '/listDestinations',
    navigation: 'service',
    go: 'd',
  },
  {
    path: '/destinations/$destinationId',
    title: 'Destination',
    load: () => import('./destinations/destination-screen.tsx'),
    needs: '/getDestination',
  },
  {
    path: '/mails',
    title: 'Mails',
    load: () => import('./mails/screen.tsx'),
    needs: '/listMails',
    navigation: 'service',
    go: 'm',
  },
  {
    path: '/keys',
    title: 'Keys',
    load: () => import('./keys/screen.tsx'),
    needs: '/listApiKeys',
    navigation: 'service',
    go: 'k',
  },
  {
    path: '/system',
    title: 'System',
    load: () => import('./system/screen.tsx'),
    needs: '/getSystem',
    navigation: 'service',
    go: 'y',
  },
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
