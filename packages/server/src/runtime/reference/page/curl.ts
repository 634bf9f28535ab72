/** Requests as shell commands, and JSON formatted for reading. */

import { escaped } from '../../../ground/base/html.ts';
import { shownAccess } from '../access.ts';
import type { DescribedEndpoint } from '../described.ts';

/** The example of an endpoint as a curl command for its first method. */
export function curlLine({ path, methods, access, example }: DescribedEndpoint): string {
  const headers = shownAccess(access).headers.map((each) => `-H "${each}"`);
  const [method] = methods;
  if (method === 'POST') {
    const body = JSON.stringify(example.request, null, 2);
    return [`curl "$LATCHKEY${path}"`, ...headers, `--json ${quoted(body)}`].join(' \\\n  ');
  }
  const fields = Object.entries(example.request).map(
    ([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`,
  );
  const verb = method === 'GET' ? 'curl' : `curl -X ${method}`;
  const asQuery = fields.length === 0 ? '' : ' --get';
  return [`${verb}${asQuery} "$LATCHKEY${path}"`, ...headers, ...fields].join(' \\\n  ');
}

/** Quotes a text as one shell word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** JSON formatted as HTML, with the values highlighted. */
export function shownJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => {
      const [, before = '', shown = line, after = ''] = /^(\s*(?:"[^"]*": )?)(.*?)(,?)$/.exec(line) ?? [];
      return /^[[\]{}]+$/.test(shown) ? escaped(line) : `${escaped(before)}<b>${escaped(shown)}</b>${escaped(after)}`;
    })
    .join('\n');
}
