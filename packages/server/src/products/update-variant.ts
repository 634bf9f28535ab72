import Type from 'typebox';
import { endpoint } from '../endpoint/endpoint.ts';
import { amountOfMoney, flag, machineLimit, nullable, text, wholeNumber } from '../endpoint/vocabulary.ts';
import { refuse } from '../refusals.ts';
import { lockProduct } from './store.ts';
import type { Variant } from './variant.ts';
import { findVariantById, saveVariant } from './variant-store.ts';
import { variantSchema, variantView } from './views.ts';

/** POST /updateVariant (specification, "Admin: variants"). */
export const updateVariant = endpoint({
  path: '/updateVariant',
  methods: ['POST'],
  access: 'admin',
  summary: 'Change a variant',
  description:
    'Changes what is given and leaves the rest; null takes a number away where a variant may do without it. Licenses ' +
    'that were issued before keep what they have.',
  fields: Type.Object({
    variantId: text('The productId, a hyphen and the name.', 511),
    maxMachines: Type.Optional(machineLimit('Machines at once; -1 is unlimited.')),
    maxConcurrent: Type.Optional(nullable(wholeNumber('Floating sessions at once.', 1))),
    defaultTrialDays: Type.Optional(nullable(wholeNumber('Trial length when no discount code is used.', 1))),
    durationDays: Type.Optional(nullable(wholeNumber('Days a license lasts; null is perpetual.', 1))),
    price: Type.Optional(nullable(amountOfMoney('Smallest currency unit.'))),
    active: Type.Optional(flag('Whether it is listed without asking for inactive ones.')),
  }),
  missing: 'Missing variantId',
  reply: Type.Object({ success: Type.Literal(true), variant: variantSchema }),
  refusals: ['variant_not_found', 'product_archived'],
}).write(async (tx, { fields: { variantId, ...given }, scope }) => {
  const seen = await findVariantById(tx, variantId, scope);
  if (seen === undefined) return refuse('variant_not_found');
  const product = await lockProduct(tx, seen.productId, scope);
  // Read again under the lock: what another call wrote meanwhile must not be lost.
  const variant = product && (await findVariantById(tx, variantId, scope));
  if (variant === undefined) return refuse('variant_not_found');
  if (product?.status === 'archived') return refuse('product_archived');
  const changed: Variant = { ...variant, ...given };
  await saveVariant(tx, changed);
  return { success: true, variant: variantView(changed) };
});
