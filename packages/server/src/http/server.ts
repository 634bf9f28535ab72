/** Sockets: where the service listens, how it speaks TLS, what it says to those who do not, and how it stops. */
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { rawRefusal } from './answers.ts';

/** A request listener. */
type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** How to listen. `tls` null: plain HTTP, for trusted proxies in front. */
export interface ListenOptions {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  readonly tls: { readonly certificate: string; readonly key: string } | null;
  /** How long a request may take to arrive, its body included, before it is refused. */
  readonly requestTimeoutMs: number;
}

/** A service that listens. */
export interface Listening {
  readonly port: number;
  /** Stops accepting, lets requests under way finish for up to `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

const LIMITS = {
  /** Longer than the usual minute of load balancers, so that it is they who close idle connections. */
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16 * 1024,
  /** A request without Host is refused by the listener, with an answer like any other. */
  requireHostHeader: false,
} as const;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** How often node looks for requests that take too long to arrive. */
const CHECKING_INTERVAL_MS = 5_000;
const MAXIMUM_HEADERS = 100;
/** How often a service that stops looks for connections whose last answer has been sent. */
const SWEEP_MS = 50;
/** How long a peer that has been refused may take to read why. */
const LINGER_MS = 2_000;

/** Listens on an address; `localhost` is both of its addresses. */
export async function listen(listener: Listener, options: ListenOptions): Promise<Listening> {
  const servers: Server[] = [];
  let isClosing = false;
  const watched: Listener = (request, response) => {
    // A connection that is kept alive must not keep a closing service alive.
    if (isClosing) response.shouldKeepAlive = false;
    listener(request, response);
  };
  let { port } = options;
  for (const address of addressesOf(options.host)) {
    const server =
      options.tls === null ? createPlainServer(watched, options) : createTlsServer(watched, options, options.tls);
    try {
      port = await bind(server, address, port);
      servers.push(server);
    } catch (error) {
      // Machines without IPv6 have no ::1; one of localhost's two addresses is enough.
      const isSpare = servers.length > 0 && ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(codeOf(error));
      if (!isSpare) throw error;
    }
  }
  return {
    port,
    async close(graceMs) {
      isClosing = true;
      const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
      const sweep = setInterval(() => {
        for (const server of servers) server.closeIdleConnections();
      }, SWEEP_MS);
      const cut = setTimeout(() => {
        for (const server of servers) server.closeAllConnections();
      }, graceMs);
      await Promise.all(closed);
      clearInterval(sweep);
      clearTimeout(cut);
    },
  };
}

function addressesOf(host: string): readonly string[] {
  return host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function limitsOf({ requestTimeoutMs }: ListenOptions) {
  return {
    ...LIMITS,
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
    connectionsCheckingInterval: Math.min(CHECKING_INTERVAL_MS, requestTimeoutMs),
  };
}

function createPlainServer(listener: Listener, options: ListenOptions): Server {
  const server = createHttpServer({ ...limitsOf(options), noDelay: true }, listener);
  guard(server, listener);
  return server;
}

/**
 * A TLS server that looks at the first byte of each connection: a TLS handshake begins with 22, and whoever sends
 * anything else gets told to use HTTPS instead of a dropped connection.
 */
function createTlsServer(
  listener: Listener,
  options: ListenOptions,
  { certificate, key }: NonNullable<ListenOptions['tls']>,
): Server {
  const server = createHttpsServer(
    {
      ...limitsOf(options),
      noDelay: true,
      cert: certificate,
      key,
      minVersion: 'TLSv1.2',
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      ALPNProtocols: ['http/1.1'],
    },
    listener,
  );
  guard(server, listener);
  const [speakTls] = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const give = () => socket.destroy();
    socket.setTimeout(HANDSHAKE_TIMEOUT_MS, give);
    socket.on('error', give);
    socket.once('data', (first: Buffer) => {
      socket.pause();
      socket.setTimeout(0);
      socket.off('timeout', give);
      if (first[0] !== TLS_HANDSHAKE)
        return dismiss(socket, rawRefusal('https_required', ['Upgrade', 'TLS/1.2, HTTP/1.1']));
      socket.unshift(first);
      speakTls?.call(server, socket);
    });
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

const TLS_HANDSHAKE = 22;

/** What is not HTTP gets a JSON error, too, where the connection can still carry one. */
function guard(server: Server, listener: Listener): void {
  server.maxHeadersCount = MAXIMUM_HEADERS;
  // An Expect header that node does not know would get an answer without a body.
  server.on('checkExpectation', listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return dismiss(socket, rawRefusal('request_timeout'));
    if (error.code === 'HPE_HEADER_OVERFLOW') return dismiss(socket, rawRefusal('headers_too_large'));
    return dismiss(socket, rawRefusal('malformed_http'));
  });
}

/** Says a last thing and closes: when the peer has read it and leaves, else when it has had the time to. */
function dismiss(socket: Socket, text: string): void {
  socket.end(text);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
