import Type, { type TSchema } from 'typebox';
import { MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import { reachableProducts } from '../../licensing/products/reachable-products.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW } from '../../platform/endpoint/example-values.ts';
import { nullable, oneOf, productIdField, resource, success, timestamp } from '../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { MAX_VARIANTS, readSales } from './read-sales.ts';
import { SALE_METRICS, type SaleMetric, TRIAL_COUNTS_DAYS } from './sale-metric.ts';
import { MAX_STEPS, SALE_STEPS, salesPeriodOf } from './sales-period.ts';
import { findCompleteTo } from './uncounted-store.ts';

const MEANINGS: Readonly<Record<SaleMetric, string>> = {
  issued: 'New licenses, without trials.',
  purchased: 'Those of them that have a purchase.',
  renewed: 'Licenses that a payment extended.',
  refunded: 'Licenses whose price was refunded.',
  partlyRefunded: 'Refunds of a part of a price.',
  chargedBack: 'Licenses whose payment was charged back.',
  reinstated: 'Refunds and chargebacks that were lifted.',
  trialsStarted: 'Trials that began, with a trial code or without a key.',
  trialsConverted: `Trials that a purchase followed within ${TRIAL_COUNTS_DAYS} days, on the day of the purchase.`,
};

/** The job looks once a minute. */
const COUNTED_WITHIN_MS = MINUTE_MS;

/** A property for each figure. */
function ofEach<Schema extends TSchema>(schema: (meaning: string) => Schema): Record<SaleMetric, Schema> {
  return Object.fromEntries(SALE_METRICS.map((metric) => [metric, schema(MEANINGS[metric])])) as never;
}

const figures = resource(
  'SaleFigures',
  'Numbers of licenses.',
  ofEach((description) => Type.Integer({ description })),
);
const points = resource(
  'SalePoints',
  'A value for each of `steps`; a figure that is 0 in all of them is absent.',
  ofEach((description) => Type.Optional(Type.Array(Type.Integer(), { description }))),
);
const parts = { totals: figures, before: figures, points };

const NONE = {
  issued: 0,
  purchased: 0,
  renewed: 0,
  refunded: 0,
  partlyRefunded: 0,
  chargedBack: 0,
  reinstated: 0,
  trialsStarted: 0,
  trialsConverted: 0,
};

/** GET/POST /getSales (rules 4.11.4). */
export const getSales = endpoint({
  path: '/getSales',
  access: 'admin',
  needs: 'viewer',
  summary: 'What sells',
  description:
    'Answers how many licenses were issued, bought, renewed, refunded and tried: in all, and by product and variant, ' +
    'with the totals of the period before, which has as many days. Steps are whole days, weeks from Monday on, or ' +
    `months, UTC. The ${MAX_VARIANTS} variants with the most purchases have figures of their own. Figures are counted ` +
    'from the recorded events within a minute, exactly once, and kept for three years. Licenses that were imported ' +
    'or got another key count as nothing new. Without `productId` all products are added up; an API key whose ' +
    'creator owns more than 30 products must name one.',
  example: {
    after: ['/createProduct'],
    request: { from: '2027-02-28T00:00:00.000Z', productId: EXAMPLE.productId },
    reply: {
      success: true,
      steps: ['2027-02-28T00:00:00.000Z', '2027-03-01T00:00:00.000Z'],
      totals: NONE,
      before: NONE,
      points: {},
      variants: [],
      others: null,
      completeTo: EXAMPLE_NOW,
    },
  },
  fields: Type.Object({
    from: Type.Optional(timestamp('Begin with the step that this moment is in; 30 days, 12 weeks or 12 months long.')),
    to: Type.Optional(timestamp('End before this moment, whose day counts as a whole; now by default.')),
    step: Type.Optional(
      oneOf(
        `Length of a step; \`day\` by default. At most ${MAX_STEPS.day} days, ${MAX_STEPS.week} weeks or ${MAX_STEPS.month} months.`,
        SALE_STEPS,
      ),
    ),
    productId: Type.Optional(productIdField),
  }),
  reply: success({
    steps: Type.Array(timestamp('When the step begins, UTC.'), { description: 'The oldest first.' }),
    ...parts,
    variants: Type.Array(
      resource('SalesOfVariant', 'The figures of the licenses of one variant.', {
        productId: Type.String({ description: 'Product that they are for.' }),
        variant: Type.String({ description: 'Their variant at the time.' }),
        ...parts,
      }),
      { description: 'The one with the most purchases first.' },
    ),
    others: nullable(
      resource('SalesOfOthers', 'The sums of all other variants.', {
        variants: Type.Integer({ description: 'How many they are.' }),
        ...parts,
      }),
    ),
    completeTo: timestamp('Everything before this moment is in the figures.'),
  }),
  refusals: ['too_many_products'],
}).read(async (sql, { fields, scope, now }) => {
  const { from, to, step = 'day', productId } = fields;
  const period = salesPeriodOf(step, from, to, now);
  if (isRefusal(period)) return period;
  const reachable = await reachableProducts(sql, productId, scope);
  if (isRefusal(reachable)) return reachable;
  const sales = await readSales(sql, { productIds: reachable.productIds, period });
  // The oldest event that is not counted may be one that a creator must not see.
  const completeTo = scope.creatorId === null ? await findCompleteTo(sql, now) : toTimestamp(now - COUNTED_WITHIN_MS);
  return { success: true, steps: period.steps, ...sales, completeTo };
});
