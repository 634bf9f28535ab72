import Type from 'typebox';
import { endpoint } from '../endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../endpoint/example-values.ts';
import { decideOnOneMachine } from '../licenses/client/machine-batch.ts';
import { sessionFields } from '../licenses/client/machine-fields.ts';
import { checkSessionToken } from '../licenses/client/session-token-check.ts';
import { exampleSession } from '../licenses/examples.ts';
import { countsSessions } from '../licenses/license.ts';
import { isRefusal, refuse } from '../refusals.ts';
import { issuedFileReply } from './fields.ts';
import { issueFile, takeFilePlace } from './issue.ts';
import { fetchedLifetimeMs, periodOf } from './license-file.ts';

/** What is asked of the session, as by /validate; a floating one must be live, because nobody else may begin one here. */
const sessionCheck = {
  endpoint: '/issueLicenseFile',
  invalidToken: 'invalid_token',
  tokenMismatch: 'token_mismatch',
  machineMissing: 'machine_not_activated',
  needsSlot: false,
} as const;

export const issueLicenseFile = endpoint({
  path: '/issueLicenseFile',
  methods: ['POST'],
  access: 'client',
  summary: 'Give a machine a signed file with which its app goes on while the service cannot be reached',
  description:
    'For a machine that is activated, and for a floating license one whose session is live. The file is good for 30 days, ' +
    'for a floating license one day, unless the operator chose otherwise; ask for another one when `renewAfter` has ' +
    'passed. It changes nothing of the session. Repeating a call is safe: it answers another file, and the earlier ones ' +
    'stay good until they expire.',
  example: {
    after: ['/activate'],
    request: exampleSession,
    reply: {
      success: true,
      licenseFile: MADE_BY_SERVICE.licenseFile,
      fileId: MADE_BY_SERVICE.fileId,
      issuedAt: '2027-03-01T09:30:00.000Z',
      renewAfter: '2027-03-08T21:30:00.000Z',
      expiresAt: '2027-03-31T09:30:00.000Z',
      keyId: MADE_BY_SERVICE.keyId,
    },
  },
  fields: sessionFields,
  missing: 'Missing required fields',
  reply: Type.Object(issuedFileReply),
  refusals: [
    'license_not_found',
    'invalid_token',
    'token_mismatch',
    'license_revoked',
    'license_expired',
    'machine_not_activated',
    'license_files_not_offered',
    'too_many_license_files',
  ],
}).write((tx, request) => {
  const { fields, ruleContext, now, origin } = request;
  return decideOnOneMachine(tx, fields, request, async (changes) => {
    const session = checkSessionToken(changes, fields, request, ruleContext, sessionCheck);
    if (isRefusal(session)) return session;
    const { license } = changes;
    const { fingerprint, hostname, sessionDeadline } = session.machine;
    if (countsSessions(license.licenseType) && sessionDeadline === null) return refuse('machine_not_activated');
    const { licenseFiles } = ruleContext.settings;
    const lifetimeMs = fetchedLifetimeMs(license, licenseFiles);
    if (lifetimeMs === null) return refuse('license_files_not_offered');
    const refusal = await takeFilePlace(tx, license, fingerprint, now);
    if (refusal !== null) return refusal;
    const period = periodOf(license, lifetimeMs, licenseFiles, now);
    const order = { purpose: 'grace', fingerprint, hostname, includesEmail: false, period } as const;
    const file = await issueFile(tx, license, { ...order, issuedBy: origin.actor, now }, ruleContext);
    return { success: true, ...file };
  });
});
