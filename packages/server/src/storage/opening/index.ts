/** The tables that the storage keeps for itself. */

import { storageTables } from '../contract/tables.ts';
import { storageMetrics } from './exported-metrics.ts';

export const storageRecords = {
  tables: storageTables,
  metrics: [storageMetrics],
};
