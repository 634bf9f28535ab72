import Type from 'typebox';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { licenseKeyField, resource, timestamp } from '../../../platform/endpoint/field-types.ts';
import {
  cursorOf,
  cutPage,
  DEFAULT_LIMIT,
  pageFields,
  pageReply,
  readPosition,
  TEXT_FORM,
} from '../../../platform/endpoint/page.ts';
import { isRefusal, refuse } from '../../../platform/endpoint/refusals.ts';
import { listUsersOf } from '../../machines/user-store.ts';
import { storedLicenseKey } from '../license.ts';
import { findLicense } from '../store.ts';

const userSchema = resource('LicenseUser', 'A person who holds a seat of a license.', {
  user: Type.String({ description: 'As the app named the user first.' }),
  machines: Type.Integer({ description: 'Machines of the user at this moment.' }),
  since: timestamp('When the user got the seat.'),
  lastSeen: timestamp('The last sign of life of a machine of the user.'),
});

/** POST /listUsers (rules 14.9). */
export const listUsers = endpoint({
  path: '/listUsers',
  access: 'admin',
  needs: 'viewer',
  summary: 'List the users who hold seats of a license',
  description:
    'Lists the users of a license with `maxUsers`, by name, each with the number of machines. A user keeps the seat ' +
    'until it is released, or until the last machine is gone where `usersFloat` is set. The list of a license without ' +
    '`maxUsers` is empty: its activations name the users that apps sent.',
  example: {
    after: ['/activate'],
    beforehand: [
      { to: '/updateLicense', request: { licenseKey: MADE_BY_SERVICE.licenseKey, maxUsers: 5 } },
      {
        to: '/activate',
        request: {
          licenseKey: MADE_BY_SERVICE.licenseKey,
          machineFingerprint: EXAMPLE.machineFingerprint,
          hostname: EXAMPLE.hostname,
          productId: EXAMPLE.productId,
          user: EXAMPLE.email,
        },
      },
    ],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey },
    reply: {
      success: true,
      users: [{ user: EXAMPLE.email, machines: 1, since: EXAMPLE_NOW, lastSeen: EXAMPLE_NOW }],
      count: 1,
    },
  },
  fields: Type.Object({ licenseKey: licenseKeyField, ...pageFields('Users') }),
  reply: pageReply('users', userSchema),
  refusals: ['license_not_found'],
}).read(async (sql, { fields, scope }) => {
  const after = fields.cursor === undefined ? [''] : readPosition(fields.cursor, [TEXT_FORM]);
  if (isRefusal(after)) return after;
  const license = await findLicense(sql, storedLicenseKey(fields.licenseKey), scope);
  if (license === undefined) return refuse('license_not_found');
  const { limit = DEFAULT_LIMIT } = fields;
  const found = await listUsersOf(sql, license.licenseKey, after[0] ?? '', limit + 1);
  const { entries, next } = cutPage(found, limit, ({ userFolded }) => cursorOf([userFolded]));
  const users = entries.map(({ user, machines, since, lastSeen }) => ({ user, machines, since, lastSeen }));
  return { success: true, users, count: users.length, ...next };
});
