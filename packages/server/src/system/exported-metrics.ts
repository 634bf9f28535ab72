/** The exported size of a database that is no file; measures/disk.ts measures files. */
import type { SliceMetrics } from '../endpoint/slice-metrics.ts';
import { NODE_METRICS } from '../measures/node-metrics.ts';
import { describeDatabase } from './database-store.ts';

export const systemMetrics: SliceMetrics = {
  // measures/disk.ts measures the same, so both metrics are one, declared below both.
  metrics: {},
  async ofDatabase(sql, _now, measures) {
    const { bytes } = await describeDatabase(sql);
    if (bytes !== null) measures.set(NODE_METRICS.latchkey_database_bytes, {}, bytes);
  },
};
