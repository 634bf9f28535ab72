/** E-mails to the operator about the service itself (rules 13.10), and the endpoint of rules 4.25. */
import type { Slice } from '../../platform/slice/slice.ts';
import { noticeJobs } from './jobs.ts';
import { noteNode } from './note-node.ts';
import { digestMail, noticeMail } from './notice-mail.ts';
import { operatorNoticeRefusals } from './refusals.ts';
import './settings.ts';
import { noticeTables } from './tables.ts';
import { operatorTestMail, testOperatorMail } from './test-operator-mail.ts';

export const operatorNotices: Slice = {
  sections: [
    {
      title: 'E-mails to the operator',
      description: 'A test of the e-mails by which the service tells its operator of faults. For the operator only.',
      endpoints: [testOperatorMail],
    },
  ],
  inner: [noteNode],
  mails: [noticeMail, digestMail, operatorTestMail],
  refusals: [operatorNoticeRefusals],
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
