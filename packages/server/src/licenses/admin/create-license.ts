import Type from 'typebox';
import { endpoint } from '../../endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../endpoint/example-values.ts';
import {
  email,
  licenseKeyField,
  listOfText,
  machineLimit,
  nullable,
  oneOf,
  productIdField,
  text,
  timestamp,
  wholeNumber,
} from '../../endpoint/field-types.ts';
import { findProduct } from '../../products/store.ts';
import { refuse } from '../../refusals.ts';
import { exampleLicense } from '../examples.ts';
import { issueLicense } from '../issue.ts';
import { LICENSE_TYPES } from '../license.ts';
import { licenseSchema, licenseView } from '../views.ts';

const fields = Type.Object({
  email: email('The customer.'),
  productId: productIdField,
  variant: Type.Optional(text('Variant name; `indie` unless given.')),
  maxMachines: Type.Optional(machineLimit('Machines at once; the variant decides, else 2. -1 is unlimited.')),
  maxConcurrent: Type.Optional(wholeNumber('Floating sessions at once.', 1)),
  licenseType: Type.Optional(oneOf('The variant decides, else `per-machine`.', LICENSE_TYPES)),
  expiresAt: Type.Optional(nullable(timestamp('Perpetual unless given.'))),
  discountCode: Type.Optional(text('Code applied at purchase, kept as text.')),
  purchaseId: Type.Optional(text('External transaction.')),
  bundleId: Type.Optional(text('Bundle it belongs to.')),
  unlockedProducts: Type.Optional(listOfText('Further products that it opens.')),
});

export const createLicense = endpoint({
  path: '/createLicense',
  methods: ['POST'],
  access: 'admin',
  summary: 'Issue a license',
  description:
    'Issues a license with a new key. What the request leaves open comes from the catalogue variant of that name, else ' +
    'from the defaults. An API key reaches only products of its creator.',
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
  missing: 'Missing email or productId',
  reply: Type.Object({ success: Type.Literal(true), licenseKey: licenseKeyField, license: licenseSchema }),
  refusals: ['product_not_found', 'product_archived'],
}).write(async (tx, { fields: order, scope, origin }) => {
  const product = await findProduct(tx, order.productId, scope);
  // The storefront and operators may license products outside the catalogue; an API key may not.
  if (product === undefined && scope.creatorId !== null) return refuse('product_not_found');
  if (scope.creatorId !== null)
    for (const productId of order.unlockedProducts ?? [])
      if ((await findProduct(tx, productId, scope)) === undefined) return refuse('product_not_found');
  if (product?.status === 'archived') return refuse('product_archived');
  const license = await issueLicense(tx, { ...order, expiresAt: order.expiresAt ?? null }, origin);
  return { success: true, licenseKey: license.licenseKey, license: licenseView(license, origin.now) };
});
