import Type from 'typebox';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { licenseKeyField } from '../../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../../platform/endpoint/refusals.ts';
import { ATTEMPTS_PER_HOUR } from '../../machines/activation-rate.ts';
import { forgetAttemptsOfUsers, liftedActivationLimitOf } from '../activation-limit.ts';
import { changeLicense } from '../change.ts';
import { exampleLicense } from '../examples.ts';
import type { License } from '../license.ts';
import { changedLicenseReply, changedLicenseSchema } from '../views.ts';

export const liftActivationLimit = endpoint({
  path: '/liftActivationLimit',
  access: 'admin',
  needs: 'support',
  summary: 'Let machines of a license activate again before the hour is over',
  description:
    `Forgets the activation attempts of the last hour, so that ${ATTEMPTS_PER_HOUR} more may be made at once, and ` +
    'changes nothing else. For licenses with many machines that all have to activate again, and for customers who ' +
    'tried too often.',
  example: {
    after: ['/activate'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey },
    reply: { success: true, license: exampleLicense },
  },
  fields: Type.Object({ licenseKey: licenseKeyField }),
  reply: changedLicenseSchema,
  refusals: ['license_not_found'],
}).write(async (tx, { fields, scope, origin }) => {
  const load = (license: License) => forgetAttemptsOfUsers(tx, license, origin.now);
  const { licenseKey } = fields;
  const changed = await changeLicense(tx, origin, { licenseKey, scope, load }, liftedActivationLimitOf);
  return isRefusal(changed) ? changed : changedLicenseReply(changed, origin.now);
});
