/** Meters of licenses: the call of apps that counts, the correction by staff, and the tables. */
import type { Slice } from '../../platform/slice/slice.ts';
import { adjustUsage } from './adjust-usage.ts';
import { consume } from './consume.ts';
import { meterTables } from './tables.ts';

export const metering: Slice = {
  sections: [
    {
      title: 'Meters',
      description: 'Features of a license that are counted, with a limit for each period.',
      endpoints: [consume, adjustUsage],
    },
  ],
  tables: meterTables,
};
