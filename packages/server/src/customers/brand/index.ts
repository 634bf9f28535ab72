/** The brand of the pages for customers. */
import type { Slice } from '../../platform/slice/slice.ts';
import { getBrand } from './get-brand.ts';
import { brandTables } from './tables.ts';
import { updateBrand } from './update-brand.ts';

export const brands: Slice = {
  sections: [
    {
      title: 'Brand',
      description:
        "Name, support, colour and logo of the pages for customers at /my: the operator's, and one for each shop.",
      endpoints: [getBrand, updateBrand],
    },
  ],
  tables: brandTables,
};
