/** The product and the variant in the examples of this slice (see platform/endpoint/example-values.ts). */
import type { Static } from 'typebox';
import { EXAMPLE, EXAMPLE_NOW } from '../../platform/endpoint/example-values.ts';
import type { productSchema, variantSchema } from './views.ts';

/** The product of the example of /createProduct. */
export const exampleProduct: Static<typeof productSchema> = {
  productId: EXAMPLE.productId,
  name: 'Paint',
  slug: EXAMPLE.productId,
  creatorId: EXAMPLE.creatorId,
  status: 'live',
  active: true,
  createdAt: EXAMPLE_NOW,
  updatedAt: EXAMPLE_NOW,
};

/** Its variant after the example of /createVariant. */
export const exampleVariant: Static<typeof variantSchema> = {
  variantId: `${EXAMPLE.productId}-${EXAMPLE.variant}`,
  productId: EXAMPLE.productId,
  name: EXAMPLE.variant,
  licenseType: 'per-machine',
  maxMachines: 3,
  maxConcurrent: null,
  defaultTrialDays: null,
  durationDays: 365,
  price: 4900,
  active: true,
};
