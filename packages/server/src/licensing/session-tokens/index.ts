/** Session tokens: the table of their keys. */
import type { Slice } from '../../platform/slice/slice.ts';
import { sessionTokenTables } from './tables.ts';

export const sessionTokens: Slice = {
  tables: sessionTokenTables,
};
