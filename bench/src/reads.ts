/** The measured reads of operators: lists, above all those with filters for rare and old rows. */
import { LICENSED_PRODUCTS, RESELLER_EMAIL } from './catalogue.ts';
import type { PreparedRequest, RequestSource } from './pool.ts';
import type { Seeded } from './seed.ts';
import { CREATORS, creatorOf } from './shop.ts';
import { licenseOf } from './special-licenses.ts';
import type { SeededLatchkey } from './subject.ts';

/** Requests of one kind. */
export interface Read {
  /** Title in the report. */
  readonly title: string;
  readonly source: RequestSource;
}

/** Number of customers and licenses that are requested by name. */
const ASKED_FOR = 500;
/** In a database of 10,000 licenses, the revoked ones belong to this many products. */
const PRODUCTS_WITH_REVOKED = 20;

/**
 * The reads of one database. Each requests no more rows than a database of 10,000 licenses has, so that all responses
 * have the same size, and each states the expected count.
 */
export function readsOn({ seeded, secrets }: Pick<SeededLatchkey, 'seeded' | 'secrets'>): readonly Read[] {
  const admin = { 'X-Admin-Secret': secrets.admin };
  const read = (title: string, path: string, requests: readonly PreparedRequest[]): Read => ({
    title,
    source: { path, headers: admin, usesMax: Number.POSITIVE_INFINITY, requests },
  });
  return [
    read('listLicenses', '/listLicenses', [listed({}, 100)]),
    read(
      'listLicenses by product',
      '/listLicenses',
      ofProducts((productId) => listed({ productId }, 100)),
    ),
    read('listLicenses by e-mail', '/listLicenses', ofCustomers(seeded)),
    read('listLicenses of a reseller', '/listLicenses', [listed({ email: RESELLER_EMAIL }, 100)]),
    ...(['active', 'revoked', 'expired'] as const).map((status) =>
      read(`listLicenses ${status}`, '/listLicenses', [listed({ status }, 100)]),
    ),
    ...(
      [
        ['active', 100],
        ['revoked', 5],
        ['expired', 10],
      ] as const
    ).map(([status, limit]) =>
      read(
        `listLicenses by product, ${status}`,
        '/listLicenses',
        ofProducts((productId) => listed({ productId, status }, limit)).slice(0, PRODUCTS_WITH_REVOKED),
      ),
    ),
    ...(
      [
        ['revoked', 10],
        ['expired', 50],
      ] as const
    ).map(([status, limit]) =>
      read(`listLicenses of a reseller, ${status}`, '/listLicenses', [
        listed({ email: RESELLER_EMAIL, status }, limit),
      ]),
    ),
    read('getLicense', '/getLicense', ofLicenses(seeded)),
    read('getLicense, site license', '/getLicense', ofSite(seeded)),
    read('listProducts', '/listProducts', [listed({}, 100)]),
    read('listProducts archived', '/listProducts', [listed({ status: 'archived' }, 10)]),
    read(
      'listProducts by creator',
      '/listProducts',
      ofCreators((creatorId) => listed({ creatorId }, 15)),
    ),
    read('listDiscountCodes', '/listDiscountCodes', [listed({}, 100)]),
    read(
      'listDiscountCodes by creator',
      '/listDiscountCodes',
      ofCreators((creatorId) => listed({ creatorId }, 50)),
    ),
    read(
      'listDiscountCodes by product',
      '/listDiscountCodes',
      ofCreators((_, productId) => listed({ productId }, 5)),
    ),
    read(
      'listDiscountCodes by both',
      '/listDiscountCodes',
      ofCreators((creatorId, productId) => listed({ creatorId, productId }, 5)),
    ),
    ...ordersBy(secrets.webhook),
  ];
}

/** A page of a list, which must be full. */
function listed(filter: Readonly<Record<string, string>>, limit: number): PreparedRequest {
  return { body: { ...filter, limit }, fields: { success: true, count: limit } };
}

function ofProducts(request: (productId: string) => PreparedRequest): PreparedRequest[] {
  return Array.from({ length: LICENSED_PRODUCTS }, (_, number) => request(`product-${number}`));
}

/** @param request takes a creator and the product that some of the creator's codes name */
function ofCreators(request: (creatorId: string, productId: string) => PreparedRequest): PreparedRequest[] {
  return Array.from({ length: CREATORS }, (_, number) => request(creatorOf(number), `product-${number}`));
}

/** Customers with one license each. */
function ofCustomers({ catalogue }: Seeded): PreparedRequest[] {
  return asked(catalogue.size)
    .map((number) => catalogue.license(number).email)
    .filter((email) => email !== RESELLER_EMAIL)
    .map((email) => ({ body: { email }, fields: { success: true, count: 1 } }));
}

/** Licenses with machines. Those without may have machines by now if activations were measured first. */
function ofLicenses({ catalogue }: Seeded): PreparedRequest[] {
  return asked(catalogue.size)
    .map((number) => catalogue.license(number))
    .filter(({ machinesUsed }) => machinesUsed > 0)
    .map(({ licenseKey, machinesUsed }) => ({
      body: { licenseKey },
      fields: { success: true, activationCount: machinesUsed },
    }));
}

/** The site license with the most machines: a full page of them. */
function ofSite({ specials }: Seeded): PreparedRequest[] {
  const { licenseKey, machinesUsed } = licenseOf('site', specials.at(-1) ?? []);
  return [{ body: { licenseKey }, fields: { success: true, activationCount: machinesUsed } }];
}

/** Numbers of licenses, spread evenly by the golden section, so that they follow no pattern of license kinds. */
function asked(size: number): number[] {
  return Array.from({ length: ASKED_FOR }, (_, index) => Math.floor(((index * 0.618034) % 1) * size));
}

function ordersBy(webhookSecret: string): Read[] {
  const ids = Array.from({ length: CREATORS }, (_, number) => number);
  const filters = {
    buyer: (number: number) => ({ buyerUserId: `buyer-${number}` }),
    course: (number: number) => ({ courseId: `course-${number}` }),
    creator: (number: number) => ({ creatorId: creatorOf(number) }),
  };
  return Object.entries(filters).map(([name, filter]) => ({
    title: `listStudioOrders by ${name}`,
    source: {
      ...{ path: '/listStudioOrders', headers: { 'X-Webhook-Secret': webhookSecret } },
      usesMax: Number.POSITIVE_INFINITY,
      requests: ids.map((number) => ({ body: { ...filter(number), limit: 20 }, fields: { success: true } })),
    },
  }));
}
