/** Fields that several client endpoints share. */
import Type from 'typebox';
import { licenseKeyField, oneOf, text, timestamp } from '../../endpoint/vocabulary.ts';
import { LICENSE_TYPES } from '../license.ts';

export const fingerprintField = text('Stable identifier of the machine, made by the client.', 512);

/** licenseKey, machineFingerprint and token: /validate, /deactivate, /heartbeat. */
export const sessionFields = Type.Object({
  licenseKey: licenseKeyField,
  machineFingerprint: fingerprintField,
  token: text('Session token of the last /activate or /validate.', 2048),
});

/** Tells an app whether to send heartbeats. */
export const licenseTypeReply = oneOf('Type of the license; a floating one wants heartbeats.', LICENSE_TYPES);

/** Tells it how often. */
export const sessionExpiresAtReply = Type.Optional(
  timestamp(
    'Floating licenses: until when the session lives without a sign of life. Send the next heartbeat when a third of ' +
      'that time is over.',
  ),
);
