/** Lists that are read page by page, as a console reads them. */
import assert from 'node:assert/strict';
import type { Answer } from './app.ts';
import { mustSucceed } from './creator.ts';

type Send = (path: string, body: Readonly<Record<string, unknown>>) => Promise<Answer>;

/** More pages than any list of the tests has. */
const MAX_PAGES = 60;

/**
 * The entries of all pages.
 *
 * @param entries the field of the reply that holds them
 * @param between runs after each page
 */
export async function pagesOf(
  send: Send,
  path: string,
  fields: Readonly<Record<string, unknown>>,
  entries: string,
  between: () => Promise<unknown> = async () => {},
): Promise<Answer['body'][][]> {
  const pages: Answer['body'][][] = [];
  let cursor: string | undefined;
  do {
    assert.ok(pages.length < MAX_PAGES, 'the pages do not end');
    const body = await mustSucceed(send(path, { ...fields, cursor }));
    assert.equal(body.count, body[entries].length);
    pages.push(body[entries]);
    cursor = body.nextCursor;
    await between();
  } while (cursor !== undefined);
  return pages;
}
