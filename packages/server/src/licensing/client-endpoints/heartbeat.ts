import { toTimestamp } from '../../ground/base/clock.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { success, timestamp } from '../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { exampleSession } from '../licenses/examples.ts';
import { termReplies, termsReply } from '../licenses/terms.ts';
import { sessionExpiryOf } from '../machines/activation.ts';
import { sessionExpiryReplies, sessionFields } from '../machines/machine-fields.ts';
import { countsSessions } from '../products/license-type.ts';
import { decidedOnMachine } from './machine-batch.ts';
import { checkSessionToken } from './session-token-check.ts';

/** The session check of /heartbeat. */
export const heartbeatCheck = {
  endpoint: '/heartbeat',
  invalidToken: 'invalid_heartbeat_token',
  tokenMismatch: 'invalid_heartbeat_token',
  machineMissing: 'machine_not_found',
  needsSlot: true,
} as const;

export const heartbeat = endpoint({
  path: '/heartbeat',
  access: 'client',
  summary: 'Keep a floating session alive',
  description:
    'Keeps a floating session alive; send it at a third of the session timeout, every 5 minutes with the usual 15. A ' +
    'session without a sign of life for the timeout (15 minutes unless configured) is over and its slot free; the next ' +
    'heartbeat resumes it if a slot is free then. For per-machine and site licenses it checks the token and changes ' +
    'nothing. Repeating a call is safe: it is one more sign of life.',
  example: {
    after: ['/activate'],
    request: exampleSession,
    reply: { success: true, expiresAt: '2027-03-31T09:30:00.000Z' },
  },
  fields: sessionFields,
  missing: 'Missing required fields',
  reply: success({
    expiresAt: timestamp('When the session token expires.'),
    ...sessionExpiryReplies,
    ...termReplies,
  }),
  refusals: [
    'license_not_found',
    'invalid_heartbeat_token',
    'license_replaced',
    'license_revoked',
    'license_expired',
    'machine_not_found',
  ],
}).batched(
  decidedOnMachine('/heartbeat', (changes, fields, requestContext, ruleContext) => {
    const session = checkSessionToken(changes, fields, requestContext, ruleContext, heartbeatCheck);
    if (isRefusal(session)) return session;
    const { machine, tokenExpiresAt } = session;
    const expiresAt = toTimestamp(tokenExpiresAt);
    const terms = termsReply(changes.license, requestContext.now);
    if (!countsSessions(changes.license.licenseType)) return { success: true, expiresAt, ...terms };
    const { floatingTimeoutMs } = ruleContext.settings;
    const kept = changes.keep(machine, requestContext, floatingTimeoutMs);
    return { success: true, expiresAt, ...sessionExpiryOf(kept, floatingTimeoutMs), ...terms };
  }),
);
