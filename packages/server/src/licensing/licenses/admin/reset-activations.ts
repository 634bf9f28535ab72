import Type from 'typebox';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { licenseKeyField } from '../../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../../platform/endpoint/refusals.ts';
import { forgetAttemptsOfUsers } from '../activation-limit.ts';
import { changeLicense } from '../change.ts';
import { exampleLicense } from '../examples.ts';
import type { License } from '../license.ts';
import { changedLicenseReply, changedLicenseSchema } from '../views.ts';

export const resetActivations = endpoint({
  path: '/resetActivations',
  access: 'admin',
  needs: 'support',
  summary: 'Unbind every machine of a license',
  description:
    'Removes all activations and invalidates their session tokens. Each machine may activate again, and the attempts ' +
    'of the last hour are forgotten.',
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
  const changed = await changeLicense(tx, origin, { licenseKey: fields.licenseKey, scope, load }, () => ({
    type: 'activations.reset',
    update: { machinesUsed: 0, sessionsHeld: 0, attempts: [] },
    machines: 'unbind all',
  }));
  return isRefusal(changed) ? changed : changedLicenseReply(changed, origin.now);
});
