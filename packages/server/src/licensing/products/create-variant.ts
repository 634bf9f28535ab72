import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import {
  amountOfMoney,
  machineLimit,
  oneOf,
  productIdField,
  success,
  text,
  wholeNumber,
} from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { putVariant } from './change.ts';
import { refusalForDuration } from './duration.ts';
import { exampleVariant } from './examples.ts';
import { DEFAULT_LICENSE_TYPE, DEFAULT_MAX_MACHINES, LICENSE_TYPES } from './license-type.ts';
import { lockProduct } from './store.ts';
import { NO_VARIANT_TERMS, newVariantTerms, termsAfter } from './terms.ts';
import { refusalForTrial, type Variant, variantIdOf } from './variant.ts';

/** POST /createVariant (rules 4.6.1). */
export const createVariant = endpoint({
  path: '/createVariant',
  access: 'admin',
  quota: 'variants',
  summary: 'Add or replace a variant of a product',
  description:
    'Adds a variant, active from the start. An existing variant of that name is replaced as a whole: fields that are ' +
    'not given get their defaults. Variants of other products stay as they are, even with the same variantId (`a` + ' +
    '`b-c` and `a-b` + `c`). Licenses issued before keep their values.',
  example: {
    after: ['/createProduct'],
    request: { productId: EXAMPLE.productId, name: EXAMPLE.variant, maxMachines: 3, durationDays: 365, price: 4900 },
    reply: { success: true, variantId: exampleVariant.variantId },
  },
  fields: Type.Object({
    productId: productIdField,
    name: text('Any text, as the `variant` of a license; case matters.'),
    licenseType: Type.Optional(oneOf('`per-machine` by default.', LICENSE_TYPES)),
    maxMachines: Type.Optional(machineLimit('Maximum number of machines; 2 by default, -1 is unlimited.')),
    maxConcurrent: Type.Optional(wholeNumber('Floating sessions at once.', 1)),
    defaultTrialDays: Type.Optional(wholeNumber('Trial length when no discount code is used.', 1)),
    durationDays: Type.Optional(wholeNumber('Duration of a license in days; perpetual by default.', 1)),
    price: Type.Optional(amountOfMoney('Smallest currency unit.')),
    ...newVariantTerms,
  }),
  reply: success({
    variantId: Type.String({ description: 'The productId, a hyphen and the name.' }),
  }),
  refusals: ['product_not_found', 'product_archived'],
}).write(async (tx, { fields, scope, origin }) => {
  const bothLengths = refusalForDuration(fields);
  if (bothLengths !== null) return bothLengths;
  const product = await lockProduct(tx, fields.productId, scope);
  if (product === undefined) return refuse('product_not_found');
  if (product.status === 'archived') return refuse('product_archived');
  const variant: Variant = {
    variantId: variantIdOf(product.productId, fields.name),
    productId: product.productId,
    name: fields.name,
    licenseType: fields.licenseType ?? DEFAULT_LICENSE_TYPE,
    maxMachines: fields.maxMachines ?? DEFAULT_MAX_MACHINES,
    maxConcurrent: fields.maxConcurrent ?? null,
    defaultTrialDays: fields.defaultTrialDays ?? null,
    durationDays: fields.durationDays ?? null,
    price: fields.price ?? null,
    active: true,
    terms: termsAfter(NO_VARIANT_TERMS, fields),
  };
  const endless = refusalForTrial(variant);
  if (endless !== null) return endless;
  await putVariant(tx, origin, variant);
  return { success: true, variantId: variant.variantId };
});
