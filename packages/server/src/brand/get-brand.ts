import Type from 'typebox';
import { endpoint } from '../endpoint/endpoint.ts';
import { nullable, success } from '../endpoint/field-types.ts';
import { brandKey } from './brand-key.ts';
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
  const key = brandKey(fields.creatorId, scope);
  if (typeof key !== 'string') return key;
  const brand = await findOwnBrand(sql, key);
  return { success: true, brand: brand === undefined ? null : brandView(brand) };
});
