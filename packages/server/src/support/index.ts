/** What support staff ask of several slices at once. */
import { explainLicense } from './explain-license.ts';
import { listEvents } from './list-events.ts';

export const supportEndpoints = [explainLicense, listEvents];
