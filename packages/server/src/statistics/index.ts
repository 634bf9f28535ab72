/** The endpoints of statistics, in the order of rules 4.11. */
import { getCountries } from './get-countries.ts';
import { getOverview } from './get-overview.ts';
import { getStatistics } from './get-statistics.ts';

export const statisticsEndpoints = [getOverview, getStatistics, getCountries];
