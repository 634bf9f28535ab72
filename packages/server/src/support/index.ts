/** Endpoints for support staff that query several slices at once, in the order of rules 4.3. */
import type { Slice } from '../endpoint/slice.ts';
import { explainLicense } from './explain-license.ts';
import { listEvents } from './list-events.ts';
import { listRefusals } from './list-refusals.ts';
import { supportRefusals } from './refusals.ts';
import { searchEverything } from './search-everything.ts';

export const support: Slice = {
  refusals: [supportRefusals],
  sections: [
    {
      title: 'Support',
      description:
        'Answers for support staff when a customer writes. For the operator, and for creators within their own products.',
      endpoints: [searchEverything, explainLicense, listEvents, listRefusals],
    },
  ],
};
