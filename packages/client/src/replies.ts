/**
 * Checks that an answer with status 200 has the form of the endpoint's reply. Any other answer did not come from the
 * service.
 */
import type {
  ActivateReply,
  ConsumeReply,
  DeactivateReply,
  HeartbeatReply,
  IssueLicenseFileReply,
  StartTrialReply,
  ValidateReply,
  VerifyReply,
} from './contract.ts';
import { type ClientEndpoint, flagOf } from './refusals.ts';

/** The reply of each endpoint. */
export interface Replies {
  readonly '/activate': ActivateReply;
  readonly '/validate': ValidateReply;
  readonly '/heartbeat': HeartbeatReply;
  readonly '/deactivate': DeactivateReply;
  readonly '/verify': VerifyReply;
  readonly '/issueLicenseFile': IssueLicenseFileReply;
  readonly '/startTrial': StartTrialReply;
  readonly '/consume': ConsumeReply;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value !== '';
const isCount: Check = (value) => Number.isSafeInteger(value);
const isTime: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/** The fields of an accepted activation. */
const ACTIVATION: Readonly<Record<string, Check>> = {
  token: isText,
  expiresAt: isTime,
  machinesUsed: isCount,
  maxMachines: isCount,
  variant: isText,
  licenseExpiresAt: orNull(isTime),
};

/**
 * Fields that any reply may have. A server with the same protocol may omit them, because they are later additions.
 */
const LATER: Readonly<Record<string, Check>> = { licenseType: orAbsent(isText), sessionExpiresAt: orAbsent(isTime) };

/** The fields that the client reads. A later server may send other fields and types of licenses than it knows. */
const FIELDS: Readonly<Record<ClientEndpoint, Readonly<Record<string, Check>>>> = {
  '/activate': ACTIVATION,
  '/startTrial': { ...ACTIVATION, licenseKey: isText },
  '/validate': {
    newToken: orAbsent(isText),
    licenseKey: orAbsent(isText),
    sessionToken: orAbsent(isText),
    expiresAt: isTime,
    productId: isText,
    variant: isText,
    licenseExpiresAt: orNull(isTime),
    daysRemaining: orNull(isCount),
  },
  '/heartbeat': { expiresAt: isTime },
  '/consume': { meter: isText, used: isCount, limit: isCount, remaining: orNull(isCount), resetsAt: orNull(isTime) },
  '/deactivate': { machinesUsed: isCount, maxMachines: isCount },
  '/verify': { machinesUsed: isCount, maxMachines: isCount },
  // The file itself holds everything else in the reply.
  '/issueLicenseFile': { licenseFile: isText },
};

/** The reply with its type; null if a field is missing or invalid. */
export function replyIn<Endpoint extends ClientEndpoint>(endpoint: Endpoint, body: unknown): Replies[Endpoint] | null {
  if (typeof body !== 'object' || body === null) return null;
  const fields = body as Readonly<Record<string, unknown>>;
  if (fields[flagOf(endpoint)] !== true) return null;
  for (const [name, check] of Object.entries({ ...FIELDS[endpoint], ...LATER })) if (!check(fields[name])) return null;
  return body as Replies[Endpoint];
}
