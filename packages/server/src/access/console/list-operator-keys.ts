import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { keyHash, nullable, oneOf, resource, timestamp, viewOf } from '../../platform/endpoint/field-types.ts';
import {
  cursorAfter,
  cutPage,
  DEFAULT_LIMIT,
  pageFields,
  pageReply,
  readCursor,
} from '../../platform/endpoint/page.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { ROLES } from '../../platform/endpoint/role.ts';
import type { OperatorKey } from './operator-key.ts';
import { findOperatorKey, listKeysOfOperators } from './operator-key-store.ts';

const operatorKeySchema = resource('OperatorKey', "A key of one of the operator's people, known by its hash.", {
  keyHash: Type.String({ description: 'SHA-256 of the raw key, as hexadecimal digits.' }),
  name: Type.String({ description: 'The name of its user in events.' }),
  role: oneOf("The person's permissions.", ROLES, 'OperatorRole'),
  active: Type.Boolean({ description: 'False once it is revoked.' }),
  createdAt: timestamp('When the key was created.'),
  revokedAt: nullable(timestamp('When it was revoked; null while it is active, or if the time was not stored.')),
  expiresAt: nullable(timestamp('When it ends; null: never.')),
  lastUsedAt: nullable(timestamp('The last sign-in or call of its sessions, to an hour.')),
});

/** GET/POST /listOperatorKeys (rules 4.13.6). */
export const listOperatorKeys = endpoint({
  path: '/listOperatorKeys',
  access: 'superAdmin',
  summary: "List the keys of the operator's people, newest first",
  description:
    'Lists operator keys by their hashes, revoked ones too; raw keys are never shown. To find the owner of a leaked ' +
    'key, send its `hash` instead of the key.',
  example: {
    after: ['/createConsoleSession'],
    request: {},
    reply: {
      success: true,
      keys: [
        {
          keyHash: MADE_BY_SERVICE.operatorKeyHash,
          name: 'Bea',
          role: 'viewer',
          active: true,
          createdAt: EXAMPLE_NOW,
          revokedAt: null,
          expiresAt: null,
          lastUsedAt: EXAMPLE_NOW,
        },
      ],
      count: 1,
    },
  },
  fields: Type.Object({
    hash: Type.Optional(keyHash('Only the key with this hash: the SHA-256 of the raw key.')),
    ...pageFields('Keys'),
  }),
  reply: pageReply('keys', operatorKeySchema),
}).read(async (sql, { fields }) => {
  const { hash: sought, limit = DEFAULT_LIMIT } = fields;
  const cursor = readCursor(fields.cursor);
  if (isRefusal(cursor)) return cursor;
  let found: readonly OperatorKey[];
  if (sought === undefined) found = await listKeysOfOperators(sql, cursor, limit + 1);
  else {
    const key = await findOperatorKey(sql, sought);
    found = key !== undefined && key.createdAt < cursor.createdAt ? [key] : [];
  }
  const { entries, next } = cutPage(found, limit, ({ createdAt, hash }) => cursorAfter({ createdAt, id: hash }));
  const keys = entries.map(({ hash, ...key }) => viewOf(operatorKeySchema, { keyHash: hash, ...key }));
  return { success: true, keys, count: keys.length, ...next };
});
