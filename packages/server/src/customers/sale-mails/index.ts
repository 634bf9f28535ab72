/** E-mails to buyers, and the texts that vendors write for them (rules 13.1). */

import type { Slice } from '../../platform/slice/slice.ts';
import { deleteMailTemplate } from './delete-mail-template.ts';
import { saleMailKinds } from './kinds.ts';
import { listMailTemplates } from './list-mail-templates.ts';
import { previewMail } from './preview-mail.ts';
import { saleMails } from './queue.ts';
import { saleMailRefusals } from './refusals.ts';
import { saveMailTemplate } from './save-mail-template.ts';
import { sendTestMail, testMail } from './send-test-mail.ts';
import { saleMailTables } from './tables.ts';

export const salesByMail = {
  refusals: [saleMailRefusals],
  sections: [
    {
      title: 'E-mails to buyers',
      description: 'The texts of the e-mails that buyers get, for the operator and for creators.',
      endpoints: [saveMailTemplate, listMailTemplates, previewMail, deleteMailTemplate, sendTestMail],
    },
  ],
  mails: [...Object.values(saleMailKinds), testMail],
  tables: saleMailTables,
  ruleParts: ({ settings }) => ({ given: { saleMails: saleMails(settings) } }),
} satisfies Slice;
