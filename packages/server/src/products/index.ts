/** The endpoints of products and their variants, in the order of rules 4.5 and 4.6. */
import { createProduct } from './create-product.ts';
import { createVariant } from './create-variant.ts';
import { listProducts } from './list-products.ts';
import { listVariants } from './list-variants.ts';
import { updateProduct } from './update-product.ts';
import { updateVariant } from './update-variant.ts';

/** Products (rules 4.5). */
export const productEndpoints = [createProduct, listProducts, updateProduct];

/** Their variants (rules 4.6). */
export const variantEndpoints = [createVariant, updateVariant, listVariants];
