/** Requests as they go over the wire. */

/**
 * A whole HTTP request. A service behind a proxy requires a header that says that the proxy received HTTPS; that
 * header is always sent, so that requests are of the same size whether they are encrypted or not.
 *
 * @param path with its slash
 * @param body JSON text
 * @param headers beside the usual ones
 */
export function wireText(path: string, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    'X-Forwarded-Proto: https',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
