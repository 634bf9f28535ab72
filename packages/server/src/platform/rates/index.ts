/** Rates: the table of counts for limits. */
import { rateTables } from './tables.ts';

export const rates = {
  tables: rateTables,
};
