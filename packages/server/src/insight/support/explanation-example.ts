/** The example of /explainLicense: the license was revoked by a refund while its machine was activated. */
import type { Static } from 'typebox';
import { exampleActivation, exampleRevokedLicense } from '../../licensing/licenses/examples.ts';
import { CLIENT_PATHS } from '../../licensing/observed-calls/metrics.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import type { checkSchema, explainedMachineSchema } from './explanation-views.ts';

const { licenseKey, violationId } = MADE_BY_SERVICE;

const revoked: Omit<Static<typeof checkSchema>, 'endpoint'> = {
  outcome: 'license_revoked',
  status: 403,
  error: 'License has been revoked',
  because: { revocation: 'refund', disputeReason: 'refund' },
  sentence: 'The license was revoked because its purchase was refunded.',
  remedies: [
    {
      action: 'resolve_violations',
      endpoint: '/resolveLicense',
      fields: { licenseKey, violationIds: [violationId] },
      effect: 'Resolves the open violations of the highest level, which lifts the revocation.',
      outcome: 'ok',
    },
    {
      action: 'reinstate',
      endpoint: '/reinstateLicense',
      fields: { licenseKey },
      effect: 'Lifts the revocation and resolves the open violations of the highest level.',
      outcome: 'ok',
    },
    {
      action: 'activate_license',
      endpoint: '/updateLicense',
      fields: { licenseKey, status: 'active' },
      effect: 'Lifts the revocation and leaves the violations open.',
      outcome: 'ok',
    },
  ],
};

const machine: Static<typeof explainedMachineSchema> = {
  fingerprint: EXAMPLE.machineFingerprint,
  hostname: EXAMPLE.hostname,
  bound: true,
  chosen: 'seen_last',
  lastSeen: EXAMPLE_NOW,
  tokenExpiry: exampleActivation.tokenExpiry,
  sessionExpiresAt: null,
};

export const exampleExplanation = {
  success: true as const,
  license: exampleRevokedLicense,
  productId: EXAMPLE.productId,
  machine,
  verdict: {
    code: 'refunded' as const,
    sentence: 'The purchase was refunded just now.',
    evidence: { reports: 1, daysSince: 0 },
    firstStep: 'decline' as const,
  },
  checks: CLIENT_PATHS.map((endpoint) => ({ endpoint, ...revoked })),
  lastRefusals: [],
  otherKey: null,
};
