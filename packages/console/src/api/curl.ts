/** A call as a command that can be pasted into a shell. */
import type { ConsolePersonKind, Path, RequestOf } from './contract.ts';

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

/** The secret of a person, as a shell variable: it is never written out. */
const SECRETS: Readonly<Record<ConsolePersonKind, string>> = {
  operator: '-H "X-Admin-Secret: $ADMIN_SECRET"',
  creator: '-H "X-API-Key: $API_KEY"',
};

/** The request that the console sends for a person. */
export function curlLine<At extends Path>(
  service: ServiceAddress,
  person: ConsolePersonKind,
  path: At,
  request: RequestOf<At>,
): string {
  const body = JSON.stringify(request, null, 2);
  return curlCall(service, path, [SECRETS[person], `--json ${quoted(body)}`]);
}

/** Quotes text as one word for a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
