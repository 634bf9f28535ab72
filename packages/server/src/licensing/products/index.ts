/** The endpoints of products and their variants, in the order of rules 4.5 and 4.6. */
import type { Slice } from '../../platform/slice/slice.ts';
import { createProduct } from './create-product.ts';
import { createVariant } from './create-variant.ts';
import { listProducts } from './list-products.ts';
import { listVariants } from './list-variants.ts';
import { productRefusals, reachRefusals } from './refusals.ts';
import { productTables } from './tables.ts';
import { updateProduct } from './update-product.ts';
import { updateVariant } from './update-variant.ts';

export const products: Slice = {
  refusals: [productRefusals, reachRefusals],
  sections: [
    {
      title: 'Products',
      description: 'The catalogue of products on sale. Every product belongs to one creator.',
      endpoints: [createProduct, listProducts, updateProduct],
    },
    {
      title: 'Variants',
      description: 'The editions of a product: license type, number of machines and duration.',
      endpoints: [createVariant, updateVariant, listVariants],
    },
  ],
  tables: productTables,
};
