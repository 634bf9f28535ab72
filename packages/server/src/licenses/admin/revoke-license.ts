import Type from 'typebox';
import { endpoint } from '../../endpoint/endpoint.ts';
import { licenseKeyField, oneOf } from '../../endpoint/vocabulary.ts';
import { refuse } from '../../refusals.ts';
import { canonicalLicenseKey } from '../license.ts';
import { revokeLocked } from '../revoke.ts';
import { REVOCATION_REASONS } from '../standing.ts';
import { lockLicense } from '../store.ts';
import { changedLicenseReply, changedLicenseSchema } from '../views.ts';

export const revokeLicense = endpoint({
  path: '/revokeLicense',
  methods: ['POST'],
  access: 'admin',
  summary: 'Revoke a license',
  description:
    'Denies the license at every client endpoint. A reason is recorded as a violation of level 4; a refund or a ' +
    'chargeback also sets disputeReason. A chargeback is undone by /reinstateLicense only.',
  fields: Type.Object({
    licenseKey: licenseKeyField,
    reason: Type.Optional(oneOf('Why.', REVOCATION_REASONS)),
  }),
  missing: 'Missing licenseKey',
  reply: changedLicenseSchema,
  refusals: ['license_not_found'],
  work: {
    kind: 'write',
    async act(tx, { fields, scope, now, caller }) {
      const license = await lockLicense(tx, canonicalLicenseKey(fields.licenseKey), scope);
      if (license === undefined) return refuse('license_not_found');
      const reportedBy = caller.kind === 'creator' ? 'creator' : 'operator';
      return changedLicenseReply(await revokeLocked(tx, license, fields.reason, { reportedBy }, now), now);
    },
  },
});
