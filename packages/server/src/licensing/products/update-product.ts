import Type from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import { flag, oneOf, productIdField, success, text } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { refuseName } from '../../platform/endpoint/shown-name.ts';
import { changesField, refusalOfShown, type SeenThing, undoesField } from '../../platform/endpoint/shown-values.ts';
import { changeProduct } from './change.ts';
import { exampleProduct } from './examples.ts';
import { PRODUCT_STATUSES, type Product, statusAfter } from './product.ts';
import { lockProduct } from './store.ts';
import { productSchema, productView } from './views.ts';

/** POST /updateProduct (rules 4.5.3). */
export const updateProduct = endpoint({
  path: '/updateProduct',
  access: 'admin',
  summary: 'Change a product',
  description:
    'Changes the given fields and leaves the others. Any status may follow any other. An archived product is ' +
    'read-only: its name and owner change only together with a status that brings it back. `updatedAt` changes only ' +
    'with another field. `wasName`, `wasStatus` and `wasCreatorId` are values that the caller saw: if one of them is not ' +
    'the stored one, nothing is changed, and the answer is 409 with the author of that change.',
  example: {
    after: ['/createProduct'],
    request: { productId: EXAMPLE.productId, status: 'unlisted' },
    reply: { success: true, product: { ...exampleProduct, status: 'unlisted' } },
  },
  fields: Type.Object({
    productId: productIdField,
    name: Type.Optional(text('Its name for people.')),
    status: Type.Optional(oneOf('New status.', PRODUCT_STATUSES)),
    active: Type.Optional(
      flag('Legacy, where no status is given: false archives, true brings an archived product back to `live`.'),
    ),
    creatorId: Type.Optional(text('New owner; for adminSecret only.')),
    wasName: Type.Optional(text('The name that the caller saw.')),
    wasStatus: Type.Optional(oneOf('The status that the caller saw.', PRODUCT_STATUSES)),
    wasCreatorId: Type.Optional(text('The owner that the caller saw.')),
    undoes: Type.Optional(undoesField),
  }),
  reply: success({ product: productSchema }),
  refusals: ['product_not_found', 'changed_meanwhile', 'creator_mismatch', 'product_archived'],
}).write(async (tx, { fields, scope, origin }) => {
  const product = await lockProduct(tx, fields.productId, scope);
  if (product === undefined) return refuse('product_not_found');
  const changedMeanwhile = await refusalOfShown(tx, seenProduct(product), fields, scope);
  if (changedMeanwhile !== null) return changedMeanwhile;
  const { name = product.name, creatorId = product.creatorId } = fields;
  if (scope.creatorId !== null && creatorId !== scope.creatorId) return refuse('creator_mismatch');
  const status = statusAfter(product.status, fields);
  const isChanged = name !== product.name || creatorId !== product.creatorId || status !== product.status;
  if (!isChanged) return { success: true, product: productView(product) };
  if (product.status === 'archived' && status === 'archived') return refuse('product_archived');
  const refusal = name === product.name ? null : refuseName(name, scope);
  if (refusal !== null) return refusal;
  const changed: Product = { ...product, name, creatorId, status, updatedAt: toTimestamp(origin.now) };
  await changeProduct(tx, origin, product, changed);
  return { success: true, product: productView(changed) };
});

function seenProduct(stored: Product): SeenThing<Product> {
  const events = { productIds: [stored.productId], types: ['product.updated'] } as const;
  return { name: 'Product', stored, events, isChangeOf: changesField };
}
