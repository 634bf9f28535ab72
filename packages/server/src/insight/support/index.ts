/** Endpoints for support staff that query several slices at once, in the order of rules 4.3. */
import type { Slice } from '../../platform/slice/slice.ts';
import { explainLicense } from './explain-license.ts';
import { listCreators } from './list-creators.ts';
import { listEvents } from './list-events.ts';
import { listRefusals } from './list-refusals.ts';
import { replyTemplateRefusals, supportRefusals } from './refusals.ts';
import { deleteReplyTemplate } from './reply-templates/delete-reply-template.ts';
import { listReplyTemplates } from './reply-templates/list-reply-templates.ts';
import { saveReplyTemplate } from './reply-templates/save-reply-template.ts';
import { searchEverything } from './search-everything.ts';
import { supportTables } from './tables.ts';

export const support: Slice = {
  refusals: [supportRefusals, replyTemplateRefusals],
  sections: [
    {
      title: 'Support',
      description:
        'Answers for support staff when a customer writes. For the operator, and for creators within their own products.',
      endpoints: [
        searchEverything,
        explainLicense,
        listEvents,
        listRefusals,
        listReplyTemplates,
        saveReplyTemplate,
        deleteReplyTemplate,
        listCreators,
      ],
    },
  ],
  tables: supportTables,
};
