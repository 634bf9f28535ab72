import Type from 'typebox';
import { countryField } from '../../../platform/endpoint/country-field.ts';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import {
  flag,
  nullable,
  oneOf,
  productIdField,
  resource,
  text,
  timestamp,
  wholeNumber,
} from '../../../platform/endpoint/field-types.ts';
import { DEFAULT_LIMIT, pageFields, pageReply } from '../../../platform/endpoint/page.ts';
import { isRefusal } from '../../../platform/endpoint/refusals.ts';
import { reachableProducts } from '../../products/reachable-products.ts';
import { GRAVEST_LEVEL } from '../../violations/violation.ts';
import { LICENSE_STATUSES, shownLicenseKey, statusAt } from '../license.ts';
import type { ListedLicense } from '../listing-store.ts';
import { metadataPairField } from '../metadata.ts';
import { licenseStatusSchema, licenseTypeSchema } from '../views.ts';
import {
  DEFAULT_MINIMUM_LEVEL,
  DEFAULT_WITHIN_DAYS,
  LICENSE_VIEWS,
  licensePage,
  refusalForFields,
} from './license-list-views.ts';

/** A hundred years: further ahead than anybody plans. */
const MAX_WITHIN_DAYS = 36_500;

export const listLicenses = endpoint({
  path: '/listLicenses',
  access: 'admin',
  needs: 'viewer',
  summary: 'List licenses, newest first',
  description:
    'Lists licenses by product, purchase, e-mail, variant, status and metadata; all given filters must match. `nextCursor` is ' +
    'present when there are more; give it as `cursor` for the next page. The status is the present one. An API key ' +
    'whose creator owns more than 30 products must name a product. `view` lists the licenses that expire soon, ' +
    'soonest first, or those under threat, most severe first. `country` lists the licenses that a machine was ever ' +
    'used from that country; a new one appears within a minute. `productId` is the only filter that `view` and ' +
    '`country` accept. ' +
    '`detail` shows more of each license.',
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
  reply: pageReply(
    'licenses',
    resource('LicenseSummary', 'A license as lists show it; /getLicense shows all fields.', {
      key: Type.String({ description: 'License key.' }),
      email: Type.String({ description: 'E-mail address of the customer.' }),
      productId: Type.String({ description: 'Product that it is for.' }),
      variant: Type.String({ description: 'Name of the variant.' }),
      status: licenseStatusSchema,
      maxMachines: Type.Integer({ description: '-1 is unlimited.' }),
      createdAt: timestamp('When the license was created.'),
      licenseType: Type.Optional(licenseTypeSchema),
      expiresAt: Type.Optional(nullable(timestamp('With `detail`. Null is perpetual.'))),
      machinesUsed: Type.Optional(Type.Integer({ description: 'With `detail`: machines that it is bound to.' })),
      maxConcurrent: Type.Optional(nullable(Type.Integer({ description: 'With `detail`. Floating licenses only.' }))),
      threatLevel: Type.Optional(Type.Integer({ description: 'With `detail`: 0 to 4.' })),
    }),
  ),
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
    licenses: page.entries.map((each) => ({
      key: shownLicenseKey(each),
      email: each.email,
      productId: each.productId,
      variant: each.variant,
      status: statusAt(each, now),
      maxMachines: each.maxMachines,
      createdAt: each.createdAt,
      ...(detail ? detailsOf(each) : {}),
    })),
    count: page.entries.length,
    ...page.next,
  };
});

/** The fields that `detail` adds. */
function detailsOf({ licenseType, expiresAt, machinesUsed, maxConcurrent, threatLevel }: ListedLicense) {
  return { licenseType, expiresAt, machinesUsed, maxConcurrent, threatLevel };
}
