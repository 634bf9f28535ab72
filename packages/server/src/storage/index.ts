/** The tables that the storage keeps for itself. */
import { storageTables } from './tables.ts';

export const storageRecords = {
  tables: storageTables,
};
