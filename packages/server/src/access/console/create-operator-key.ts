import Type from 'typebox';
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { hashApiKey } from '../../platform/endpoint/caller.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { endTimestamp, nullable, oneOf, success, text, timestamp } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { ROLES } from '../../platform/endpoint/role.ts';
import { addOperatorKey } from './change.ts';
import { LONGEST_NAME } from './create-console-session.ts';
import { isNameOfAdmin, mintOperatorKey } from './operator-key.ts';

/** POST /createOperatorKey (rules 4.13.5). */
export const createOperatorKey = endpoint({
  path: '/createOperatorKey',
  access: 'superAdmin',
  summary: "Make a key for one of the operator's people",
  description:
    'Creates a key with which one person signs in to the console; no other endpoint accepts it. Its `name` stands ' +
    'for the person in events, and its `role` sets the permissions: `owner` everything; `support` reads all, frees ' +
    'machines, extends licenses by at most 30 days, resolves violations, revokes, reinstates and writes notes; ' +
    '`viewer` reads. Only this answer contains the raw key, because only its hash is stored.',
  example: {
    request: { name: 'Bea', role: 'viewer' },
    reply: {
      success: true,
      operatorKey: MADE_BY_SERVICE.operatorKey,
      keyHash: MADE_BY_SERVICE.operatorKeyHash,
      name: 'Bea',
      role: 'viewer',
      expiresAt: null,
    },
  },
  fields: Type.Object({
    name: text('The name of its user in events. Not `admin`, which stands for the admin secret.', LONGEST_NAME),
    role: oneOf("The person's permissions.", ROLES, 'OperatorRole'),
    expiresAt: Type.Optional(endTimestamp('When the key and its sessions end; never by default.')),
  }),
  reply: success({
    operatorKey: Type.String({ description: 'The raw key, shown this once.' }),
    keyHash: Type.String({ description: 'SHA-256 of the raw key, by which it is listed and revoked.' }),
    name: Type.String({ description: 'The name of its user in events.' }),
    role: oneOf("The person's permissions.", ROLES, 'OperatorRole'),
    expiresAt: nullable(timestamp('Null: never.')),
  }),
}).write(async (tx, { fields: { name, role, expiresAt = null }, origin }) => {
  if (isNameOfAdmin(name))
    return refuse('invalid_field', { details: { message: 'name must not be that of the admin secret' } });
  if (expiresAt !== null && fromTimestamp(expiresAt) <= origin.now)
    return refuse('invalid_field', { details: { message: 'expiresAt must be in the future' } });
  const operatorKey = mintOperatorKey();
  const keyHash = hashApiKey(operatorKey);
  const createdAt = toTimestamp(origin.now);
  const unused = { active: true, createdAt, revokedAt: null, expiresAt, lastUsedAt: null };
  await addOperatorKey(tx, origin, { hash: keyHash, name, role, ...unused });
  return { success: true, operatorKey, keyHash, name, role, expiresAt };
});
