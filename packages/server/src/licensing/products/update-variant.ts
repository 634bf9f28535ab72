import Type from 'typebox';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import {
  amountOfMoney,
  flag,
  machineLimit,
  nullable,
  success,
  text,
  wholeNumber,
} from '../../platform/endpoint/field-types.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import {
  changesField,
  refusalOfShown,
  type SeenThing,
  seenFields,
  undoesField,
} from '../../platform/endpoint/shown-values.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { putVariant } from './change.ts';
import { refusalForDuration } from './duration.ts';
import { exampleVariant } from './examples.ts';
import { lockProduct } from './store.ts';
import { changedVariantTerms, termsAfter, type VariantTerms } from './terms.ts';
import { refusalForTrial, type Variant } from './variant.ts';
import { findVariant, listVariantsById } from './variant-store.ts';
import { variantSchema, variantView } from './views.ts';

/** Maximum number of variants with one variantId: each belongs to a product whose id is a different prefix of it. */
const MAX_ALIKE = 255;
/** Candidates listed when a variantId is ambiguous. */
const MAX_NAMED = 5;

/** POST /updateVariant (rules 4.6.2). */
export const updateVariant = endpoint({
  path: '/updateVariant',
  access: 'admin',
  summary: 'Change a variant',
  description:
    'Changes the given fields and leaves the others; null clears a number that a variant may lack. Licenses issued ' +
    'before keep their values. Products of the caller may have variants of one variantId (`a` + `b-c` and `a-b` + ' +
    '`c`): then productId selects one; otherwise it is ignored. `wasPrice` and the like are values that the caller saw: ' +
    'if one of them is not the stored one, nothing is changed, and the answer is 409 with the author of that change.',
  example: {
    after: ['/createVariant'],
    request: { variantId: exampleVariant.variantId, price: 5900 },
    reply: { success: true, variant: { ...exampleVariant, price: 5900 } },
  },
  fields: Type.Object({
    variantId: text('The productId, a hyphen and the name.', 511),
    productId: Type.Optional(text('The product of the variant, if several variants have this variantId.')),
    maxMachines: Type.Optional(machineLimit('Maximum number of machines; -1 is unlimited.')),
    maxConcurrent: Type.Optional(nullable(wholeNumber('Floating sessions at once.', 1))),
    defaultTrialDays: Type.Optional(nullable(wholeNumber('Trial length when no discount code is used.', 1))),
    durationDays: Type.Optional(nullable(wholeNumber('Days a license lasts; null is perpetual.', 1))),
    price: Type.Optional(nullable(amountOfMoney('Smallest currency unit.'))),
    active: Type.Optional(flag('Whether it is listed without asking for inactive ones.')),
    ...changedVariantTerms,
    wasMaxMachines: Type.Optional(machineLimit('The number of machines that the caller saw.')),
    wasMaxConcurrent: Type.Optional(nullable(wholeNumber('The number of floating sessions that the caller saw.', 1))),
    wasDefaultTrialDays: Type.Optional(nullable(wholeNumber('The trial length that the caller saw.', 1))),
    wasDurationDays: Type.Optional(nullable(wholeNumber('The duration that the caller saw.', 1))),
    wasPrice: Type.Optional(nullable(amountOfMoney('The price that the caller saw.'))),
    wasActive: Type.Optional(flag('The value of `active` that the caller saw.')),
    ...seenFields(changedVariantTerms),
    undoes: Type.Optional(undoesField),
  }),
  reply: success({ variant: variantSchema }),
  refusals: ['variant_not_found', 'variant_ambiguous', 'changed_meanwhile', 'product_archived'],
}).write(async (tx, { fields, scope, origin }) => {
  const { variantId, productId, maxMachines, maxConcurrent, defaultTrialDays, durationDays, price, active } = fields;
  const bothLengths = refusalForDuration(fields);
  if (bothLengths !== null) return bothLengths;
  const seen = await findMeant(tx, variantId, productId, scope);
  if (isRefusal(seen)) return seen;
  const product = await lockProduct(tx, seen.productId, scope);
  // Read again under the lock, so that a concurrent write is not lost.
  const variant = product && (await findVariant(tx, seen.productId, seen.name));
  if (variant === undefined) return refuse('variant_not_found');
  if (product?.status === 'archived') return refuse('product_archived');
  const changedMeanwhile = await refusalOfShown(tx, seenVariant(variant), fields, scope);
  if (changedMeanwhile !== null) return changedMeanwhile;
  const changed: Variant = {
    ...variant,
    maxMachines: maxMachines ?? variant.maxMachines,
    maxConcurrent: maxConcurrent === undefined ? variant.maxConcurrent : maxConcurrent,
    defaultTrialDays: defaultTrialDays === undefined ? variant.defaultTrialDays : defaultTrialDays,
    durationDays:
      durationDays === undefined ? (fields.durationMonths == null ? variant.durationDays : null) : durationDays,
    price: price === undefined ? variant.price : price,
    active: active ?? variant.active,
    // One length takes the place of the other.
    terms: termsAfter(variant.terms, durationDays == null ? fields : { ...fields, durationMonths: null }),
  };
  const endless = refusalForTrial(changed);
  if (endless !== null) return endless;
  await putVariant(tx, origin, changed);
  return { success: true, variant: variantView(changed) };
});

/** The variant with a given id; the product resolves an ambiguous id. */
async function findMeant(
  sql: Sql,
  variantId: string,
  productId: string | undefined,
  scope: Scope,
): Promise<Variant | Refusal<'variant_not_found' | 'variant_ambiguous'>> {
  const found = await listVariantsById(sql, variantId, scope, MAX_ALIKE);
  const [meant = found[0]] = found.filter((each) => each.productId === productId);
  if (meant === undefined) return refuse('variant_not_found');
  if (found.length === 1 || meant.productId === productId) return meant;
  const named = found.slice(0, MAX_NAMED).map(({ productId, name }) => `${productId} + ${name}`);
  return refuse('variant_ambiguous', { details: { variants: named.join(' or ') } });
}

function seenVariant(variant: Variant): SeenThing<Variant & VariantTerms> {
  return {
    name: 'Variant',
    stored: { ...variant, ...variant.terms },
    events: { productIds: [variant.productId], types: ['variant.updated'], subject: variant.variantId },
    isChangeOf: changesField,
  };
}
