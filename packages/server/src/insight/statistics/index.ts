/** The endpoints of statistics, in the order of rules 4.11. */
import { getSales } from '../../commerce/sales/get-sales.ts';
import type { Slice } from '../../platform/slice/slice.ts';
import { statisticsJobs } from './counting-licenses.ts';
import { getCountries } from './get-countries.ts';
import { getOverview } from './get-overview.ts';
import { getStatistics } from './get-statistics.ts';
import { statisticsTables } from './tables.ts';

export const statistics: Slice = {
  sections: [
    {
      title: 'Statistics',
      description: 'How much happens and how things are, in figures. For the operator, and for creators of their own.',
      endpoints: [getOverview, getStatistics, getCountries, getSales],
    },
  ],
  tables: statisticsTables,
  jobs: statisticsJobs,
};
