/** What support staff ask of several slices at once. */
import { explainLicense } from './explain-license.ts';

export const supportEndpoints = [explainLicense];
