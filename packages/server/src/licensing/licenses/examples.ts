/** The license and the machine that the examples of this slice show (see platform/endpoint/example-values.ts). */
import type { Static } from 'typebox';
import { fromTimestamp } from '../../ground/base/clock.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { type License, UNSET, UNUSED } from './license.ts';
import { termsView } from './terms.ts';
import { type activationSchema, type licenseSchema, licenseView, type violationSchema } from './views.ts';

/** The stored license of the examples. */
export const exampleStored: License = {
  ...UNSET,
  ...UNUSED,
  licenseKey: MADE_BY_SERVICE.licenseKey,
  email: EXAMPLE.email,
  productId: EXAMPLE.productId,
  variant: EXAMPLE.variant,
  licenseType: 'per-machine',
  maxMachines: 3,
  createdAt: EXAMPLE_NOW,
  purchasedAt: EXAMPLE_NOW,
  expiresAt: '2028-03-01T09:30:00.000Z',
  purchaseId: EXAMPLE.purchaseId,
};

/** The license of the example of /createLicense. */
export const exampleLicense = licenseView(exampleStored, fromTimestamp(EXAMPLE_NOW)) as Static<typeof licenseSchema>;

/** That license after the example of /revokeLicense. */
export const exampleRevokedLicense: typeof exampleLicense = {
  ...exampleLicense,
  status: 'revoked',
  threatLevel: 4,
  disputeReason: 'refund',
};

/** Its terms, as /getLicense shows them. */
export const exampleUnsetTerms = termsView(exampleStored, fromTimestamp(EXAMPLE_NOW));

/** The violation that /revokeLicense then reports. */
export const exampleViolation: Static<typeof violationSchema> = {
  id: MADE_BY_SERVICE.violationId,
  type: 'refund',
  severity: 4,
  occurrences: 1,
  firstSeen: EXAMPLE_NOW,
  lastSeen: EXAMPLE_NOW,
  evidence: { reportedBy: 'operator' },
  resolvedAt: null,
};

/** Its machine after the example of /activate. */
export const exampleActivation: Static<typeof activationSchema> = {
  fingerprint: EXAMPLE.machineFingerprint,
  hostname: EXAMPLE.hostname,
  firstSeen: EXAMPLE_NOW,
  lastSeen: EXAMPLE_NOW,
  tokenExpiry: '2027-03-31T09:30:00.000Z',
  sessionStarted: null,
  sessionActive: false,
  countries: [],
  lastCountry: null,
};

/** The fields that /validate, /heartbeat and /deactivate share, as that machine sends them. */
export const exampleSession = {
  licenseKey: MADE_BY_SERVICE.licenseKey,
  machineFingerprint: EXAMPLE.machineFingerprint,
  token: MADE_BY_SERVICE.token,
} as const;
