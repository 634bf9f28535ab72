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

/** The body of a request. */
export type Body = PreparedRequest['body'];

/** Number of customers and licenses that are requested by name. */
const ASKED_FOR = 500;
/** In a database of 10,000 licenses, the revoked ones belong to this many products. */
const PRODUCTS_WITH_REVOKED = 20;

/** A body for each product that has licenses. */
export const PRODUCTS: readonly Body[] = Array.from({ length: LICENSED_PRODUCTS }, (_, number) => ({
  productId: `product-${number}`,
}));

/** The same bodies with further fields. */
export function withFields(bodies: readonly Body[], fields: Body): readonly Body[] {
  return bodies.map((body) => ({ ...body, ...fields }));
}

/** Numbers below a size, spread evenly by the golden section, so that they follow no pattern of license kinds. */
export function asked(size: number, count = ASKED_FOR): number[] {
  return Array.from({ length: count }, (_, index) => Math.floor(((index * 0.618034) % 1) * size));
}

/** Makes reads with a credential. The title of each begins with the name of its endpoint. */
export function readsWith(headers: Readonly<Record<string, string>>) {
  const prepared = (title: string, requests: readonly PreparedRequest[]): Read => ({
    title,
    source: { path: `/${/^\w+/.exec(title)}`, headers, usesMax: Number.POSITIVE_INFINITY, requests },
  });
  /** @param fields required of each response, beside the success */
  const read = (title: string, bodies: readonly Body[], fields: PreparedRequest['fields'] = {}): Read => {
    const requests = bodies.map((body) => ({ body, fields: { success: true, ...fields } }));
    return prepared(title, requests);
  };
  /** Pages of a list, which must be full. */
  const page = (title: string, limit: number, bodies: readonly Body[]): Read =>
    read(title, withFields(bodies, { limit }), { count: limit });
  return { prepared, read, page };
}

/**
 * The reads of one database. Each requests no more rows than a database of 10,000 licenses has, so that all responses
 * have the same size, and each states the expected count.
 */
export function readsOn({ seeded, secrets }: Pick<SeededLatchkey, 'seeded' | 'secrets'>): readonly Read[] {
  const { prepared, read, page } = readsWith({ 'X-Admin-Secret': secrets.admin });
  const someProducts = PRODUCTS.slice(0, PRODUCTS_WITH_REVOKED);
  const reseller = { email: RESELLER_EMAIL };
  const numbers = Array.from({ length: CREATORS }, (_, number) => number);
  const creators = numbers.map((number) => ({ creatorId: creatorOf(number) }));
  // Some of the codes of each creator name a product.
  const products = PRODUCTS.slice(0, CREATORS);
  const both = creators.map((creator, number) => ({ ...creator, ...products[number] }));
  const orders = readsWith({ 'X-Webhook-Secret': secrets.webhook });
  const ordersBy = (what: string, filterOf: (number: number) => Body) =>
    orders.read(`listStudioOrders by ${what}`, withFields(numbers.map(filterOf), { limit: 20 }));
  return [
    page('listLicenses', 100, [{}]),
    page('listLicenses by product', 100, PRODUCTS),
    read('listLicenses by e-mail', ofCustomers(seeded), { count: 1 }),
    page('listLicenses of a reseller', 100, [reseller]),
    ...['active', 'revoked', 'expired'].map((status) => page(`listLicenses ${status}`, 100, [{ status }])),
    page('listLicenses by product, active', 100, withFields(someProducts, { status: 'active' })),
    page('listLicenses by product, revoked', 5, withFields(someProducts, { status: 'revoked' })),
    page('listLicenses by product, expired', 10, withFields(someProducts, { status: 'expired' })),
    page('listLicenses of a reseller, revoked', 10, [{ ...reseller, status: 'revoked' }]),
    page('listLicenses of a reseller, expired', 50, [{ ...reseller, status: 'expired' }]),
    prepared('getLicense', ofLicenses(seeded)),
    prepared('getLicense, site license', ofSite(seeded)),
    page('listProducts', 100, [{}]),
    page('listProducts archived', 10, [{ status: 'archived' }]),
    page('listProducts by creator', 15, creators),
    page('listDiscountCodes', 100, [{}]),
    page('listDiscountCodes by creator', 50, creators),
    page('listDiscountCodes by product', 5, products),
    page('listDiscountCodes by both', 5, both),
    ordersBy('buyer', (number) => ({ buyerUserId: `buyer-${number}` })),
    ordersBy('course', (number) => ({ courseId: `course-${number}` })),
    ordersBy('creator', (number) => ({ creatorId: creatorOf(number) })),
  ];
}

/** Customers with one license each. */
function ofCustomers({ catalogue }: Seeded): readonly Body[] {
  return asked(catalogue.size)
    .map((number) => catalogue.license(number).email)
    .filter((email) => email !== RESELLER_EMAIL)
    .map((email) => ({ email }));
}

/** Licenses with machines. Those without may have machines by now if activations were measured first. */
function ofLicenses({ catalogue }: Seeded): readonly PreparedRequest[] {
  return asked(catalogue.size)
    .map((number) => catalogue.license(number))
    .filter(({ machinesUsed }) => machinesUsed > 0)
    .map(({ licenseKey, machinesUsed }) => ({
      body: { licenseKey },
      fields: { success: true, activationCount: machinesUsed },
    }));
}

/** The site license with the most machines: a full page of them. */
function ofSite({ specials }: Seeded): readonly PreparedRequest[] {
  const { licenseKey, machinesUsed } = licenseOf('site', specials.at(-1) ?? []);
  return [{ body: { licenseKey }, fields: { success: true, activationCount: machinesUsed } }];
}
