import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { licenseKeyField, success, text, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { changeLicense } from '../licenses/change.ts';
import { type MeterState, meterOf, presentUse, usageReply, usageReplyFields } from '../licenses/meters.ts';
import { listMeterUsesOf, type MeterUse, saveMeterUses } from '../meters/store.ts';
import { MAXIMUM_UNITS } from '../products/meters.ts';

/** POST /adjustUsage (rules 4.21.2). */
export const adjustUsage = endpoint({
  path: '/adjustUsage',
  access: 'admin',
  needs: 'support',
  summary: 'Correct what a license used of a meter',
  description:
    'Adds units to the use of the present period, or takes them away with a negative number, never below 0 used. The ' +
    'limit does not hold: staff may count beyond it.',
  example: {
    after: ['/consume'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey, meter: 'exports', units: -5 },
    reply: {
      success: true,
      meter: 'exports',
      used: 15,
      limit: 1000,
      remaining: 985,
      resetsAt: null,
    },
  },
  fields: Type.Object({
    licenseKey: licenseKeyField,
    meter: text('Name of the meter.', 40),
    units: wholeNumber('Units to add; negative ones are taken away.', -MAXIMUM_UNITS, MAXIMUM_UNITS),
  }),
  missing: 'Missing licenseKey, meter or units',
  reply: success(usageReplyFields),
  refusals: ['license_not_found', 'meter_not_found'],
}).write(async (tx, { fields: { licenseKey, meter: name, units }, scope, origin, now, ruleContext }) => {
  const at = ruleContext.believedTime.sessionNow(now);
  let corrected: { readonly use: MeterUse; readonly state: MeterState } | null = null;
  const changed = await changeLicense<readonly MeterUse[], 'meter_not_found'>(
    tx,
    origin,
    { licenseKey, scope, load: (license) => listMeterUsesOf(tx, license.licenseKey) },
    (license, stored) => {
      const meter = meterOf(license, name);
      if (meter === undefined) return refuse('meter_not_found');
      const found = stored.find((each) => each.meter === name);
      const { use, resetsAt } = presentUse(license, name, meter, found, at);
      const used = Math.max(0, Math.min(use.used + units, Number.MAX_SAFE_INTEGER));
      // The event about the limit comes again once the use has reached it anew.
      const isLimitReached = use.isLimitReached && used >= meter.limit;
      corrected = {
        use: { ...use, used, isLimitReached },
        state: { meter: name, used, limit: meter.limit, resetsAt },
      };
      const before = { meter: name, used: use.used };
      return { type: 'usage.adjusted', entry: { subject: name, before, after: { meter: name, used } } };
    },
  );
  if (isRefusal(changed)) return changed;
  const { use, state } = corrected!;
  await saveMeterUses(tx, [use], []);
  return { success: true, ...usageReply(state) };
});
