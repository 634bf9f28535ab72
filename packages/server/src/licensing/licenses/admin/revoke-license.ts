import Type from 'typebox';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { licenseKeyField, oneOf } from '../../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../../platform/endpoint/refusals.ts';
import { refusalOfShown } from '../../../platform/endpoint/shown-values.ts';
import { changeLicense } from '../change.ts';
import { exampleRevokedLicense } from '../examples.ts';
import { refusalOfReplaced, successorFields } from '../replacement.ts';
import { REVOCATION_REASONS, revocationOf } from '../revocation.ts';
import { changedLicenseReply, changedLicenseSchema } from '../views.ts';
import { seenLicense, shownFields } from './shown-values.ts';

export const revokeLicense = endpoint({
  path: '/revokeLicense',
  access: 'admin',
  needs: 'support',
  summary: 'Revoke a license',
  description:
    'Denies the license at every client endpoint. A reason is recorded as a violation of level 4; a refund or a ' +
    'chargeback also sets disputeReason. A chargeback is undone by /reinstateLicense only. With `wasRevocation`, the ' +
    'revocation that the caller saw, a license that was revoked otherwise since is left as it is: the answer is 409 with ' +
    'its author.',
  example: {
    after: ['/createLicense'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey, reason: 'refund' },
    reply: { success: true, license: exampleRevokedLicense },
  },
  fields: Type.Object({
    licenseKey: licenseKeyField,
    reason: Type.Optional(oneOf('Why.', REVOCATION_REASONS, 'RevocationReason')),
    wasRevocation: Type.Optional(shownFields.wasRevocation),
    undoes: Type.Optional(shownFields.undoes),
  }),
  reply: changedLicenseSchema,
  refusals: ['license_not_found', 'changed_meanwhile', 'license_already_replaced'],
  refusalFields: { license_already_replaced: successorFields },
}).write(async (tx, { fields, scope, origin }) => {
  const evidence = { reportedBy: origin.actor.kind === 'creator' ? 'creator' : 'operator' };
  const changed = await changeLicense(
    tx,
    origin,
    {
      licenseKey: fields.licenseKey,
      scope,
      load: (license) => refusalOfShown(tx, seenLicense(license), fields, scope),
    },
    (license, changedMeanwhile) =>
      changedMeanwhile ?? refusalOfReplaced(license) ?? revocationOf(license, fields.reason, evidence, origin.now),
  );
  return isRefusal(changed) ? changed : changedLicenseReply(changed, origin.now);
});
