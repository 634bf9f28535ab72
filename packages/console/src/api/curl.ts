/** A call as a command that can be pasted into a shell. */
import type { Path, RequestOf } from './contract.ts';

/** How a program beside the browser reaches the service. */
export interface ServiceAddress {
  /** For example `https://licenses.example.com`. */
  readonly origin: string;
  /** The path of the certificate that the program must trust; null if every program trusts it. */
  readonly certificateFile: string | null;
}

/** A call with these further words, each on a line of its own. */
export function curlCall({ origin, certificateFile }: ServiceAddress, path: Path, words: readonly string[]): string {
  const trust = certificateFile === null ? [] : [`--cacert ${quoted(certificateFile)}`];
  return [`curl ${quoted(`${origin}${path}`)}`, ...trust, ...words].join(' \\\n  ');
}

/** The request that the console sends. The secret is a shell variable and never written out. */
export function curlLine<At extends Path>(service: ServiceAddress, path: At, request: RequestOf<At>): string {
  const body = JSON.stringify(request, null, 2);
  return curlCall(service, path, ['-H "X-Admin-Secret: $ADMIN_SECRET"', `--json ${quoted(body)}`]);
}

/** Quotes text as one word for a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
