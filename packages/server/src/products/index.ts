/** The products slice: products and their variants, in the specification's order. */
import { createProduct } from './create-product.ts';
import { createVariant } from './create-variant.ts';
import { listProducts } from './list-products.ts';
import { listVariants } from './list-variants.ts';
import { updateProduct } from './update-product.ts';
import { updateVariant } from './update-variant.ts';

/** Products (specification, "Admin: products"). */
export const productEndpoints = [createProduct, listProducts, updateProduct];

/** Their variants (specification, "Admin: variants"). */
export const variantEndpoints = [createVariant, updateVariant, listVariants];
