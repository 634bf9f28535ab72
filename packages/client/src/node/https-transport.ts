/**
 * Sends requests with `node:https`, which can trust the operator's own certificate authority, or the server's own key.
 */
import { createHash } from 'node:crypto';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { Agent, globalAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import * as tls from 'node:tls';
import { MAX_ANSWER_BYTES, type Transport, TransportFailure, type TransportReply } from '../transport.ts';

/** The certificates to trust. */
export interface Trust {
  /** PEM of further certificate authorities. */
  readonly ca?: string | readonly string[];
  /**
   * Also trusts the authorities that the system trusts, for networks of offices whose proxy reads TLS. Needs Node.js
   * 22.15 or newer.
   */
  readonly trustSystem?: boolean;
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

/** The PEM of all trusted authorities; undefined for those that Node.js trusts by itself. */
function authoritiesOf({ ca, trustSystem = false }: Trust): string[] | undefined {
  if (ca === undefined && !trustSystem) return undefined;
  // Absent before Node.js 22.15.
  const { getCACertificates } = tls as Partial<typeof tls>;
  if (trustSystem && getCACertificates === undefined) throw new TypeError('trustSystem needs Node.js 22.15 or newer');
  const usual = getCACertificates?.('default') ?? tls.rootCertificates;
  return [...usual, ...(trustSystem ? tls.getCACertificates('system') : []), ...[ca ?? []].flat()];
}

/**
 * An agent that keeps no connection. It goes through the proxy of the environment if Node.js does so, by
 * `--use-env-proxy` or `NODE_USE_ENV_PROXY=1`.
 */
function agentOf(): Agent {
  const { proxyEnv } = globalAgent.options as { readonly proxyEnv?: NodeJS.ProcessEnv };
  return new Agent({ keepAlive: false, ...(proxyEnv === undefined ? {} : { proxyEnv }) } as object);
}

/**
 * A transport that follows no redirects, always checks TLS and reads at most 64 KiB. With `pins` it connects directly.
 *
 * @throws TypeError if this Node.js cannot tell the authorities of the system
 */
export function httpsTransport(trust: Trust = {}): Transport {
  const { pins } = trust;
  const authorities = authoritiesOf(trust);
  const isPinned = pins !== undefined && pins.length > 0;
  return ({ url, body, timeoutMs }) =>
    new Promise((resolve, reject) => {
      let connecting: tls.TLSSocket | null = null;
      const remember = (socket: tls.TLSSocket) => {
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
        ...(isPinned ? { createConnection: pinnedConnection(pins, remember) } : { agent: agentOf() }),
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
  begun: (socket: tls.TLSSocket) => void,
): NonNullable<RequestOptions['createConnection']> {
  return (options, ready) => {
    const given = options as tls.ConnectionOptions & { readonly hostname?: string };
    const host = given.hostname ?? given.host ?? '';
    const servername = isIP(host) === 0 ? host : '';
    const socket: tls.TLSSocket = tls.connect({ ...given, host, servername, rejectUnauthorized: false });
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
