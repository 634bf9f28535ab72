import Type, { type Static } from 'typebox';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import {
  email,
  endTimestamp,
  licenseKeyField,
  listOfText,
  machineLimit,
  nullable,
  oneOf,
  productIdField,
  success,
  text,
  wholeNumber,
} from '../../../platform/endpoint/field-types.ts';
import { isRefusal, type Refusal, refuse } from '../../../platform/endpoint/refusals.ts';
import type { Sql } from '../../../storage/contract/storage.ts';
import { type Duration, durationOfVariant } from '../../products/duration.ts';
import { LICENSE_TYPES } from '../../products/license-type.ts';
import { findProduct } from '../../products/store.ts';
import { findVariant } from '../../products/variant-store.ts';
import { exampleLicense } from '../examples.ts';
import { DEFAULT_VARIANT, issueLicense } from '../issue.ts';
import { metadataField } from '../metadata.ts';
import { newLicenseTerms } from '../terms.ts';
import { licenseSchema, licenseView } from '../views.ts';

const fields = Type.Object({
  email: email('The customer.'),
  productId: productIdField,
  variant: Type.Optional(text('Variant name; `indie` by default.')),
  maxMachines: Type.Optional(
    machineLimit('Maximum number of machines; by default that of the variant, otherwise 2. -1 is unlimited.'),
  ),
  maxConcurrent: Type.Optional(wholeNumber('Floating sessions at once.', 1)),
  licenseType: Type.Optional(oneOf('The variant decides, else `per-machine`.', LICENSE_TYPES)),
  expiresAt: Type.Optional(nullable(endTimestamp('Perpetual unless this or `duration` is given.'))),
  duration: Type.Optional(
    oneOf('`variant`: the license lasts for the durationDays or durationMonths of its variant. Not with `expiresAt`.', [
      'variant',
    ]),
  ),
  discountCode: Type.Optional(text('Code applied at purchase, stored as text.')),
  purchaseId: Type.Optional(text('External transaction.')),
  bundleId: Type.Optional(text('Bundle it belongs to.')),
  unlockedProducts: Type.Optional(listOfText('Further products that it opens.')),
  ...newLicenseTerms,
  metadata: Type.Optional(metadataField("The vendor's own facts: at most 50 names to texts; never shown to the app.")),
});

export const createLicense = endpoint({
  path: '/createLicense',
  access: 'admin',
  quota: 'licenses',
  summary: 'Issue a license',
  description:
    'Issues a license with a new key. Type and limits that the request leaves out come from the catalogue variant of ' +
    'that name, otherwise from the defaults. The license is perpetual unless `expiresAt` or `duration` is given, even if ' +
    'the variant has durationDays. An API key reaches only products of its creator.',
  example: {
    after: ['/createVariant'],
    request: {
      email: EXAMPLE.email,
      productId: EXAMPLE.productId,
      variant: EXAMPLE.variant,
      expiresAt: '2028-03-01T09:30:00.000Z',
      purchaseId: EXAMPLE.purchaseId,
    },
    reply: { success: true, licenseKey: MADE_BY_SERVICE.licenseKey, license: exampleLicense },
  },
  fields,
  reply: success({ licenseKey: licenseKeyField, license: licenseSchema }),
  refusals: ['product_not_found', 'product_archived'],
}).write(async (tx, { fields: order, scope, origin }) => {
  const product = await findProduct(tx, order.productId, scope);
  // The storefront and operators may license products outside the catalogue; an API key may not.
  if (product === undefined && scope.creatorId !== null) return refuse('product_not_found');
  if (scope.creatorId !== null)
    for (const productId of order.unlockedProducts ?? [])
      if ((await findProduct(tx, productId, scope)) === undefined) return refuse('product_not_found');
  if (product?.status === 'archived') return refuse('product_archived');
  const { duration, ...rest } = order;
  const length = duration === undefined ? null : await lengthOfVariant(tx, order);
  if (length !== null && isRefusal(length)) return length;
  const license = await issueLicense(tx, { ...rest, duration: length }, origin);
  return { success: true, licenseKey: license.licenseKey, license: licenseView(license, origin.now) };
});

/** The length that the variant of an order gives; null if the variant is perpetual. */
async function lengthOfVariant(
  sql: Sql,
  { productId, variant: name = DEFAULT_VARIANT, expiresAt }: Static<typeof fields>,
): Promise<Duration | null | Refusal<'invalid_field'>> {
  const invalid = (message: string) => refuse('invalid_field', { details: { message } });
  if (expiresAt !== undefined) return invalid('expiresAt must not be given with duration');
  const variant = await findVariant(sql, productId, name);
  if (variant === undefined)
    return invalid(`duration needs a variant of the catalogue, and the product has no ${name}`);
  return durationOfVariant(variant);
}
