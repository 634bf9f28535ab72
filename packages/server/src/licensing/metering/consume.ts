import Type from 'typebox';
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { endpoint, type RequestContext } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import { nullable, success, text, timestamp, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { consumeCheck } from '../client-endpoints/consume-check.ts';
import type { LicenseChanges } from '../client-endpoints/license-changes.ts';
import { decidedOnMachine } from '../client-endpoints/machine-batch.ts';
import { checkSessionToken } from '../client-endpoints/session-token-check.ts';
import { exampleSession } from '../licenses/examples.ts';
import {
  exceedsLimit,
  type MeterState,
  meterOf,
  presentUse,
  refusalBeyondLimit,
  usageReply,
  usageReplyFields,
} from '../licenses/meters.ts';
import { sessionFields } from '../machines/machine-fields.ts';
import { REQUEST_MEMORY_MS, REQUESTS_KEPT } from '../meters/store.ts';
import { MAXIMUM_UNITS, UNLIMITED_UNITS } from '../products/meters.ts';

/** The further fields of the refusal of a use beyond the limit. */
const limitFields = Type.Object({
  used: Type.Integer({ description: 'Units that are used in the present period.' }),
  limit: Type.Integer({ description: 'Units of a period.' }),
  resetsAt: nullable(timestamp('When the next period begins; null if none does.')),
});

/** POST /consume (rules 4.21.1). */
export const consume = endpoint({
  path: '/consume',
  access: 'client',
  summary: 'Count units of a meter',
  description:
    'Counts units of a meter of the license, all or none, and answers what is left; 0 units only ask. The same ' +
    '`requestId` of a license counts once within 48 hours and is answered as then, so repeating a call is safe. A call ' +
    'is a sign of life, as /validate is.',
  example: {
    after: ['/activate'],
    beforehand: [
      {
        to: '/createVariant',
        request: {
          productId: EXAMPLE.productId,
          name: EXAMPLE.variant,
          maxMachines: 3,
          durationDays: 365,
          price: 4900,
          meters: { exports: { limit: 1000, period: 'none' } },
        },
      },
    ],
    request: { ...exampleSession, meter: 'exports', units: 20, requestId: '5f0c3b1e9a7d4826' },
    reply: {
      success: true,
      meter: 'exports',
      used: 20,
      limit: 1000,
      remaining: 980,
      resetsAt: null,
    },
  },
  fields: Type.Object({
    ...sessionFields.properties,
    meter: text('Name of the meter.', 40),
    units: wholeNumber('Units to count; 0 only asks.', 0, MAXIMUM_UNITS),
    requestId: Type.Optional(text('Identifies the use; required if units are counted.', 64)),
  }),
  missing: 'Missing required fields',
  reply: success(usageReplyFields),
  refusals: [
    'license_not_found',
    'invalid_token',
    'token_mismatch',
    'license_replaced',
    'license_revoked',
    'license_expired',
    'machine_not_activated',
    'meter_not_found',
    'meter_limit',
    'request_id_reused',
  ],
  refusalFields: { meter_limit: limitFields },
}).batched(
  decidedOnMachine('/consume', (changes, fields, requestContext, ruleContext) => {
    const session = checkSessionToken(changes, fields, requestContext, ruleContext, consumeCheck);
    if (isRefusal(session)) return session;
    const now = ruleContext.believedTime.sessionNow(requestContext.now);
    const state = countUnits(changes, fields, requestContext, now);
    if (isRefusal(state)) return state;
    changes.keep(session.machine, requestContext, ruleContext.settings.floatingTimeoutMs);
    return { success: true, ...usageReply(state) };
  }),
);

/** The fields that decide about a use. */
interface Use {
  readonly meter: string;
  readonly units: number;
  readonly requestId?: string | undefined;
}

/** Counts units, all or none. @param now the time that decides the period, in milliseconds */
function countUnits(
  changes: LicenseChanges,
  { meter: name, units, requestId }: Use,
  requestContext: RequestContext,
  now: number,
): MeterState | Refusal<'meter_not_found' | 'missing_fields' | 'request_id_reused' | 'meter_limit'> {
  const { license, meters } = changes;
  const meter = meterOf(license, name);
  if (meter === undefined) return refuse('meter_not_found', { details: { meter: name } });
  const { limit } = meter;
  const { use, resetsAt } = presentUse(license, name, meter, meters.use(name), now);
  const stateAt = (used: number): MeterState => ({ meter: name, used, limit, resetsAt });
  if (units === 0) return stateAt(use.used);
  if (requestId === undefined) return refuse('missing_fields', { details: { message: 'Missing requestId' } });
  const known = meters.request(requestId);
  if (known !== undefined && fromTimestamp(known.usedAt) + REQUEST_MEMORY_MS > now) {
    if (known.meter !== name || known.units !== units)
      return refuse('request_id_reused', { details: { meter: name, units } });
    return { meter: name, used: known.used, limit: known.limit, resetsAt: known.resetsAt };
  }
  const used = Math.min(use.used + units, Number.MAX_SAFE_INTEGER);
  const isLimited = limit !== UNLIMITED_UNITS;
  const isRefused = exceedsLimit(meter, use.used, units);
  const isReached = isLimited && used >= limit;
  const after = stateAt(isRefused ? use.used : used);
  // The event comes once a period: when the limit is reached or first refuses.
  if (isReached && !use.isLimitReached) changes.limitReached(after, requestContext);
  const isLimitReached = use.isLimitReached || isReached;
  if (isRefused) {
    if (!use.isLimitReached) meters.change({ ...use, isLimitReached });
    return refusalBeyondLimit(after, units);
  }
  meters.change({ ...use, used, isLimitReached, requests: use.requests + 1 });
  const { licenseKey } = license;
  const slot = use.requests % REQUESTS_KEPT;
  meters.count({ licenseKey, ...after, slot, requestId, units, usedAt: toTimestamp(now) });
  return after;
}
