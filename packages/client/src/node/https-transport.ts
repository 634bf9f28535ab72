/**
 * Sends requests with `node:https`, which can trust the operator's own certificate authority, or the server's own key.
 */
import { createHash } from 'node:crypto';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { type ConnectionOptions, connect, rootCertificates, type TLSSocket } from 'node:tls';
import { MAX_ANSWER_BYTES, type Transport, TransportFailure, type TransportReply } from '../transport.ts';

/** The certificates to trust. */
export interface Trust {
  /** PEM of further certificate authorities. */
  readonly ca?: string | readonly string[];
  /**
   * base64 of SHA-256 of the server's public key. One pin must match. A certificate with a matching key needs no
   * authority, and may be renewed as long as it keeps the key. List a spare pin as well.
   */
  readonly pins?: readonly string[];
}

/** The pin of a certificate's public key, from its DER. */
export function pinOf(publicKey: Uint8Array): string {
  return createHash('sha256').update(publicKey).digest('base64');
}

/** A transport that follows no redirects, always checks TLS and reads at most 64 KiB. */
export function httpsTransport({ ca, pins }: Trust = {}): Transport {
  const authorities = ca === undefined ? undefined : [...rootCertificates, ...[ca].flat()];
  const isPinned = pins !== undefined && pins.length > 0;
  return ({ url, body, timeoutMs }) =>
    new Promise((resolve, reject) => {
      let connecting: TLSSocket | null = null;
      const remember = (socket: TLSSocket) => {
        connecting = socket;
      };
      const options: RequestOptions = {
        method: body === null ? 'GET' : 'POST',
        rejectUnauthorized: true,
        headers: {
          'User-Agent': 'latchkey-client',
          Accept: 'application/json',
          ...(body === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
        },
        ...(authorities === undefined ? {} : { ca: authorities }),
        // node:https uses `createConnection` only without an agent.
        ...(isPinned ? { createConnection: pinnedConnection(pins, remember) } : { agent: false }),
      };
      // Plain HTTP is for a service on this machine, see create.ts: no certificate is needed there.
      const sent = url.startsWith('https:')
        ? httpsRequest(url, options)
        : httpRequest(url, { ...options, agent: false });
      // Covers the whole answer, so that a server which sends one byte per second cannot hold the app.
      const limit = setTimeout(() => {
        const late = new TransportFailure('timeout', `no complete answer within ${timeoutMs} ms`);
        // Until the handshake ends, the request does not have its pinned connection: destroying it closes nothing and
        // reports nothing.
        connecting?.destroy();
        sent.destroy(late);
        reject(late);
      }, timeoutMs);
      read(sent)
        .then(resolve, (error) => reject(asFailure(error)))
        .finally(() => clearTimeout(limit));
      sent.end(body ?? undefined);
    });
}

function read(sent: ClientRequest): Promise<TransportReply> {
  return new Promise((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) sent.destroy(new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`));
        else chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('aborted', () => reject(new Error('the answer broke off')));
      response.on('end', () => {
        const headers: Record<string, string | undefined> = {};
        for (const [name, value] of Object.entries(response.headers)) headers[name] = value?.toString();
        resolve({ status: response.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString() });
      });
    });
  });
}

/**
 * Connects, and returns the connection only after the server has shown a pinned key.
 *
 * @param begun receives the connection at its begin
 */
function pinnedConnection(
  pins: readonly string[],
  begun: (socket: TLSSocket) => void,
): NonNullable<RequestOptions['createConnection']> {
  return (options, ready) => {
    const given = options as ConnectionOptions & { readonly hostname?: string };
    const host = given.hostname ?? given.host ?? '';
    const servername = isIP(host) === 0 ? host : '';
    const socket: TLSSocket = connect({ ...given, host, servername, rejectUnauthorized: false });
    begun(socket);
    const fail = (error: Error) => {
      socket.destroy();
      ready?.(error, socket);
    };
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      socket.removeListener('error', fail);
      const shown = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' });
      if (shown === undefined || !pins.includes(pinOf(shown)))
        fail(new TransportFailure('tls', 'the key of the server is none of the pinned ones'));
      else ready?.(null, socket);
    });
    return undefined;
  };
}

/** Error codes of node:tls, which distinguish a certificate problem from a broken connection. */
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|EPROTO)/;

function asFailure(error: Error & { code?: string }): TransportFailure {
  if (error instanceof TransportFailure) return error;
  return new TransportFailure(TLS_CODE.test(error.code ?? '') ? 'tls' : 'network', error.message, { cause: error });
}
