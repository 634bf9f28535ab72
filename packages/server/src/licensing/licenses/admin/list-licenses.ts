import Type from 'typebox';
import { countryField } from '../../../platform/endpoint/country-field.ts';
import { creationRangeFields } from '../../../platform/endpoint/creation-range.ts';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import {
  endTimestamp,
  flag,
  oneOf,
  productIdField,
  text,
  timestamp,
  wholeNumber,
} from '../../../platform/endpoint/field-types.ts';
import { DEFAULT_LIMIT, pageFields, pageReply } from '../../../platform/endpoint/page.ts';
import { isRefusal } from '../../../platform/endpoint/refusals.ts';
import { reachableProducts } from '../../products/reachable-products.ts';
import { GRAVEST_LEVEL } from '../../violations/violation.ts';
import { LICENSE_STATUSES } from '../license.ts';
import { metadataPairField } from '../metadata.ts';
import { LICENSE_ORDERS, LICENSE_VIEWS, refusalForFields } from './license-list-fields.ts';
import { DEFAULT_MINIMUM_LEVEL, DEFAULT_WITHIN_DAYS, licensePage } from './license-list-pages.ts';
import { licenseSummary, licenseSummarySchema } from './license-summary.ts';

/** A hundred years: further ahead than anybody plans. */
const MAX_WITHIN_DAYS = 36_500;

export const listLicenses = endpoint({
  path: '/listLicenses',
  access: 'admin',
  needs: 'viewer',
  summary: 'List licenses, newest first or in another order',
  description:
    'Lists licenses by product, purchase, e-mail, variant, status and metadata; all given filters must match. `nextCursor` is ' +
    'present when there are more; give it as `cursor` for the next page. The status is the present one. An API key ' +
    'whose creator owns more than 30 products must name a product. `view` lists the licenses that expire soon, ' +
    'soonest first, or those under threat, most severe first. `country` lists the licenses that a machine was ever ' +
    'used from that country; a new one appears within a minute. `beginning` lists the licenses whose addresses begin with ' +
    'it, in the order of the addresses. `productId` is the only filter that `view` and `beginning` accept; `country` also ' +
    'accepts `createdFrom` and `createdTo`. `sort` `expiry` lists the licenses that have an expiry, soonest first, and ' +
    'accepts `productId`, `status`, `expiresFrom` and `expiresTo`. `detail` shows more of each license.',
  example: {
    after: ['/createLicense'],
    request: { productId: EXAMPLE.productId, limit: 50 },
    reply: {
      success: true,
      licenses: [
        {
          key: MADE_BY_SERVICE.licenseKey,
          email: EXAMPLE.email,
          productId: EXAMPLE.productId,
          variant: EXAMPLE.variant,
          status: 'active',
          maxMachines: 3,
          createdAt: EXAMPLE_NOW,
        },
      ],
      count: 1,
    },
  },
  fields: Type.Object({
    productId: Type.Optional(productIdField),
    purchaseId: Type.Optional(text("The storefront's transaction; an exact match.")),
    email: Type.Optional(text('Customer e-mail, compared without case.', 320)),
    variant: Type.Optional(text('Name of the variant; an exact match.')),
    status: Type.Optional(oneOf('Status at this moment.', LICENSE_STATUSES)),
    country: Type.Optional(countryField('A country that a machine of the license has called from.')),
    metadata: Type.Optional(
      metadataPairField('One name of the metadata with its value, an exact match; in a body only.'),
    ),
    beginning: Type.Optional(text('The beginning of the customer e-mail, compared without case.', 320)),
    ...creationRangeFields,
    expiresFrom: Type.Optional(timestamp('For the order `expiry`: expiry at this time or later.')),
    expiresTo: Type.Optional(endTimestamp('For the order `expiry`: expiry at this time or earlier.')),
    sort: Type.Optional(
      oneOf('By creation, newest (the default) or oldest first; or by expiry, soonest first.', LICENSE_ORDERS),
    ),
    detail: Type.Optional(flag('True shows more of each license.')),
    view: Type.Optional(
      oneOf(
        'Active licenses that expire soon, soonest first; or licenses whose threat level is not 0, highest first.',
        LICENSE_VIEWS,
      ),
    ),
    withinDays: Type.Optional(
      wholeNumber(
        `For the view \`expiring\`: expiry within this many days from now; ${DEFAULT_WITHIN_DAYS} by default.`,
        1,
        MAX_WITHIN_DAYS,
      ),
    ),
    minimum: Type.Optional(
      wholeNumber(
        `For the view \`threat\`: the lowest threat level; ${DEFAULT_MINIMUM_LEVEL} by default.`,
        1,
        GRAVEST_LEVEL,
      ),
    ),
    ...pageFields('Licenses'),
  }),
  reply: pageReply('licenses', licenseSummarySchema),
  refusals: ['too_many_products'],
}).read(async (sql, { fields, scope, now }) => {
  const { detail = false, limit = DEFAULT_LIMIT } = fields;
  const refusal = refusalForFields(fields);
  if (refusal !== null) return refusal;
  const reachable = await reachableProducts(sql, fields.productId, scope);
  if (isRefusal(reachable)) return reachable;
  const page = await licensePage(sql, { ...fields, ...reachable, limit }, now);
  if (isRefusal(page)) return page;
  return {
    success: true,
    licenses: page.entries.map((each) => licenseSummary(each, detail, now)),
    count: page.entries.length,
    ...page.next,
  };
});
