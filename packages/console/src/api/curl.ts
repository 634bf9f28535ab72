/** A call as a command that can be pasted into a shell. */
import type { Path, RequestOf } from './contract.ts';

/**
 * The request that the console sends. The secret is a shell variable and never written out.
 *
 * @param origin address of the service, for example `https://licenses.example.com`
 */
export function curlLine<At extends Path>(origin: string, path: At, request: RequestOf<At>): string {
  const body = JSON.stringify(request, null, 2);
  const credential = '-H "X-Admin-Secret: $ADMIN_SECRET"';
  return [`curl ${quoted(`${origin}${path}`)}`, credential, `--json ${quoted(body)}`].join(' \\\n  ');
}

/** Quotes text as one word for a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
