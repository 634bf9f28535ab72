/** Counts opened violations by their type. */
import type { CountedChanges } from '../../platform/endpoint/counted-changes.ts';
import { DETECTED_TYPES } from './observation.ts';
import { REPORTED_TYPES } from './violation.ts';

const nameOfType = (violationType: string) => `violation.opened.${violationType}`;

export const countedViolations: CountedChanges = {
  names: [...DETECTED_TYPES, ...REPORTED_TYPES].map(nameOfType),
  type: 'violation.opened',
  nameOf: ({ after }) => (typeof after?.type === 'string' ? nameOfType(after.type) : null),
};
