import Type from 'typebox';
import { toTimestamp } from '../../clock.ts';
import { endpoint } from '../../endpoint/endpoint.ts';
import { licenseKeyField } from '../../endpoint/vocabulary.ts';
import { refuse } from '../../refusals.ts';
import { canonicalLicenseKey } from '../license.ts';
import { reinstated } from '../standing.ts';
import { lockLicense, updateLicense } from '../store.ts';
import { changedLicenseReply, changedLicenseSchema } from '../views.ts';
import { GRAVEST_LEVEL } from '../violation.ts';
import { resolveViolationsOfLevel, threatLevelOf } from '../violation-store.ts';

export const reinstateLicense = endpoint({
  path: '/reinstateLicense',
  methods: ['POST'],
  access: 'admin',
  summary: 'Undo a revocation',
  description:
    'Lifts a revocation, whatever its reason; the only way to undo a chargeback. Open violations of level 4 are ' +
    'resolved and disputeReason is cleared. An expired license stays expired.',
  fields: Type.Object({ licenseKey: licenseKeyField }),
  missing: 'Missing licenseKey',
  reply: changedLicenseSchema,
  refusals: ['license_not_found'],
  work: {
    kind: 'write',
    async act(tx, { fields, scope, now }) {
      const license = await lockLicense(tx, canonicalLicenseKey(fields.licenseKey), scope);
      if (license === undefined) return refuse('license_not_found');
      await resolveViolationsOfLevel(tx, license.licenseKey, GRAVEST_LEVEL, toTimestamp(now));
      const after = reinstated(license, await threatLevelOf(tx, license.licenseKey));
      await updateLicense(tx, after, now);
      return changedLicenseReply(after, now);
    },
  },
});
