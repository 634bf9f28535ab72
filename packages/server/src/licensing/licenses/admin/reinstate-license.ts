import Type from 'typebox';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { licenseKeyField } from '../../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../../platform/endpoint/refusals.ts';
import { refusalOfShown } from '../../../platform/endpoint/shown-values.ts';
import { listOpenViolations } from '../../violations/violation-store.ts';
import { changeLicense } from '../change.ts';
import { exampleLicense } from '../examples.ts';
import { refusalOfReplaced, successorFields } from '../replacement.ts';
import { reinstatementOf } from '../revocation.ts';
import { changedLicenseReply, changedLicenseSchema } from '../views.ts';
import { seenLicense, shownFields } from './shown-values.ts';

export const reinstateLicense = endpoint({
  path: '/reinstateLicense',
  access: 'admin',
  needs: 'support',
  summary: 'Undo a revocation',
  description:
    'Lifts a revocation of any kind; the only way to undo a chargeback. Open violations of level 4 are ' +
    'resolved and disputeReason is cleared. An expired license stays expired. With `wasRevocation`, the revocation that ' +
    'the caller saw, another revocation is not lifted: the answer is 409 with its author.',
  example: {
    after: ['/revokeLicense'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey },
    reply: { success: true, license: exampleLicense },
  },
  fields: Type.Object({
    licenseKey: licenseKeyField,
    wasRevocation: Type.Optional(shownFields.wasRevocation),
    undoes: Type.Optional(shownFields.undoes),
  }),
  reply: changedLicenseSchema,
  refusals: ['license_not_found', 'changed_meanwhile', 'license_already_replaced'],
  refusalFields: { license_already_replaced: successorFields },
}).write(async (tx, { fields, scope, origin }) => {
  const changed = await changeLicense(
    tx,
    origin,
    {
      licenseKey: fields.licenseKey,
      scope,
      load: async (license) => ({
        open: await listOpenViolations(tx, license.licenseKey),
        changed: await refusalOfShown(tx, seenLicense(license), fields, scope),
      }),
    },
    (license, { open, changed }) => changed ?? refusalOfReplaced(license) ?? reinstatementOf(open),
  );
  return isRefusal(changed) ? changed : changedLicenseReply(changed, origin.now);
});
