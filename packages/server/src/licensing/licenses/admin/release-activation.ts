import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { exampleLicense } from '../examples.ts';
import { releaseOf } from '../machine-release.ts';
import { changeMachine, oneMachineFields, oneMachineReply } from './one-machine.ts';

export const releaseActivation = endpoint({
  path: '/releaseActivation',
  access: 'admin',
  needs: 'support',
  summary: 'Unbind one machine of a license',
  description:
    'Unbinds the machine, for customers whose computer is lost, broken or reinstalled. Its slot is free at once and ' +
    'its session tokens are invalid. It may activate again if a slot is free then, and gets new tokens. A repeat ' +
    'after a success is answered 404, which then says that the slot is free.',
  example: {
    after: ['/activate'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey, machineFingerprint: EXAMPLE.machineFingerprint },
    reply: { success: true, machinesUsed: 0, maxMachines: 3, license: exampleLicense },
  },
  fields: oneMachineFields,
  reply: oneMachineReply,
  refusals: ['license_not_found', 'machine_not_found'],
}).write((tx, request) => changeMachine(tx, request, releaseOf));
