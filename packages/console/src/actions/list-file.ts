/** Lists as files, with all their entries instead of those of the page in sight. */
import { call } from '../api/call.ts';
import type { Path, ReplyOf, RequestOf } from '../api/contract.ts';
import type { ListFile } from '../parts/csv.tsx';
import type { ReadPage } from './read-all.ts';

/** Page size: the maximum of the service. */
const PAGE = 1000;

/** The file of a list that is read page by page, from its beginning. */
export function filePages(name: string, read: ReadPage<object>): ListFile {
  return { name, entries: async () => (await import('./read-all.ts')).readAll(read) };
}

/**
 * The file of a list of the service.
 *
 * @param request its `limit` and `cursor` are replaced
 * @param entriesOf the entries of a reply, whose fields are the columns of the file
 */
export function listFile<At extends Path>(
  name: string,
  path: At,
  request: RequestOf<At>,
  entriesOf: (reply: ReplyOf<At>) => readonly object[],
): ListFile {
  return filePages(name, async (cursor) => {
    const reply = await call(path, { ...request, limit: PAGE, cursor } as RequestOf<At>);
    return { entries: entriesOf(reply), nextCursor: (reply as { readonly nextCursor?: string }).nextCursor };
  });
}
