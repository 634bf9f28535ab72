/** The two health addresses for load balancers; runtime/http/health.ts serves them. */
import Type from 'typebox';
import { success } from '../../platform/endpoint/field-types.ts';
import { type DescribedEndpoint, type DescribedSection, ofSite } from './described.ts';

const healthz: DescribedEndpoint = {
  ...ofSite,
  path: '/healthz',
  summary: 'Say whether the process answers',
  description: 'Answers as long as the process does. Restart the process when it does not.',
  reply: success({ status: Type.Literal('ok') }),
  example: { request: {}, reply: { success: true, status: 'ok' } },
};

const readyz: DescribedEndpoint = {
  ...ofSite,
  path: '/readyz',
  summary: 'Say whether the service can do its work',
  description:
    'Asks the database. Send no further requests to this process while the answer is 503: the database cannot be ' +
    'reached, or the process is about to stop.',
  reply: success({
    status: Type.Literal('ready'),
    writes: Type.Boolean({
      description: 'Whether the last test write succeeded. Reads still work while it is false.',
    }),
  }),
  refusals: ['not_ready'],
  example: { request: {}, reply: { success: true, status: 'ready', writes: true } },
};

export const healthSection: DescribedSection = {
  title: 'Health',
  description: 'For load balancers and supervisors. No credential.',
  endpoints: [healthz, readyz],
};
