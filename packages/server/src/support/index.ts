/** Endpoints for support staff that query several slices at once, in the order of rules 4.3. */
import { explainLicense } from './explain-license.ts';
import { listEvents } from './list-events.ts';
import { listRefusals } from './list-refusals.ts';
import { searchEverything } from './search-everything.ts';

export const supportEndpoints = [searchEverything, explainLicense, listEvents, listRefusals];
