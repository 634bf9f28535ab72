import Type from 'typebox';
import { type CountryFigure, countryMetric } from '../../licensing/observed-calls/metrics.ts';
import { ALL_PRODUCTS } from '../../licensing/observed-calls/statistic-table.ts';
import { listProducts } from '../../licensing/products/listing-store.ts';
import { PRODUCT_STATUSES } from '../../licensing/products/product.ts';
import { reachableProducts } from '../../licensing/products/reachable-products.ts';
import { countryField, refusalForCountry } from '../../platform/endpoint/country-field.ts';
import { endpoint, type ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import { flag, productIdField, resource, success, timestamp } from '../../platform/endpoint/field-types.ts';
import { NEWEST } from '../../platform/endpoint/page.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { codeOfMetric } from './counted-metrics.ts';
import { listMetricsByCountry } from './country-store.ts';
import { completeTo, type Period, periodOf } from './period.ts';
import { listStatistics, listStatisticsByProduct } from './store.ts';

/** The longest period, in days. */
const MAX_DAYS = 366;
/** Maximum number of days times products per reply, which bounds the rows that are read. */
const MAX_PRODUCT_DAYS = 1_100;
/** Default number of days. */
const USUAL_DAYS = 30;

/** Number of products by day that the operator gets without naming one. */
const MAX_SERIES = 30;

const productSeries = resource('ProductSeries', 'The figures of one product by day.', {
  productId: Type.String({ description: 'Product identifier (its slug).' }),
  machines: Type.Array(Type.Integer(), { description: 'Machines that called, one number for each of `days`.' }),
  activations: Type.Array(Type.Integer(), { description: 'Machines that were newly bound, likewise.' }),
});
type ProductSeries = ReplyOf<typeof productSeries>;

/** GET/POST /getCountries (rules 4.11.3). */
export const getCountries = endpoint({
  path: '/getCountries',
  access: 'admin',
  needs: 'viewer',
  summary: 'Where machines are',
  description:
    'Answers the countries from which machines called in a period: `machines` is the largest number of machines that ' +
    'called on one day, `activations` the number that were newly bound to a license. Days are UTC. Countries are ' +
    'known if LATCHKEY_GEOIP_FILE or LATCHKEY_COUNTRY_HEADER is set. Without `productId` all products are added up; ' +
    'an API key whose creator owns more than 30 products must name one. `country` limits the answer to one country. ' +
    '`overTime` adds the figures of each product by day; without `productId` the operator gets those of the 30 newest ' +
    'products.',
  example: {
    after: ['/createProduct'],
    request: { from: '2027-02-01T00:00:00.000Z', productId: EXAMPLE.productId },
    reply: { success: true, countries: [], completeTo: '2027-03-01T09:29:00.000Z' },
  },
  fields: Type.Object({
    from: Type.Optional(timestamp(`Begin with the day of this moment; ${USUAL_DAYS} days before \`to\`.`)),
    to: Type.Optional(timestamp('End before this moment, whose day counts as a whole; now by default.')),
    productId: Type.Optional(productIdField),
    country: Type.Optional(countryField('Only this country.')),
    overTime: Type.Optional(flag('True shows the figures of each product by day.')),
  }),
  reply: success({
    countries: Type.Array(
      resource('CountryFigures', 'The counts of one country.', {
        code: Type.String({ description: 'Two letters, as in ISO 3166.' }),
        machines: Type.Integer({ description: 'Machines that called, on the day on which they were most.' }),
        activations: Type.Integer({ description: 'Machines that were newly bound to a license.' }),
      }),
      { description: 'The one with most machines first.' },
    ),
    completeTo: timestamp('Everything before this moment is in the figures.'),
    days: Type.Optional(
      Type.Array(timestamp('When the day begins, UTC.'), {
        description: 'With `overTime`: each day, the oldest first.',
      }),
    ),
    products: Type.Optional(
      Type.Array(productSeries, { description: 'With `overTime`: products with figures, by identifier.' }),
    ),
  }),
  refusals: ['too_many_products'],
}).read(async (sql, { fields, scope, now }) => {
  const { from, to, productId, overTime = false } = fields;
  const unknownCountry = refusalForCountry(fields.country);
  if (unknownCountry !== null) return unknownCountry;
  const reachable = await reachableProducts(sql, productId, scope);
  if (isRefusal(reachable)) return reachable;
  const productIds = reachable.productIds ?? [ALL_PRODUCTS];
  const shown = !overTime ? [] : (reachable.productIds ?? (await newestProducts(sql)));
  const maxProducts = Math.max(productIds.length, shown.length, 1);
  const maxSteps = Math.min(MAX_DAYS, Math.floor(MAX_PRODUCT_DAYS / maxProducts));
  const period = periodOf({ step: 'day', from, to, usualSteps: Math.min(USUAL_DAYS, maxSteps - 1), maxSteps, now });
  if (isRefusal(period)) return period;
  const country = fields.country?.toUpperCase();
  const machines = await daysByCountry(sql, productIds, period, 'machines', country);
  const activations = await daysByCountry(sql, productIds, period, 'activations', country);
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
    ...(overTime ? { days: [...period.steps], products: await seriesOf(sql, shown, period, country) } : {}),
  };
});

