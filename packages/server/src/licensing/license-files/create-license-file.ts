import Type, { type Static } from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { flag, licenseKeyField, machineName, text, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { storedLicenseKey } from '../licenses/license.ts';
import { fingerprintField } from '../machines/machine-fields.ts';
import { userField } from '../machines/user.ts';
import { createFile, DEFAULT_DAYS, MAX_DAYS, type OfflineOrder } from './create.ts';
import { issuedFileReply } from './fields.ts';
import { MAX_REQUEST_CHARACTERS, readFileRequest } from './file-request.ts';

const MISSING = 'Missing licenseKey with machineFingerprint and hostname or anyMachine, or request';

const orderFields = Type.Object({
  licenseKey: Type.Optional(licenseKeyField),
  request: Type.Optional(text('The LATCHKEY REQUEST that the app wrote.', MAX_REQUEST_CHARACTERS)),
  machineFingerprint: Type.Optional(fingerprintField),
  hostname: Type.Optional(machineName('Human-readable machine name.')),
  user: Type.Optional(
    userField('The person who uses the machine, as at /activate; required where the license has `maxUsers`.'),
  ),
  anyMachine: Type.Optional(flag('A file that any machine may use; it binds none.')),
  days: Type.Optional(
    wholeNumber(
      `Validity of the file in days, at most that of its license and the leeway; ${DEFAULT_DAYS} by default.`,
      1,
      MAX_DAYS,
    ),
  ),
  forever: Type.Optional(flag('Instead of days: for as long as the license lasts.')),
  includeEmail: Type.Optional(flag("Whether the file contains the customer's e-mail address; false by default.")),
});

export const createLicenseFile = endpoint({
  path: '/createLicenseFile',
  access: 'admin',
  summary: 'Make a signed file for a machine without a connection',
  description:
    'Binds the machine as /activate does, though it is no activation attempt, and answers a file with which its app runs ' +
    'without ever asking the service. The machine keeps its slot until the file expires, also a floating seat, unless it is ' +
    'released. Send the `request` that the app wrote, or name the license and the machine. A file ' +
    'cannot be called back: it is honoured until it expires, also after the machine was released or the license revoked.',
  example: {
    after: ['/createLicense'],
    request: {
      licenseKey: MADE_BY_SERVICE.licenseKey,
      machineFingerprint: EXAMPLE.machineFingerprint,
      hostname: EXAMPLE.hostname,
      days: 100,
    },
    reply: {
      success: true,
      licenseFile: MADE_BY_SERVICE.licenseFile,
      fileId: MADE_BY_SERVICE.fileId,
      issuedAt: '2027-03-01T09:30:00.000Z',
      renewAfter: '2027-03-26T09:30:00.000Z',
      expiresAt: '2027-06-09T09:30:00.000Z',
      keyId: MADE_BY_SERVICE.keyId,
      machinesUsed: 1,
      maxMachines: 3,
    },
  },
  fields: orderFields,
  missing: MISSING,
  reply: Type.Object({
    ...issuedFileReply,
    machinesUsed: Type.Integer({ description: 'Slots taken; live sessions for a floating license.' }),
    maxMachines: Type.Integer({ description: 'Number of slots; -1 is unlimited.' }),
  }),
  refusals: [
    'license_not_found',
    'wrong_product',
    'license_replaced',
    'license_revoked',
    'license_expired',
    'user_required',
    'user_limit',
    'machine_limit',
  ],
}).write(async (tx, { fields, scope, origin, ruleContext }) => {
  const order = orderOf(fields);
  if (isRefusal(order)) return order;
  const created = await createFile(tx, origin, scope, order, ruleContext);
  return isRefusal(created) ? created : { success: true, ...created };
});

const invalid = (message: string) => refuse('invalid_field', { details: { message } });

/** Reads the order from the fields; a field given twice must agree. */
function orderOf(fields: Static<typeof orderFields>): OfflineOrder | Refusal<'missing_fields' | 'invalid_field'> {
  const { days, forever = false, anyMachine = false } = fields;
  if (forever && days !== undefined) return invalid('days cannot be given together with forever');
  const request = fields.request === undefined ? undefined : readFileRequest(fields.request);
  if (request === null) return invalid('request is not a LATCHKEY REQUEST of an app');
  const licenseKey = fields.licenseKey ?? request?.licenseKey;
  if (request !== undefined && licenseKey !== undefined)
    if (storedLicenseKey(licenseKey) !== storedLicenseKey(request.licenseKey))
      return invalid('licenseKey is not the one of the request');
  const fingerprint = fields.machineFingerprint ?? request?.fingerprint;
  if (request !== undefined && fingerprint !== request.fingerprint)
    return invalid('machineFingerprint is not the one of the request');
  const hostname = fields.hostname ?? request?.hostname;
  if (anyMachine && (fingerprint !== undefined || hostname !== undefined))
    return invalid('anyMachine cannot be given together with a machine');
  const { user } = fields;
  if (anyMachine && user !== undefined) return invalid('anyMachine cannot be given together with a user');
  const machine = fingerprint === undefined || hostname === undefined ? null : { fingerprint, hostname, user };
  if (licenseKey === undefined || (machine === null && !anyMachine))
    return refuse('missing_fields', { details: { message: MISSING } });
  return {
    licenseKey,
    productId: request?.productId,
    machine,
    days: forever ? null : (days ?? DEFAULT_DAYS),
    includesEmail: fields.includeEmail ?? false,
  };
}
