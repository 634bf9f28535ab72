/** A call as a line that a person can paste into a shell. */
import type { Path, RequestOf } from './contract.ts';

/**
 * The same request as the console sends, with the secret left to the shell's own variable and never written out.
 *
 * @param origin where the service is, for example `https://licenses.example.com`
 */
export function curlLine<At extends Path>(origin: string, path: At, request: RequestOf<At>): string {
  const body = JSON.stringify(request, null, 2);
  const credential = '-H "X-Admin-Secret: $LATCHKEY_ADMIN_SECRET"';
  return [`curl ${quoted(`${origin}${path}`)}`, credential, `--json ${quoted(body)}`].join(' \\\n  ');
}

/** Text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
