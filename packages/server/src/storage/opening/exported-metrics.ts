/** The exported version of the tables. */
import type { Measures } from '../../ground/measures/measures.ts';
import { declareMetrics } from '../../ground/measures/metric.ts';
import type { Sql } from '../contract/storage.ts';
import { findSchemaVersion } from '../migrations/schema-store.ts';

const metrics = declareMetrics({
  latchkey_schema_version: { type: 'gauge', help: 'Number of the newest migration of the tables.', labels: [] },
});

export const storageMetrics = {
  metrics,
  async ofDatabase(sql: Sql, _now: number, measures: Measures) {
    measures.set(metrics.latchkey_schema_version, {}, await findSchemaVersion(sql));
  },
};
