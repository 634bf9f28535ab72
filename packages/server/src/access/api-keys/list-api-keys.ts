import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { keyHash, nullable, resource, text, timestamp, viewOf } from '../../platform/endpoint/field-types.ts';
import {
  cursorAfter,
  cutPageOfNames,
  DEFAULT_LIMIT,
  pageFields,
  pageReply,
  readCursor,
} from '../../platform/endpoint/page.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import type { ApiKey } from './api-key.ts';
import { findApiKey, listKeys } from './store.ts';

const keySchema = resource('ApiKey', 'An API key, known by its hash.', {
  hash: Type.String({ description: 'SHA-256 of the raw key, as hexadecimal digits.' }),
  name: Type.String({ description: 'Human-readable label.' }),
  creatorId: Type.String({ description: 'The creator it is bound to.' }),
  active: Type.Boolean({ description: 'False once it is revoked.' }),
  createdAt: timestamp('When the key was created.'),
  revokedAt: nullable(timestamp('When it was revoked; null while it is active, or if the time was not stored.')),
});

/** GET/POST /listApiKeys (rules 4.4.2). */
export const listApiKeys = endpoint({
  path: '/listApiKeys',
  access: 'superAdmin',
  summary: 'List API keys, newest first',
  description:
    'Lists API keys by their hashes, revoked ones too; raw keys are never shown. `nextCursor` is present when there ' +
    'are more; give it as `cursor` for the next page. To find the owner of a leaked key, send its `hash` instead of ' +
    'the key.',
  example: {
    after: ['/createApiKey'],
    request: { creatorId: EXAMPLE.creatorId },
    reply: {
      success: true,
      keys: [
        {
          hash: MADE_BY_SERVICE.apiKeyHash,
          name: 'Build server',
          creatorId: EXAMPLE.creatorId,
          active: true,
          createdAt: EXAMPLE_NOW,
          revokedAt: null,
        },
      ],
      count: 1,
    },
  },
  fields: Type.Object({
    creatorId: Type.Optional(text('Only the keys of this creator.')),
    hash: Type.Optional(keyHash('Only the key with this hash: the SHA-256 of the raw key.')),
    ...pageFields('Keys'),
  }),
  reply: pageReply('keys', keySchema),
}).read(async (sql, { fields }) => {
  const { creatorId, hash: sought, limit = DEFAULT_LIMIT } = fields;
  const cursor = readCursor(fields.cursor);
  if (isRefusal(cursor)) return cursor;
  let found: readonly ApiKey[];
  if (sought === undefined) found = await listKeys(sql, creatorId, cursor, limit + 1);
  else {
    const key = await findApiKey(sql, sought);
    const isOfCreator = creatorId === undefined || key?.creatorId === creatorId;
    found = key !== undefined && isOfCreator && key.createdAt < cursor.createdAt ? [key] : [];
  }
  const { entries: keys, next } = cutPageOfNames(found, limit, ({ createdAt, hash }) =>
    cursorAfter({ createdAt, id: hash }),
  );
  return {
    success: true,
    keys: keys.map((key) => viewOf(keySchema, key)),
    count: keys.length,
    ...next,
  };
});
