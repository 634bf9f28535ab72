import Type from 'typebox';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { flag, licenseKeyField, success } from '../../../platform/endpoint/field-types.ts';
import { isRefusal, refuse } from '../../../platform/endpoint/refusals.ts';
import { listNamedViolations, listOpenViolations } from '../../violations/violation-store.ts';
import { changeLicense, foreseeChange } from '../change.ts';
import { exampleLicense } from '../examples.ts';
import type { License } from '../license.ts';
import { resolutionOf } from '../revocation.ts';
import { licenseSchema, licenseView } from '../views.ts';

export const resolveLicense = endpoint({
  path: '/resolveLicense',
  access: 'admin',
  needs: 'support',
  summary: 'Resolve recorded violations',
  description:
    'Marks violations as resolved and recalculates threat level and status. A revocation for refund or fraud is ' +
    'lifted with the last open violation of level 4, unless `staysRevoked` is true; one for a chargeback, or without a ' +
    'reason, is not. An id of another license changes nothing. With `dryRun` the answer is the same and nothing ' +
    'changes; each dry run is computed again, also with an `Idempotency-Key`.',
  example: {
    after: ['/getLicense'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey, violationIds: [MADE_BY_SERVICE.violationId] },
    reply: { success: true, threatLevel: 0, license: exampleLicense },
  },
  fields: Type.Object({
    licenseKey: licenseKeyField,
    violationIds: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      description: 'Identifiers from the violations of /getLicense.',
      minItems: 1,
      maxItems: 1000,
      errorText: 'must be a list of 1 to 1000 violation identifiers',
    }),
    staysRevoked: Type.Optional(
      flag('Leaves a revoked license revoked until /reinstateLicense; its violations are resolved.'),
    ),
    dryRun: Type.Optional(flag('Answers the result without changing or recording anything.')),
  }),
  reply: success({
    threatLevel: Type.Integer({ description: 'The new level, 0 to 4.' }),
    license: licenseSchema,
  }),
  refusals: ['license_not_found', 'violation_not_found'],
}).write(async (tx, { fields, scope, origin, now }) => {
  const { licenseKey } = fields;
  const ids = [...new Set(fields.violationIds)];
  const load = async (license: License) => ({
    named: await listNamedViolations(tx, license.licenseKey, ids),
    open: await listOpenViolations(tx, license.licenseKey),
  });
  const decide = (license: License, { named, open }: Awaited<ReturnType<typeof load>>) =>
    named.length < ids.length ? refuse('violation_not_found') : resolutionOf(license, open, ids, fields.staysRevoked);
  const resolved = fields.dryRun
    ? await foreseeChange(tx, { licenseKey, scope, load }, decide)
    : await changeLicense(tx, origin, { licenseKey, scope, load }, decide);
  if (isRefusal(resolved)) return resolved;
  return { success: true, threatLevel: resolved.threatLevel, license: licenseView(resolved, now) };
});
