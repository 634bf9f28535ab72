import Type from 'typebox';
import { endpoint } from '../../endpoint/endpoint.ts';
import { licenseKeyField } from '../../endpoint/vocabulary.ts';
import { refuse } from '../../refusals.ts';
import { deleteAllMachines } from '../activation-store.ts';
import { canonicalLicenseKey } from '../license.ts';
import { lockLicense, updateLicense } from '../store.ts';
import { changedLicenseReply, changedLicenseSchema } from '../views.ts';

export const resetActivations = endpoint({
  path: '/resetActivations',
  methods: ['POST'],
  access: 'admin',
  summary: 'Unbind every machine of a license',
  description: 'Removes all activations. Their session tokens are dead; each machine may activate anew.',
  fields: Type.Object({ licenseKey: licenseKeyField }),
  missing: 'Missing licenseKey',
  reply: changedLicenseSchema,
  refusals: ['license_not_found'],
  work: {
    kind: 'write',
    async act(tx, { fields, scope, now }) {
      const license = await lockLicense(tx, canonicalLicenseKey(fields.licenseKey), scope);
      if (license === undefined) return refuse('license_not_found');
      await deleteAllMachines(tx, license.licenseKey);
      const after = { ...license, machinesUsed: 0, sessionsHeld: 0 };
      await updateLicense(tx, after, now);
      return changedLicenseReply(after, now);
    },
  },
});
