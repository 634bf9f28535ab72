/** The tables that the storage keeps for itself. */
import { storageMetrics } from './exported-metrics.ts';
import { storageTables } from './tables.ts';

export const storageRecords = {
  tables: storageTables,
  metrics: [storageMetrics],
};
