import Type from 'typebox';
import { fromTimestamp } from '../../ground/base/clock.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { LicenseChanges } from '../client-endpoints/license-changes.ts';
import { decideOnOneMachine, lookAtOneMachine } from '../client-endpoints/machine-batch.ts';
import { checkSessionToken } from '../client-endpoints/session-token-check.ts';
import { exampleSession } from '../licenses/examples.ts';
import { sessionFields } from '../machines/machine-fields.ts';
import { countsSessions } from '../products/license-type.ts';
import { issuedFileReply } from './fields.ts';
import { contentOf, type FileOrder, issueFile, takeFilePlace } from './issue.ts';
import { fetchedLifetimeMs, periodOf } from './license-file.ts';

/**
 * The session check, like that of /validate. A floating session must be live, because this endpoint does not start one.
 */
const sessionCheck = {
  endpoint: '/issueLicenseFile',
  invalidToken: 'invalid_token',
  tokenMismatch: 'token_mismatch',
  machineMissing: 'machine_not_activated',
  needsSlot: false,
} as const;

export const issueLicenseFile = endpoint({
  path: '/issueLicenseFile',
  access: 'client',
  summary: 'Give a machine a signed file that lets its app run while the service is unreachable',
  description:
    'For an activated machine; for a floating license its session must be live. The file is valid for 30 days, for a ' +
    'floating license one day, unless the operator configured another time; fetch the next one after `renewAfter`. ' +
    'It does not change the session. Repeating a call is safe: within a minute it answers the same file, later a new ' +
    'one, and earlier files stay valid until they expire. A machine gets at most 10 files an hour.',
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
    'license_replaced',
    'license_revoked',
    'license_expired',
    'machine_not_activated',
    'license_files_not_offered',
    'too_many_license_files',
    'license_file_rate',
  ],
}).write(async (tx, request) => {
  const { fields, ruleContext, now, origin } = request;
  const { recentFiles } = ruleContext;
  const sessionNow = ruleContext.believedTime.sessionNow(now);

  /** Checks the machine and decides the content of its file. */
  const orderFor = async (changes: LicenseChanges) => {
    const session = checkSessionToken(changes, fields, request, ruleContext, sessionCheck);
    if (isRefusal(session)) return session;
    const { license } = changes;
    const { fingerprint, hostname, sessionDeadline } = session.machine;
    const isLive = sessionDeadline !== null && fromTimestamp(sessionDeadline) > sessionNow;
    if (countsSessions(license.licenseType) && !isLive) return refuse('machine_not_activated');
    const { licenseFiles } = ruleContext.settings;
    const lifetimeMs = fetchedLifetimeMs(license, licenseFiles);
    if (lifetimeMs === null) return refuse('license_files_not_offered');
    const period = periodOf(license, lifetimeMs, licenseFiles, now);
    const order = { purpose: 'grace', fingerprint, hostname, includesEmail: false, period } as const;
    const fileOrder: FileOrder = { ...order, issuedBy: origin.actor, now };
    const content = await contentOf(tx, license, fileOrder, ruleContext);
    const { licenseKey } = license;
    const givenBefore = recentFiles.find(licenseKey, fingerprint, content, now);
    return { licenseKey, fingerprint, fileOrder, lifetimeMs, content, givenBefore };
  };

  // First without a lock. A refusal is decided again under the lock, which also writes violations.
  const seen = await lookAtOneMachine(tx, fields, request);
  const asked = seen && (await orderFor(seen));
  if (asked !== undefined && !isRefusal(asked) && asked.givenBefore !== null)
    return { success: true, ...asked.givenBefore };
  return decideOnOneMachine(tx, fields, request, async (changes) => {
    const order = await orderFor(changes);
    if (isRefusal(order)) return order;
    const { licenseKey, fingerprint, fileOrder, lifetimeMs, content, givenBefore } = order;
    if (givenBefore !== null) return { success: true, ...givenBefore };
    const fetchedLately = await takeFilePlace(tx, changes.license, fingerprint, lifetimeMs, sessionNow);
    if (isRefusal(fetchedLately)) return fetchedLately;
    const file = await issueFile(tx, changes.license, fileOrder, ruleContext, fetchedLately);
    tx.afterwards((isCommitted) => isCommitted && recentFiles.keep(licenseKey, fingerprint, content, file, now));
    return { success: true, ...file };
  });
});
