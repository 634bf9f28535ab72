import Type from 'typebox';
import { endpoint } from '../../endpoint/endpoint.ts';
import {
  licenseKeyField,
  machineLimit,
  nullable,
  oneOf,
  text,
  timestamp,
  wholeNumber,
} from '../../endpoint/vocabulary.ts';
import { findProduct } from '../../products/store.ts';
import { refuse } from '../../refusals.ts';
import { endAllSessions } from '../activation-store.ts';
import { canonicalLicenseKey, LICENSE_TYPES, type License } from '../license.ts';
import { revoked } from '../standing.ts';
import { lockLicense, updateLicense as storeLicense } from '../store.ts';
import { changedLicenseReply, changedLicenseSchema } from '../views.ts';

export const updateLicense = endpoint({
  path: '/updateLicense',
  methods: ['POST'],
  access: 'admin',
  summary: 'Change a license',
  description:
    'Changes what is given and leaves the rest. `status` overrides directly: `active` lifts any revocation but a ' +
    "chargeback's, `revoked` is a revocation without a reason. Machines that are bound keep working when a limit is " +
    'lowered; no further one fits until enough are gone.',
  fields: Type.Object({
    licenseKey: licenseKeyField,
    variant: Type.Optional(text('Variant name.')),
    licenseType: Type.Optional(oneOf('Type of the license.', LICENSE_TYPES)),
    maxMachines: Type.Optional(machineLimit('Machines at once; -1 is unlimited.')),
    maxConcurrent: Type.Optional(wholeNumber('Floating sessions at once.', 1)),
    expiresAt: Type.Optional(nullable(timestamp('Null makes it perpetual.'))),
    status: Type.Optional(oneOf('Direct override.', ['active', 'revoked'])),
  }),
  missing: 'Missing licenseKey',
  reply: changedLicenseSchema,
  refusals: ['license_not_found', 'product_archived', 'chargeback_revocation'],
  work: {
    kind: 'write',
    async act(tx, { fields, scope, now }) {
      const license = await lockLicense(tx, canonicalLicenseKey(fields.licenseKey), scope);
      if (license === undefined) return refuse('license_not_found');
      const product = await findProduct(tx, license.productId, scope);
      if (product?.status === 'archived') return refuse('product_archived');
      if (fields.status === 'active' && license.revocation === 'chargeback') return refuse('chargeback_revocation');
      const { licenseType = license.licenseType } = fields;
      const isLeavingFloating = license.licenseType === 'floating' && licenseType !== 'floating';
      if (isLeavingFloating) await endAllSessions(tx, license.licenseKey);
      const changed: License = {
        ...license,
        licenseType,
        variant: fields.variant ?? license.variant,
        maxMachines: fields.maxMachines ?? license.maxMachines,
        maxConcurrent: fields.maxConcurrent ?? license.maxConcurrent,
        expiresAt: fields.expiresAt === undefined ? license.expiresAt : fields.expiresAt,
        revocation: fields.status === 'active' ? null : license.revocation,
        sessionsHeld: isLeavingFloating ? 0 : license.sessionsHeld,
      };
      const saved = fields.status === 'revoked' ? revoked(changed, undefined) : changed;
      await storeLicense(tx, saved, now);
      return changedLicenseReply(saved, now);
    },
  },
});
