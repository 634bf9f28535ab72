import Type from 'typebox';
import { endpoint } from '../endpoint/endpoint.ts';
import { cursorAfter, placeOf } from '../endpoint/page.ts';
import { text, timestamp, wholeNumber } from '../endpoint/vocabulary.ts';
import { isRefusal } from '../refusals.ts';
import { listKeys } from './store.ts';

const DEFAULT_LIMIT = 100;
const MAXIMUM_LIMIT = 1000;

/** GET/POST /listApiKeys (specification, "Admin: API keys"). */
export const listApiKeys = endpoint({
  path: '/listApiKeys',
  methods: ['GET', 'POST'],
  access: 'superAdmin',
  summary: 'List API keys, newest first',
  description:
    'Lists API keys by their hashes, revoked ones too; raw keys are never shown. `nextCursor` is present when there ' +
    'are more; give it as `cursor` for the next page.',
  fields: Type.Object({
    creatorId: Type.Optional(text('Only the keys of this creator.')),
    limit: Type.Optional(wholeNumber('Keys per answer; 100 unless given.', 1, MAXIMUM_LIMIT)),
    cursor: Type.Optional(text('The nextCursor of the answer before.', 1024)),
  }),
  missing: '',
  reply: Type.Object({
    success: Type.Literal(true),
    keys: Type.Array(
      Type.Object({
        hash: Type.String({ description: 'SHA-256 of the raw key, as hexadecimal digits.' }),
        name: Type.String(),
        creatorId: Type.String(),
        active: Type.Boolean({ description: 'False once it is revoked.' }),
        createdAt: timestamp('When the key was made.'),
      }),
    ),
    count: Type.Integer({ description: 'Keys in this answer.' }),
    nextCursor: Type.Optional(Type.String()),
  }),
  refusals: [],
  work: {
    kind: 'read',
    async act(sql, { fields }) {
      const { creatorId, limit = DEFAULT_LIMIT } = fields;
      const place = placeOf(fields.cursor);
      if (isRefusal(place)) return place;
      const found = await listKeys(sql, creatorId, place, limit + 1);
      const keys = found.slice(0, limit);
      const last = found.length > limit ? keys.at(-1) : undefined;
      return {
        success: true,
        keys,
        count: keys.length,
        ...(last === undefined ? {} : { nextCursor: cursorAfter({ createdAt: last.createdAt, id: last.hash }) }),
      };
    },
  },
});
