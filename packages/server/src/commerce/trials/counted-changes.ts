/** Counts trials that start without a key, and those that became paid. */
import type { CountedChanges } from '../../platform/endpoint/counted-changes.ts';

/** The metric of trials whose machine activated a paid license; the job that finds them counts it. */
export const TRIAL_PAID = 'trial.paid';

export const countedTrials: CountedChanges = {
  names: ['trial.started', TRIAL_PAID],
  type: 'license.created',
  nameOf: ({ after }) => (after?.reason === 'trial' ? 'trial.started' : null),
};
