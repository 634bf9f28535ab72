import Type from 'typebox';
import { endpoint } from '../../endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../endpoint/example-values.ts';
import { licenseKeyField } from '../../endpoint/field-types.ts';
import { isRefusal } from '../../endpoint/refusals.ts';
import { listOpenViolations } from '../../violations/violation-store.ts';
import { changeLicense } from '../change.ts';
import { exampleLicense } from '../examples.ts';
import { reinstatementOf } from '../revocation.ts';
import { changedLicenseReply, changedLicenseSchema } from '../views.ts';

export const reinstateLicense = endpoint({
  path: '/reinstateLicense',
  methods: ['POST'],
  access: 'admin',
  needs: 'support',
  summary: 'Undo a revocation',
  description:
    'Lifts a revocation of any kind; the only way to undo a chargeback. Open violations of level 4 are ' +
    'resolved and disputeReason is cleared. An expired license stays expired.',
  example: {
    after: ['/revokeLicense'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey },
    reply: { success: true, license: exampleLicense },
  },
  fields: Type.Object({ licenseKey: licenseKeyField }),
  missing: 'Missing licenseKey',
  reply: changedLicenseSchema,
  refusals: ['license_not_found'],
}).write(async (tx, { fields, scope, origin }) => {
  const changed = await changeLicense(
    tx,
    origin,
    {
      licenseKey: fields.licenseKey,
      scope,
      load: ({ licenseKey }) => listOpenViolations(tx, licenseKey),
    },
    (_license, open) => reinstatementOf(open),
  );
  return isRefusal(changed) ? changed : changedLicenseReply(changed, origin.now);
});
