import Type from 'typebox';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { licenseKeyField, success } from '../../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../../platform/endpoint/refusals.ts';
import { foldUser, userField } from '../../machines/user.ts';
import { changeLicense } from '../change.ts';
import { loadUserToRelease, type UserToRelease, userReleaseOf } from '../user-release.ts';

/** POST /releaseUser (rules 14.9). */
export const releaseUser = endpoint({
  path: '/releaseUser',
  access: 'admin',
  needs: 'support',
  summary: 'Free the seat of a user and unbind their machines',
  description:
    'Frees the seat of a user who left, and unbinds the machines of the user, whose session tokens become invalid. The ' +
    'user may come back with /activate if a seat is free then. A repeat after a success is answered 404, which then ' +
    'says that the seat is free.',
  example: {
    after: ['/activate', '/listUsers'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey, user: EXAMPLE.email },
    reply: { success: true, machinesReleased: 1 },
  },
  fields: Type.Object({
    licenseKey: licenseKeyField,
    user: userField('The user, as /listUsers or the activation names them; compared as addresses are.'),
  }),
  missing: 'Missing licenseKey or user',
  reply: success({ machinesReleased: Type.Integer({ description: 'Machines that were unbound.' }) }),
  refusals: ['license_not_found', 'user_not_found'],
}).write(async (tx, { fields, scope, origin }) => {
  let machinesReleased = 0;
  const changed = await changeLicense<UserToRelease, 'user_not_found'>(
    tx,
    origin,
    {
      licenseKey: fields.licenseKey,
      scope,
      load: ({ licenseKey }) => loadUserToRelease(tx, { licenseKey, userFolded: foldUser(fields.user) }),
    },
    (license, known) => {
      machinesReleased = known.machines.length;
      return userReleaseOf(license, known);
    },
  );
  return isRefusal(changed) ? changed : { success: true, machinesReleased };
});
