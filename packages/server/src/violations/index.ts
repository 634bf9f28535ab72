/** Violations: the table. */
import type { Slice } from '../endpoint/slice.ts';
import { violationTables } from './tables.ts';

export const violations: Slice = {
  tables: violationTables,
};
