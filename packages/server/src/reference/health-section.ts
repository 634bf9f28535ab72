/** The two health addresses for load balancers; http/health.ts serves them. */
import Type from 'typebox';
import type { DescribedEndpoint, DescribedSection } from './described.ts';

const common = {
  methods: ['GET'],
  access: 'client',
  fields: Type.Object({}),
  missing: '',
  successStatus: 200,
  flag: 'success',
} as const;

const healthz: DescribedEndpoint = {
  ...common,
  path: '/healthz',
  summary: 'Say whether the process answers',
  description: 'Answers as long as the process does. Restart the process when it does not.',
  reply: Type.Object({ success: Type.Literal(true), status: Type.Literal('ok') }),
  refusals: [],
  example: { request: {}, reply: { success: true, status: 'ok' } },
};

const readyz: DescribedEndpoint = {
  ...common,
  path: '/readyz',
  summary: 'Say whether the service can do its work',
  description:
    'Asks the database. Send no further requests to this process while the answer is 503: the database cannot be ' +
    'reached, or the process is about to stop.',
  reply: Type.Object({
    success: Type.Literal(true),
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
