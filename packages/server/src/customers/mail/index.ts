/** E-mails: the outbox and its sender (rules 13.1). */

import type { Slice } from '../../platform/slice/slice.ts';
import { mailMetrics } from './exported-metrics.ts';
import { keysMail } from './keys-mail.ts';
import { listMails } from './list-mails.ts';
import { mailLicense } from './mail-license.ts';
import { mailRefusals } from './refusals.ts';
import { replyMail } from './reply.ts';
import { sendReply } from './send-reply.ts';
import { mailTables } from './tables.ts';
import './settings.ts';

export const mail = {
  refusals: [mailRefusals],
  sections: [
    {
      title: 'E-mails',
      description: 'E-mails of the service to customers. For the operator, and for creators within their own products.',
      endpoints: [mailLicense, listMails, sendReply],
    },
  ],
  mails: [keysMail, replyMail],
  tables: mailTables,
  metrics: [mailMetrics],
  logs: (log) => ({
    mail({ mailId, kind, outcome, error }) {
      if (outcome === 'failed') log.warn({ event: 'mail.failed', mailId, kind, error });
    },
  }),
} satisfies Slice;
