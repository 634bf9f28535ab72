import Type from 'typebox';
import { endpoint } from '../endpoint/endpoint.ts';
import { EXAMPLE } from '../endpoint/example-values.ts';
import { productIdField, resource, timestamp } from '../endpoint/field-types.ts';
import { isRefusal } from '../endpoint/refusals.ts';
import { type CountryFigure, countryMetric } from '../observed-calls/metrics.ts';
import { ALL_PRODUCTS } from '../observed-calls/statistic-table.ts';
import { reachableProducts } from '../products/reachable-products.ts';
import type { Sql } from '../storage/storage.ts';
import { codeOfMetric } from './counted-metrics.ts';
import { listMetricsByCountry } from './country-store.ts';
import { completeTo, type Period, periodOf } from './period.ts';
import { listStatistics } from './store.ts';

/** The longest period, in days. */
const MAXIMUM_DAYS = 366;
/** Maximum number of days times products per reply, which bounds the rows that are read. */
const MAXIMUM_PRODUCT_DAYS = 1_100;
/** Default number of days. */
const USUAL_DAYS = 30;

/** GET/POST /getCountries (rules 4.11.3). */
export const getCountries = endpoint({
  path: '/getCountries',
  methods: ['GET', 'POST'],
  access: 'admin',
  needs: 'viewer',
  summary: 'Where machines are',
  description:
    'Answers the countries from which machines called in a period: `machines` is the largest number of machines that ' +
    'called on one day, `activations` the number that were newly bound to a license. Days are UTC. Countries are ' +
    'known if LATCHKEY_GEOIP_FILE or LATCHKEY_COUNTRY_HEADER is set. Without `productId` all products are added up; ' +
    'an API key whose creator owns more than 30 products must name one.',
  example: {
    after: ['/createProduct'],
    request: { from: '2027-02-01T00:00:00.000Z', productId: EXAMPLE.productId },
    reply: { success: true, countries: [], completeTo: '2027-03-01T09:29:00.000Z' },
  },
  fields: Type.Object({
    from: Type.Optional(timestamp(`Begin with the day of this moment; ${USUAL_DAYS} days before \`to\`.`)),
    to: Type.Optional(timestamp('End before this moment, whose day counts as a whole; now by default.')),
    productId: Type.Optional(productIdField),
  }),
  missing: '',
  reply: Type.Object({
    success: Type.Literal(true),
    countries: Type.Array(
      resource('CountryFigures', 'The counts of one country.', {
        code: Type.String({ description: 'Two letters, as in ISO 3166.' }),
        machines: Type.Integer({ description: 'Machines that called, on the day on which they were most.' }),
        activations: Type.Integer({ description: 'Machines that were newly bound to a license.' }),
      }),
      { description: 'The one with most machines first.' },
    ),
    completeTo: timestamp('Everything before this moment is in the figures.'),
  }),
  refusals: ['too_many_products'],
}).read(async (sql, { fields, scope, now }) => {
  const { from, to, productId } = fields;
  const reachable = await reachableProducts(sql, productId, scope);
  if (isRefusal(reachable)) return reachable;
  const productIds = reachable.productIds ?? [ALL_PRODUCTS];
  const mostSteps = Math.min(MAXIMUM_DAYS, Math.floor(MAXIMUM_PRODUCT_DAYS / Math.max(productIds.length, 1)));
  const period = periodOf({ step: 'day', from, to, usualSteps: Math.min(USUAL_DAYS, mostSteps - 1), mostSteps, now });
  if (isRefusal(period)) return period;
  const machines = await daysByCountry(sql, productIds, period, 'machines');
  const activations = await daysByCountry(sql, productIds, period, 'activations');
  const countries = [...new Set([...machines.keys(), ...activations.keys()])].map((code) => ({
    code,
    machines: Math.max(0, ...(machines.get(code)?.values() ?? [])),
    activations: [...(activations.get(code)?.values() ?? [])].reduce((sum, value) => sum + value, 0),
  }));
  return {
    success: true,
    countries: countries.sort(
      (one, other) =>
        other.machines - one.machines || other.activations - one.activations || (one.code < other.code ? -1 : 1),
    ),
    completeTo: completeTo(now),
  };
});

/** The daily figures by country, added up over all products. */
async function daysByCountry(
  sql: Sql,
  productIds: readonly string[],
  { from, to }: Period,
  figure: CountryFigure,
): Promise<Map<string, Map<string, number>>> {
  const metrics = await listMetricsByCountry(sql, productIds, countryMetric(figure, ''));
  const countries = new Map<string, Map<string, number>>();
  for (const { metric, at, value } of await listStatistics(sql, { productIds, step: 'day', metrics, from, to })) {
    const code = codeOfMetric(metric);
    const days = countries.get(code) ?? new Map<string, number>();
    days.set(at, (days.get(at) ?? 0) + value);
    countries.set(code, days);
  }
  return countries;
}
