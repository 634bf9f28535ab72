import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { success, text } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { revokeKey } from './change.ts';
import { findOperatorKey } from './operator-key-store.ts';

/** POST /revokeOperatorKey (rules 4.13.7). */
export const revokeOperatorKey = endpoint({
  path: '/revokeOperatorKey',
  access: 'superAdmin',
  summary: "Revoke the key of one of the operator's people",
  description:
    'Ends sign-ins with the key; sessions that began with it are refused from the next call on. It never becomes ' +
    'active again. Revoking a revoked key is not an error: `revoked` is then false.',
  example: {
    after: ['/createOperatorKey'],
    request: { keyHash: MADE_BY_SERVICE.operatorKeyHash },
    reply: { success: true, revoked: true },
  },
  fields: Type.Object({ keyHash: text('The hash of the key, as /listOperatorKeys shows it.', 64) }),
  reply: success({
    revoked: Type.Boolean({ description: 'Whether the key was active until now.' }),
  }),
  refusals: ['operator_key_not_found'],
}).write(async (tx, { fields: { keyHash }, origin }) => {
  const key = await findOperatorKey(tx, keyHash);
  if (key === undefined) return refuse('operator_key_not_found');
  return { success: true, revoked: await revokeKey(tx, origin, key) };
});
