/** E-mails to the operator about the service itself (rules 13.10). */
import type { Slice } from '../../platform/slice/slice.ts';
import { noticeJobs } from './jobs.ts';
import { noteNode } from './note-node.ts';
import { digestMail, noticeMail } from './notice-mail.ts';
import './settings.ts';
import { noticeTables } from './tables.ts';

export const operatorNotices: Slice = {
  inner: [noteNode],
  mails: [noticeMail, digestMail],
  tables: noticeTables,
  jobs: noticeJobs,
  warnings: async (_sql, { operatorNotices: notices, sendsMail }) =>
    notices === null || sendsMail
      ? []
      : [
          'LATCHKEY_OPERATOR_EMAIL names addresses, but this node has no mail server (LATCHKEY_SMTP_URL), so it tells ' +
            'nobody',
        ],
};
