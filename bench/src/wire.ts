/** Requests in wire format. */

/**
 * A whole HTTP request. A service behind a proxy requires a header that states that the proxy received HTTPS. That
 * header is always sent, so that requests have the same size with and without encryption.
 *
 * @param path with its slash
 * @param body JSON text
 * @param headers in addition to the standard ones
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
