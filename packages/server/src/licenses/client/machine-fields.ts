/** The fields that activation-bound calls share. */
import Type from 'typebox';
import { licenseKeyField, text } from '../../endpoint/vocabulary.ts';

export const fingerprintField = text('Stable identifier of the machine, made by the client.', 512);

/** licenseKey, machineFingerprint and token: /validate, /deactivate, /heartbeat. */
export const sessionFields = Type.Object({
  licenseKey: licenseKeyField,
  machineFingerprint: fingerprintField,
  token: text('Session token of the last /activate or /validate.', 2048),
});
