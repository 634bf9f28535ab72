/** Fields that several client endpoints share. */
import Type, { type Static } from 'typebox';
import { licenseKeyField, resource, text, timestamp } from '../../platform/endpoint/field-types.ts';

export const fingerprintField = text('Stable identifier of the machine, made by the client.', 512);

/** licenseKey, machineFingerprint and token: /validate, /deactivate, /heartbeat. */
export const sessionFields = resource('MachineSession', 'A machine that was activated, and its session token.', {
  licenseKey: licenseKeyField,
  machineFingerprint: fingerprintField,
  token: text('Session token of the last /activate or /validate.', 2048),
});

/** The parsed {@link sessionFields}. */
export type SessionFields = Static<typeof sessionFields>;

/** Let an app decide how often to send heartbeats. */
export const sessionExpiryReplies = {
  sessionExpiresAt: Type.Optional(
    timestamp(
      'Floating licenses: until when the session lives without a sign of life. Send the next heartbeat when a third of ' +
        'that time is over.',
    ),
  ),
  heartbeatAfterSeconds: Type.Optional(
    Type.Integer({
      description: 'Floating licenses: after how many seconds to send the next heartbeat, a third of the timeout.',
    }),
  ),
};