/** The daily metrics of a figure by country, of one country or of all that have figures. */
async function metricsOf(
  sql: Sql,
  productIds: readonly string[],
  figure: CountryFigure,
  country: string | undefined,
): Promise<readonly string[]> {
  if (country !== undefined) return [countryMetric(figure, country)];
  return productIds.length === 0 ? [] : listMetricsByCountry(sql, productIds, countryMetric(figure, ''));
}

/** The daily figures by country, added up over all products. */
async function daysByCountry(
  sql: Sql,
  productIds: readonly string[],
  { from, to }: Period,
  figure: CountryFigure,
  country: string | undefined,
): Promise<Map<string, Map<string, number>>> {
  const metrics = await metricsOf(sql, productIds, figure, country);
  const countries = new Map<string, Map<string, number>>();
  for (const { metric, at, value } of await listStatistics(sql, { productIds, step: 'day', metrics, from, to })) {
    const code = codeOfMetric(metric);
    const days = countries.get(code) ?? new Map<string, number>();
    days.set(at, (days.get(at) ?? 0) + value);
    countries.set(code, days);
  }
  return countries;
}

/** The products that the operator gets without naming one. */
async function newestProducts(sql: Sql): Promise<readonly string[]> {
  const products = await listProducts(sql, PRODUCT_STATUSES, null, NEWEST, MAX_SERIES);
  return products.map(({ productId }) => productId);
}

/** The daily figures of each product that has some, added up over the countries; by identifier. */
async function seriesOf(
  sql: Sql,
  productIds: readonly string[],
  { from, to, steps }: Period,
  country: string | undefined,
): Promise<ProductSeries[]> {
  const places = new Map(steps.map((at, index) => [at, index]));
  const series = new Map<string, Record<CountryFigure, number[]>>();
  for (const figure of ['machines', 'activations'] as const) {
    const metrics = await metricsOf(sql, productIds, figure, country);
    const query = { productIds, step: 'day', metrics, from, to } as const;
    for (const { productId, at, value } of await listStatisticsByProduct(sql, query)) {
      const place = places.get(at);
      if (place === undefined) continue;
      const ofProduct = series.get(productId) ?? { machines: steps.map(() => 0), activations: steps.map(() => 0) };
      series.set(productId, ofProduct);
      ofProduct[figure][place] = (ofProduct[figure][place] ?? 0) + value;
    }
  }
  return [...series]
    .map(([productId, figures]) => ({ productId, ...figures }))
    .sort((one, other) => (one.productId < other.productId ? -1 : 1));
}
