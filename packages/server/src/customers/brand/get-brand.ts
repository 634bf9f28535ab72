import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { nullable, success } from '../../platform/endpoint/field-types.ts';
import { ownerOf } from '../../platform/endpoint/owner.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { OPERATOR } from './brand.ts';
import { BRAND_EXAMPLE, brandCreatorField, brandSchema, brandView } from './fields.ts';
import { findOwnBrand } from './store.ts';

/** POST /getBrand (rules 13.7). */
export const getBrand = endpoint({
  path: '/getBrand',
  access: 'admin',
  needs: 'viewer',
  summary: 'Show the brand of the pages for customers',
  description:
    "Shows the operator's brand, or that of a creator's shop. `brand` is null until /updateBrand made one; a shop " +
    "without a brand shows the operator's.",
  example: {
    after: ['/updateBrand'],
    request: {},
    reply: { success: true, brand: BRAND_EXAMPLE },
  },
  fields: Type.Object({ creatorId: Type.Optional(brandCreatorField) }),
  reply: success({ brand: nullable(brandSchema) }),
  refusals: ['creator_mismatch'],
}).read(async (sql, { fields, scope }) => {
  const owner = ownerOf(fields.creatorId, scope);
  if (isRefusal(owner)) return owner;
  const brand = await findOwnBrand(sql, owner.creatorId ?? OPERATOR);
  return { success: true, brand: brand === undefined ? null : brandView(brand) };
});
