import Type from 'typebox';
import { toTimestamp } from '../../clock.ts';
import { endpoint } from '../../endpoint/endpoint.ts';
import { licenseKeyField } from '../../endpoint/vocabulary.ts';
import { refuse } from '../../refusals.ts';
import { canonicalLicenseKey } from '../license.ts';
import { resolved } from '../standing.ts';
import { lockLicense, updateLicense } from '../store.ts';
import { licenseSchema, licenseView } from '../views.ts';
import { listNamedViolations, resolveViolations, threatLevelOf } from '../violation-store.ts';

export const resolveLicense = endpoint({
  path: '/resolveLicense',
  methods: ['POST'],
  access: 'admin',
  summary: 'Resolve recorded violations',
  description:
    'Marks violations as resolved and recalculates threat level and status. A revocation for refund or fraud is lifted ' +
    'when no violation of level 4 stays open; one for a chargeback, or without a reason, is not. An id that is not of ' +
    'this license changes nothing.',
  fields: Type.Object({
    licenseKey: licenseKeyField,
    violationIds: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      description: 'Identifiers from the violations of /getLicense.',
      minItems: 1,
      maxItems: 1000,
      fault: 'must be a list of 1 to 1000 violation identifiers',
    }),
  }),
  missing: 'Missing licenseKey or violationIds',
  reply: Type.Object({
    success: Type.Literal(true),
    threatLevel: Type.Integer({ description: 'The new level, 0 to 4.' }),
    license: licenseSchema,
  }),
  refusals: ['license_not_found', 'violation_not_found'],
  work: {
    kind: 'write',
    async act(tx, { fields, scope, now }) {
      const license = await lockLicense(tx, canonicalLicenseKey(fields.licenseKey), scope);
      if (license === undefined) return refuse('license_not_found');
      const ids = [...new Set(fields.violationIds)];
      const found = await listNamedViolations(tx, license.licenseKey, ids);
      if (found.length < ids.length) return refuse('violation_not_found');
      await resolveViolations(tx, license.licenseKey, ids, toTimestamp(now));
      const after = resolved(license, await threatLevelOf(tx, license.licenseKey));
      await updateLicense(tx, after, now);
      return { success: true, threatLevel: after.threatLevel, license: licenseView(after, now) };
    },
  },
});
