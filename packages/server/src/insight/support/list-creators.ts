import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import { text } from '../../platform/endpoint/field-types.ts';
import { cursorOf, MAX_LIMIT, pageFields, pageReply, readPosition, TEXT_FORM } from '../../platform/endpoint/page.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { listCreatorIds } from './creator-store.ts';

/** GET/POST /listCreators (rules 4.3.8). */
export const listCreators = endpoint({
  path: '/listCreators',
  access: 'admin',
  needs: 'viewer',
  summary: 'List creators',
  description:
    'Lists the owners of products, API keys, codes and studio orders, each once, in their order as text. An API key ' +
    'sees its own creator only. `nextCursor` is present when there are more; give it as `cursor` for the next page.',
  example: {
    after: ['/createProduct'],
    request: { beginning: EXAMPLE.creatorId },
    reply: { success: true, creators: [EXAMPLE.creatorId], count: 1 },
  },
  fields: Type.Object({
    beginning: Type.Optional(text('Only creators that begin so, in the same case.')),
    ...pageFields('Creators', MAX_LIMIT),
  }),
  reply: pageReply('creators', Type.String({ description: 'The creator, as `creatorId` names it.' })),
}).read(async (sql, { fields: { beginning = '', cursor, limit = MAX_LIMIT }, scope }) => {
  const position = cursor === undefined ? [beginning] : readPosition(cursor, [TEXT_FORM]);
  if (isRefusal(position)) return position;
  const [from = ''] = position;
  // The cursor is the first creator of the next page.
  const found = scope.creatorId === null ? await listCreatorIds(sql, from, limit + 1) : [scope.creatorId];
  const fitting = found.filter((creatorId) => creatorId.startsWith(beginning));
  const creators = fitting.slice(0, limit);
  const next = fitting[limit];
  return {
    success: true,
    creators,
    count: creators.length,
    ...(next === undefined ? {} : { nextCursor: cursorOf([next]) }),
  };
});
