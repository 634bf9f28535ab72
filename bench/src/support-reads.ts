/** The reads of support staff for one database: events, histories, explanations, searches, boards and figures. */
import { fromTimestamp, HOUR_MS, toTimestamp } from '@latchkey/server/base/clock.ts';
import { hostnameOf, LICENSED_PRODUCTS, RESELLER_EMAIL } from './catalogue.ts';
import type { PreparedRequest } from './pool.ts';
import type { Read } from './reads.ts';
import type { Seeded } from './seed.ts';
import type { SeededLatchkey } from './subject.ts';

/** Number of different items requested of each kind. */
const ASKED_FOR = 200;

type Body = PreparedRequest['body'];

/** The reads of support. The size of each response does not depend on the database. */
export function supportReadsOn({ seeded, secrets }: Pick<SeededLatchkey, 'seeded' | 'secrets'>): readonly Read[] {
  const read = (
    title: string,
    path: string,
    bodies: readonly Body[],
    fields: PreparedRequest['fields'] = {},
  ): Read => ({
    title,
    source: {
      path,
      headers: { 'X-Admin-Secret': secrets.admin },
      usesMax: Number.POSITIVE_INFINITY,
      requests: bodies.map((body) => ({ body, fields: { success: true, ...fields } })),
    },
  });
  const page = (title: string, path: string, limit: number, bodies: readonly Body[]): Read =>
    read(
      title,
      path,
      bodies.map((body) => ({ ...body, limit })),
      { count: limit },
    );
  const productIds = Array.from({ length: LICENSED_PRODUCTS }, (_, number) => ({ productId: `product-${number}` }));
  const licenses = askedLicenses(seeded).map(({ licenseKey }) => ({ licenseKey }));
  return [
    ...eventReads(seeded, page, productIds, licenses),
    read(
      'getLicense with history',
      '/getLicense',
      licenses.map((body) => ({ ...body, history: true })),
    ),
    read('explainLicense', '/explainLicense', licenses),
    ...Object.entries(searches(seeded)).map(([kind, texts]) =>
      page(
        `searchEverything, ${kind}`,
        '/searchEverything',
        1,
        texts.map((query) => ({ query })),
      ),
    ),
    read('listLiveSessions', '/listLiveSessions', [{ limit: 20 }]),
    read(
      'listLiveSessions by product',
      '/listLiveSessions',
      productIds.map((body) => ({ ...body, limit: 20 })),
    ),
    page('listViolations', '/listViolations', 50, [{}]),
    page('listViolations, open', '/listViolations', 50, [{ open: true }]),
    read(
      'listViolations by product',
      '/listViolations',
      productIds.map((body) => ({ ...body, limit: 2 })),
    ),
    page('listLicenses with detail', '/listLicenses', 100, [{ detail: true }]),
    page('listLicenses, expiring', '/listLicenses', 100, [{ view: 'expiring', withinDays: 366 }]),
    page('listLicenses, threat', '/listLicenses', 100, [{ view: 'threat' }]),
    ...(['getOverview', 'getCountries'] as const).flatMap((name) => [
      read(name, `/${name}`, [{}]),
      read(`${name} by product`, `/${name}`, productIds),
    ]),
    ...(['hour', 'day'] as const).flatMap((step) => {
      const asked = { metrics: ['activate.ok', 'verify.ok', 'license.created'], step };
      return [
        read(`getStatistics by ${step}`, '/getStatistics', [asked]),
        read(
          `getStatistics by ${step}, product`,
          '/getStatistics',
          productIds.map((body) => ({ ...asked, ...body })),
        ),
      ];
    }),
  ];
}

/** Lists of events by each filter. */
function eventReads(
  { catalogue, history }: Seeded,
  page: (title: string, path: string, limit: number, bodies: readonly Body[]) => Read,
  productIds: readonly Body[],
  licenses: readonly Body[],
): readonly Read[] {
  const of = (title: string, limit: number, bodies: readonly Body[]) =>
    page(title === '' ? 'listEvents' : `listEvents ${title}`, '/listEvents', limit, bodies);
  const people = { types: ['license.updated', 'license.renewed'] };
  const atOneTime = asked(history.events - catalogue.size).map((number) => {
    const since = history.event(number).occurredAt;
    return { since, until: toTimestamp(fromTimestamp(since) + 24 * HOUR_MS) };
  });
  return [
    of('', 50, [{}]),
    of('by product', 50, productIds),
    of('by license', 20, licenses),
    of('by type', 50, [people]),
    of(
      'by product and type',
      10,
      productIds.map((body) => ({ ...body, ...people })),
    ),
    of('by actor', 50, [{ actor: 'operator' }]),
    of(
      'by product and actor',
      10,
      productIds.map((body) => ({ ...body, actor: 'operator' })),
    ),
    of(
      'by request',
      1,
      asked(history.events).map((number) => ({ requestId: history.requestId(number) })),
    ),
    of('by time', 10, atOneTime),
  ];
}

/** Texts that identify one item each, by kind. */
function searches(seeded: Seeded): Readonly<Record<string, readonly string[]>> {
  const { catalogue, history, shop } = seeded;
  const licenses = askedLicenses(seeded);
  return {
    key: licenses.map(({ licenseKey }) => licenseKey),
    'beginning of a key': licenses.map(({ licenseKey }) => licenseKey.slice(0, 12)),
    'e-mail address': licenses.map(({ email }) => email).filter((email) => email !== RESELLER_EMAIL),
    purchase: licenses.map(({ purchaseId }) => String(purchaseId)),
    product: asked(shop.products).map((number) => `product-${number}`),
    'discount code': asked(shop.codes).map((number) => `CODE-${number}`),
    request: asked(history.events).map((number) => history.requestId(number)),
    hostname: licenses.map(({ licenseKey }) => hostnameOf(licenseKey, 0)),
    fingerprint: licenses.map((license) => catalogue.machine(license, 0).fingerprint),
  };
}

/** Active licenses with machines, spread evenly. */
function askedLicenses({ catalogue }: Seeded) {
  return asked(catalogue.size - catalogue.firstActive)
    .map((number) => catalogue.license(catalogue.firstActive + number))
    .filter(({ machinesUsed }) => machinesUsed > 0);
}

/** Numbers spread evenly by the golden section. */
function asked(size: number): number[] {
  return Array.from({ length: ASKED_FOR }, (_, index) => Math.floor(((index * 0.618034) % 1) * size));
}
