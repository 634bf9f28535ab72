/** The exported size of a database that is no file; ground/measures/disk.ts measures files. */

import { NODE_METRICS } from '../../ground/measures/node-metrics.ts';
import type { SliceMetrics } from '../../platform/endpoint/slice-metrics.ts';
import { describeDatabase } from './database-store.ts';

export const systemMetrics: SliceMetrics = {
  // ground/measures/disk.ts measures the same, so both metrics are one, declared below both.
  metrics: {},
  async ofDatabase(sql, _now, measures) {
    const { bytes } = await describeDatabase(sql);
    if (bytes !== null) measures.set(NODE_METRICS.latchkey_database_bytes, {}, bytes);
  },
};
