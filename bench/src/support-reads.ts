/** The reads of support staff for one database: events, histories, explanations, searches, boards and figures. */
import { fromTimestamp, HOUR_MS, toTimestamp } from '@latchkey/server/ground/base/clock.ts';
import { hostnameOf, RESELLER_EMAIL } from './catalogue.ts';
import { asked, type Body, PRODUCTS, type Read, readsWith, withFields } from './reads.ts';
import type { Seeded } from './seed.ts';
import type { SeededLatchkey } from './subject.ts';

/** Number of different items requested of each kind. */
const ASKED_FOR = 200;

/** The reads of support. The size of each response does not depend on the database. */
export function supportReadsOn({ seeded, secrets }: Pick<SeededLatchkey, 'seeded' | 'secrets'>): readonly Read[] {
  const { read, page } = readsWith({ 'X-Admin-Secret': secrets.admin });
  const licenses = askedLicenses(seeded).map(({ licenseKey }) => ({ licenseKey }));
  return [
    ...eventReads(seeded, page, licenses),
    read('getLicense with history', withFields(licenses, { history: true })),
    read('explainLicense', licenses),
    ...Object.entries(searches(seeded)).map(([kind, texts]) => {
      const queries = texts.map((query) => ({ query }));
      return page(`searchEverything, ${kind}`, 1, queries);
    }),
    read('listLiveSessions', [{ limit: 20 }]),
    read('listLiveSessions by product', withFields(PRODUCTS, { limit: 20 })),
    page('listViolations', 50, [{}]),
    page('listViolations, open', 50, [{ open: true }]),
    read('listViolations by product', withFields(PRODUCTS, { limit: 2 })),
    page('listLicenses with detail', 100, [{ detail: true }]),
    page('listLicenses, expiring', 100, [{ view: 'expiring', withinDays: 366 }]),
    page('listLicenses, threat', 100, [{ view: 'threat' }]),
    ...['getOverview', 'getCountries'].flatMap((name) => [read(name, [{}]), read(`${name} by product`, PRODUCTS)]),
    ...['hour', 'day'].flatMap((step) => {
      const figures = { metrics: ['activate.ok', 'verify.ok', 'license.created'], step };
      return [
        read(`getStatistics by ${step}`, [figures]),
        read(`getStatistics by ${step}, product`, withFields(PRODUCTS, figures)),
      ];
    }),
  ];
}

/** Lists of events by each filter. */
function eventReads(
  { catalogue, history }: Seeded,
  page: ReturnType<typeof readsWith>['page'],
  licenses: readonly Body[],
): readonly Read[] {
  const people = { types: ['license.updated', 'license.renewed'] };
  const atOneTime = asked(history.events - catalogue.size, ASKED_FOR).map((number) => {
    const since = history.event(number).occurredAt;
    return { since, until: toTimestamp(fromTimestamp(since) + 24 * HOUR_MS) };
  });
  const requests = asked(history.events, ASKED_FOR).map((number) => ({ requestId: history.requestId(number) }));
  return [
    page('listEvents', 50, [{}]),
    page('listEvents by product', 50, PRODUCTS),
    page('listEvents by license', 20, licenses),
    page('listEvents by type', 50, [people]),
    page('listEvents by product and type', 10, withFields(PRODUCTS, people)),
    page('listEvents by actor', 50, [{ actor: 'operator' }]),
    page('listEvents by product and actor', 10, withFields(PRODUCTS, { actor: 'operator' })),
    page('listEvents by request', 1, requests),
    page('listEvents by time', 10, atOneTime),
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
    product: asked(shop.products, ASKED_FOR).map((number) => `product-${number}`),
    'discount code': asked(shop.codes, ASKED_FOR).map((number) => `CODE-${number}`),
    request: asked(history.events, ASKED_FOR).map((number) => history.requestId(number)),
    hostname: licenses.map(({ licenseKey }) => hostnameOf(licenseKey, 0)),
    fingerprint: licenses.map((license) => catalogue.machine(license, 0).fingerprint),
  };
}

/** Active licenses with machines, spread evenly. */
function askedLicenses({ catalogue }: Seeded) {
  return asked(catalogue.size - catalogue.firstActive, ASKED_FOR)
    .map((number) => catalogue.license(catalogue.firstActive + number))
    .filter(({ machinesUsed }) => machinesUsed > 0);
}
