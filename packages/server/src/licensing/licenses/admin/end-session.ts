import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { exampleLicense } from '../examples.ts';
import { sessionEndOf } from '../machine-release.ts';
import { changeMachine, oneMachineFields, oneMachineReply } from './one-machine.ts';

const { licenseKey } = MADE_BY_SERVICE;
const { machineFingerprint } = EXAMPLE;

export const endSession = endpoint({
  path: '/endSession',
  access: 'admin',
  needs: 'support',
  summary: 'End the live session of one machine of a floating license',
  description:
    'Ends the floating session, for customers who left the program open elsewhere. Its slot is free at once. The ' +
    'machine stays bound and its tokens stay valid: the next heartbeat, validation or activation of its app starts ' +
    'another session if a slot is free then. Answers 409 when there is no live session, for example for a license ' +
    'that is not floating.',
  example: {
    after: ['/createLicense'],
    beforehand: [
      { to: '/updateLicense', request: { licenseKey, licenseType: 'floating', maxConcurrent: 5 } },
      {
        to: '/activate',
        request: { licenseKey, machineFingerprint, hostname: EXAMPLE.hostname, productId: EXAMPLE.productId },
      },
    ],
    request: { licenseKey, machineFingerprint },
    reply: {
      success: true,
      machinesUsed: 0,
      maxMachines: 5,
      license: { ...exampleLicense, licenseType: 'floating', maxConcurrent: 5 },
    },
  },
  fields: oneMachineFields,
  reply: oneMachineReply,
  refusals: ['license_not_found', 'machine_not_found', 'no_live_session'],
}).write((tx, request) =>
  changeMachine(tx, request, (license, machine) => sessionEndOf(license, machine, request.now)),
);
