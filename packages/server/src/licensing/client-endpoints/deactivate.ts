import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { success } from '../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { exampleSession } from '../licenses/examples.ts';
import { slotLimit, slotsUsed } from '../licenses/license.ts';
import { sessionFields } from '../machines/machine-fields.ts';
import { decidedOnMachine } from './machine-batch.ts';
import { checkSessionToken } from './session-token-check.ts';

/** The session check of /deactivate. */
export const deactivateCheck = {
  endpoint: '/deactivate',
  invalidToken: 'invalid_token',
  tokenMismatch: 'token_mismatch',
  machineMissing: 'machine_not_found',
  needsSlot: false,
} as const;

export const deactivate = endpoint({
  path: '/deactivate',
  access: 'client',
  summary: 'Free the slot of this machine',
  description:
    'Unbinds the machine; its slot is free at once and its tokens are invalid. The token proves ownership of the ' +
    'slot, so one machine cannot free the slot of another. A floating session that has lapsed can be ended, too. A ' +
    'repeat after a success is answered 404, which then says that the slot is free. A machine with a file for work ' +
    'without a connection (/createLicenseFile) keeps its slot until the file expires, because the file cannot be ' +
    'called back: the answer is a success and nothing changes.',
  example: {
    after: ['/activate'],
    request: exampleSession,
    reply: { success: true, machinesUsed: 0, maxMachines: 3 },
  },
  fields: sessionFields,
  missing: 'Missing required fields (licenseKey, machineFingerprint, token)',
  reply: success({
    machinesUsed: Type.Integer({ description: 'Slots taken now.' }),
    maxMachines: Type.Integer({ description: 'Number of slots; -1 is unlimited.' }),
  }),
  refusals: [
    'license_not_found',
    'invalid_token',
    'token_mismatch',
    'license_replaced',
    'license_revoked',
    'license_expired',
    'machine_not_found',
  ],
}).batched(
  decidedOnMachine('/deactivate', (changes, fields, requestContext, ruleContext) => {
    const session = checkSessionToken(changes, fields, requestContext, ruleContext, deactivateCheck);
    if (isRefusal(session)) return session;
    if (!changes.keepsSlot(session.machine, requestContext.now)) changes.release(session.machine, requestContext);
    return { success: true, machinesUsed: slotsUsed(changes.license), maxMachines: slotLimit(changes.license) };
  }),
);
