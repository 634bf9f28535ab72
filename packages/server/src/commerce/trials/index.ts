/** Trials that apps start without a key. */
import type { Slice } from '../../platform/slice/slice.ts';
import { countedTrials } from './counted-changes.ts';
import { trialJobs } from './jobs.ts';
import { trialRefusals } from './refusals.ts';
import { startTrial } from './start-trial.ts';
import { trialTables } from './tables.ts';

export const trials: Slice = {
  refusals: [trialRefusals],
  sections: [
    {
      title: 'Trials without a key',
      description: 'An app starts the trial of its machine by itself, once for each product.',
      endpoints: [startTrial],
    },
  ],
  tables: trialTables,
  counted: [countedTrials],
  jobs: trialJobs,
};
