/** Requests of a browser without a window. */
import { type IncomingHttpHeaders, Agent as PlainAgent, request as requestPlain } from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Address } from './connection.ts';

/** The most connections of a browser to one server. */
const CONNECTIONS = 6;

/** The reply to a request; `body` is its text. */
export interface BrowserAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request, POST by default. Rejects if the connection breaks. */
export type Send = (
  path: string,
  body?: unknown,
  options?: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> },
) => Promise<BrowserAnswer>;

/**
 * Sends requests to a server over connections that stay open.
 *
 * @param network the address of the browser, because limits count by network; null for this machine's own. On HTTPS it
 * must be a loopback address, to which the sockets are bound; on plain HTTP it is sent as `X-Forwarded-For`
 */
export function senderTo({ port, certificate }: Address, network: string | null): Send {
  const forwarded: Record<string, string> = network === null ? {} : { 'x-forwarded-for': network };
  const kept = { keepAlive: true, maxSockets: CONNECTIONS };
  const plain = new PlainAgent(kept);
  const tls =
    certificate === null
      ? null
      : new TlsAgent({
          ...{ ...kept, ca: certificate, servername: 'localhost' },
          ...(network === null ? {} : { localAddress: network }),
        });
  return (path, body, { method = 'POST', headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const sent = body === undefined ? '' : String(body);
      const options = {
        ...{ host: '127.0.0.1', port, path, method },
        headers: {
          ...{ 'x-forwarded-proto': 'https', ...forwarded, ...headers },
          ...(sent === '' ? {} : { 'content-length': Buffer.byteLength(sent) }),
        },
      };
      const request =
        tls === null ? requestPlain({ ...options, agent: plain }) : requestTls({ ...options, agent: tls });
      request.on('error', reject);
      request.on('response', (response) => {
        text(response).then(
          (answered) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answered }),
          reject,
        );
      });
      request.end(sent);
    });
}
