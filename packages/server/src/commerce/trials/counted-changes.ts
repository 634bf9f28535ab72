/** Counts trials that start without a key. */
import type { CountedChanges } from '../../platform/endpoint/counted-changes.ts';

export const countedTrials: CountedChanges = {
  names: ['trial.started'],
  type: 'license.created',
  nameOf: ({ after }) => (after?.reason === 'trial' ? 'trial.started' : null),
};
