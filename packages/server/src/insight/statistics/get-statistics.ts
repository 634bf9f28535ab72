import Type from 'typebox';
import { ALL_PRODUCTS } from '../../licensing/observed-calls/statistic-table.ts';
import { reachableProducts } from '../../licensing/products/reachable-products.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import { oneOf, productIdField, resource, success, timestamp } from '../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { COUNTED_METRICS } from './counted-metrics.ts';
import { completeTo, periodOf } from './period.ts';
import { listStatistics } from './store.ts';

/** Maximum number of metrics per reply. */
const MAX_METRICS = 20;
/** Maximum number of points per reply, over all series. */
const MAX_POINTS = 5_000;
/** Maximum number of points per series: days are stored for three years. */
const MAX_STEPS = 1_100;
/** Default number of points per series. */
const USUAL_STEPS = { hour: 24, day: 30 } as const;

/** GET/POST /getStatistics (rules 4.11.2). */
export const getStatistics = endpoint({
  path: '/getStatistics',
  access: 'admin',
  needs: 'viewer',
  summary: 'How often things happened, by hour or by day',
  description:
    'Answers a series for each metric: how many calls of an endpoint succeeded (`activate.ok`) or were refused with a ' +
    'code (`activate.machine_limit`), how often a license, activation or other thing changed (by the type of its ' +
    'event, `license.created`), how many violations of a type were opened. Steps are whole hours or days of UTC; one ' +
    'in which nothing happened is 0. Hours are kept for 14 days, days for three years; before that everything is 0. ' +
    'Figures are written once a minute, so a service that crashes loses a minute of them. Without `productId` the ' +
    'figures of all products are added up; an API key whose creator owns more than 30 products must name one.',
  example: {
    after: ['/createProduct'],
    request: {
      metrics: ['activate.ok'],
      from: '2027-03-01T08:00:00.000Z',
      step: 'hour',
      productId: EXAMPLE.productId,
    },
    reply: {
      success: true,
      series: [
        {
          metric: 'activate.ok',
          points: [
            { at: '2027-03-01T08:00:00.000Z', value: 0 },
            { at: '2027-03-01T09:00:00.000Z', value: 0 },
          ],
        },
      ],
      completeTo: '2027-03-01T09:29:00.000Z',
    },
  },
  fields: Type.Object({
    metrics: Type.Array(oneOf('Names of the counted metrics.', COUNTED_METRICS, 'Metric'), {
      description: `Which series are wanted: 1 to ${MAX_METRICS} metrics.`,
      minItems: 1,
      maxItems: MAX_METRICS,
      errorText: `must be a list of 1 to ${MAX_METRICS} metrics, each one that the reference lists`,
    }),
    from: Type.Optional(timestamp('Begin with the step that this moment is in; 24 hours or 30 days before `to`.')),
    to: Type.Optional(timestamp('End before this moment, which need not be a whole step; now by default.')),
    step: Type.Optional(oneOf('Length of a step; `day` by default.', ['hour', 'day'])),
    productId: Type.Optional(productIdField),
  }),
  reply: success({
    series: Type.Array(
      resource('Series', 'The figures of one metric.', {
        metric: Type.String({ description: 'Names of the counted metrics.' }),
        points: Type.Array(
          Type.Object({
            at: timestamp('When the hour or day begins, UTC.'),
            value: Type.Integer({ description: 'How often it happened.' }),
          }),
          { description: 'One for each step, the oldest first.' },
        ),
      }),
      { description: 'In the order of `metrics`.' },
    ),
    completeTo: timestamp('Everything before this moment is in the figures.'),
  }),
  refusals: ['too_many_products'],
}).read(async (sql, { fields, scope, now }) => {
  const { step = 'day', from, to, productId } = fields;
  const metrics = [...new Set(fields.metrics)];
  const maxSteps = Math.min(MAX_STEPS, Math.floor(MAX_POINTS / metrics.length));
  const period = periodOf({ step, from, to, usualSteps: USUAL_STEPS[step], maxSteps, now });
  if (isRefusal(period)) return period;
  const reachable = await reachableProducts(sql, productId, scope);
  if (isRefusal(reachable)) return reachable;
  const productIds = reachable.productIds ?? [ALL_PRODUCTS];
  const found = await listStatistics(sql, { productIds, step, metrics, from: period.from, to: period.to });
  const values = new Map<string, number>();
  for (const { metric, at, value } of found) {
    const place = `${metric} ${at}`;
    values.set(place, (values.get(place) ?? 0) + value);
  }
  return {
    success: true,
    series: metrics.map((metric) => ({
      metric,
      points: period.steps.map((at) => ({ at, value: values.get(`${metric} ${at}`) ?? 0 })),
    })),
    completeTo: completeTo(now),
  };
});
