/** The sockets of the service: listening, TLS, the reply to plain HTTP, and shutdown. */
import type { IncomingMessage, Server } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { createServer as createHttpServer } from '../../ground/base/node-http.ts';
import type { RefusalCode } from '../../platform/endpoint/refusals.ts';
import { callerRequestIdOf, type EndedConnection, newRequestId, type RequestLine, requestLineOf } from './answered.ts';
import { KEEP_ALIVE_MS, rawRefusal } from './answers.ts';
import { ReceivedRequest } from './body.ts';
import { type ConnectionCalls, createConnectionCalls, type Listener } from './connection-calls.ts';
import { type ConnectionBound, Connections } from './connections.ts';
import { IdleConnections } from './idle-connections.ts';
import type { UnsentAnswers } from './unsent-answers.ts';

/** Certificate and key for TLS, both PEM; the key is secret. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

/** Options of {@link listen}. `tls` null: plain HTTP, behind trusted proxies. */
export interface ListenOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly tls: CertificateAndKey | null;
  /** Time in milliseconds for a request to arrive completely, including its body, before it is refused. */
  readonly requestTimeoutMs: number;
  /** Concurrent calls per connection; at the limit, reading from it pauses. Null for no limit. */
  readonly callsPerConnection: number | null;
  /** Concurrent connections; beyond the limit the least used one is closed. No limit by default. */
  readonly maxConnections?: number;
  /** The same limit per network, except for proxies; null for no limit other than the total. */
  readonly maxConnectionsOfNetwork?: number | null;
  readonly isProxy?: (address: string) => boolean;
  /** Counts unsent reply bytes. */
  readonly unsent?: UnsentAnswers;
  /** Called for each connection that is closed in favour of another, with the bound that was reached. */
  readonly onConnectionClosed?: (bound: ConnectionBound) => void;
  /** Called for each refusal that ended its connection, when it is sent. */
  readonly onEnded: (ended: EndedConnection) => void;
  /** Overrides of the usual timeouts, for tests. */
  readonly timeouts?: Partial<Timeouts>;
}

/** Timeouts of a connection, in milliseconds. */
export interface Timeouts {
  /** Idle, waiting for the next request; longer by up to two checking intervals. */
  readonly keepAliveMs: number;
  /** No progress in sending a reply. */
  readonly stallMs: number;
  /** Until the first byte, and again until the TLS handshake is complete. */
  readonly handshakeMs: number;
  /**
   * From the first byte of a request (for the first request, from the start of the connection) to the end of its
   * headers.
   */
  readonly headersMs: number;
  /** For the peer to read a refusal before the connection closes. */
  readonly lingerMs: number;
  /** Interval of the checks for slow requests, stalled replies and idle connections. */
  readonly checkingIntervalMs: number;
}

const USUAL_TIMEOUTS: Timeouts = {
  keepAliveMs: KEEP_ALIVE_MS,
  stallMs: 75_000,
  handshakeMs: 10_000,
  headersMs: 10_000,
  lingerMs: 2_000,
  checkingIntervalMs: 5_000,
};

/** A listening service. */
export interface Listening {
  readonly port: number;
  /** Number of open connections. */
  connectionCount(): number;
  /** Serves new connections with another certificate; open ones keep theirs. No effect without TLS. */
  replaceCertificate(tls: CertificateAndKey): void;
  /** Stops accepting connections, drains requests in progress for up to `graceMs`, then cuts the rest. */
  close(graceMs: number): Promise<void>;
}

const MAX_HEADER_BYTES = 16 * 1024;
/** Far more than credentials and proxy headers need. */
const MAX_HEADERS = 100;
/** Interval at which a stopping service looks for connections whose last reply has been sent. */
const SWEEP_MS = 50;

/**
 * Listens on an address; `localhost` means both of its addresses.
 *
 * @throws the system error; nothing is listening then
 */
export async function listen(listener: Listener, options: ListenOptions): Promise<Listening> {
  const timeouts = { ...USUAL_TIMEOUTS, ...options.timeouts };
  const { unsent } = options;
  const servers: Server[] = [];
  let isClosing = false;
  let isCut = false;
  const calls = createConnectionCalls({
    listener,
    limit: options.callsPerConnection,
    isClosing: () => isClosing,
    dismiss: (socket, refused, request) =>
      refused === null
        ? close(socket, '', timeouts.lingerMs)
        : dismiss(socket, { refused, request, requestLine: null }, options.onEnded, timeouts.lingerMs),
    onWait: (socket, bytes) => unsent?.wait(socket, bytes, (each) => connections.addressOf(each)),
    onWaited: (socket, bytes) => unsent?.waitsNoMore(socket, bytes),
  });
  const connections = new Connections(
    {
      most: options.maxConnections ?? Number.POSITIVE_INFINITY,
      maxOfNetwork: options.maxConnectionsOfNetwork ?? null,
      patienceMs: timeouts.handshakeMs,
      isProxy: options.isProxy ?? (() => false),
    },
    {
      useOf: calls.useOf,
      slownessOf: (socket) => unsent?.slownessOf(socket) ?? null,
      onClosed: options.onConnectionClosed ?? (() => {}),
    },
  );
  const idle = new IdleConnections(timeouts.keepAliveMs, (socket) => calls.useOf(socket)?.isIdle === true);
  let { port } = options;
  for (const address of addressesOf(options.host)) {
    const server = createServer(calls, options, timeouts);
    const speaking = speakersOf(server);
    lookNowAndThen(server, timeouts.checkingIntervalMs, () => {
      cutStalled(speaking, timeouts.stallMs);
      idle.look(speaking);
      unsent?.look(speaking, (socket) => connections.addressOf(socket));
      connections.look();
    });
    keepUnsentAnswers(server, speaking);
    server.on('connection', (socket: Socket) => {
      if (isCut) return void socket.destroy();
      connections.add(socket, options.tls !== null);
    });
    server.on('secureConnection', (socket: Socket) => connections.speaks(socket));
    try {
      port = await bind(server, address, port);
      servers.push(server);
    } catch (error) {
      // Machines without IPv6 have no ::1. One of localhost's two addresses is enough.
      const isSpare = servers.length > 0 && ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(codeOf(error));
      server.close();
      if (isSpare) continue;
      for (const each of servers) each.close();
      throw error;
    }
  }
  return {
    port,
    connectionCount: () => connections.count,
    replaceCertificate(tls) {
      for (const server of servers) if (server instanceof HttpsServer) server.setSecureContext(secureContextOf(tls));
    },
    async close(graceMs) {
      isClosing = true;
      const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
      const sweep = setInterval(() => {
        for (const server of servers) server.closeIdleConnections();
      }, SWEEP_MS);
      const cut = setTimeout(() => {
        isCut = true;
        // Node's own list of connections omits those with an incomplete handshake.
        connections.closeAll();
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

/** TLS options of a new server, and of one whose certificate changes. */
function secureContextOf({ certificate, key }: CertificateAndKey) {
  return { cert: certificate, key, minVersion: 'TLSv1.2' } as const;
}

function createServer(calls: ConnectionCalls, options: ListenOptions, timeouts: Timeouts): Server {
  const { requestTimeoutMs, tls } = options;
  const limits = {
    // IdleConnections closes idle connections.
    keepAliveTimeout: 0,
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(timeouts.headersMs, requestTimeoutMs),
    connectionsCheckingInterval: Math.min(timeouts.checkingIntervalMs, requestTimeoutMs),
    maxHeaderSize: MAX_HEADER_BYTES,
    // The listener refuses a request without Host, with a normal reply.
    requireHostHeader: false,
    IncomingMessage: ReceivedRequest,
    noDelay: true,
    // Together with `httpAllowHalfOpen` below: a client that has shut down its sending side still gets its replies.
    allowHalfOpen: true,
  };
  const server =
    tls === null
      ? createHttpServer(limits, calls.listener)
      : createHttpsServer(
          {
            ...limits,
            ...secureContextOf(tls),
            handshakeTimeout: timeouts.handshakeMs,
            ALPNProtocols: ['http/1.1'],
          },
          calls.listener,
        );
  server.maxHeadersCount = MAX_HEADERS;
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node would answer an unknown Expect header without a body.
  server.on('checkExpectation', calls.listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => explain(error, socket, calls));
  if (tls !== null) listenForTls(server, timeouts, options.onEnded);
  return server;
}

/**
 * Checks the first byte of each connection. A TLS handshake begins with 22; any other client is asked to use HTTPS
 * instead of being cut off.
 */
function listenForTls(server: Server, timeouts: Timeouts, onEnded: ListenOptions['onEnded']): void {
  const [speakTls] = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const give = () => socket.destroy();
    socket.setTimeout(timeouts.handshakeMs, give);
    socket.on('error', give);
    socket.once('end', give);
    socket.once('data', (first: Buffer) => {
      socket.pause();
      socket.setTimeout(0);
      socket.off('timeout', give);
      socket.off('end', give);
      if (first[0] !== TLS_HANDSHAKE) {
        const why: Ending = { refused: 'https_required', request: null, requestLine: requestLineOf(first) };
        return dismiss(socket, why, onEnded, timeouts.lingerMs);
      }
      socket.unshift(first);
      speakTls?.call(server, socket);
    });
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
}

const TLS_HANDSHAKE = 22;

/** The connections of a server that carry HTTP; with TLS, those with a complete handshake. */
function speakersOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on(server instanceof HttpsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** Node treats a connection as idle, and closes it, once its last reply is complete, even if bytes are still unsent. */
function keepUnsentAnswers(server: Server, sockets: ReadonlySet<Socket>): void {
  const closeIdle = server.closeIdleConnections;
  server.closeIdleConnections = () => {
    const sending = [...sockets].filter((socket) => socket.writableLength > 0);
    // An own property hides the method that node calls, until it is deleted again.
    for (const socket of sending) socket.destroy = () => socket;
    closeIdle.call(server);
    for (const socket of sending) Reflect.deleteProperty(socket, 'destroy');
  };
}

/** Runs a check at intervals until the server has closed. */
function lookNowAndThen(server: Server, intervalMs: number, look: () => void): void {
  const looking = setInterval(look, intervalMs);
  looking.unref();
  server.once('close', () => clearInterval(looking));
}

/**
 * Closes connections whose peer has stopped reading its reply. Node's own timeout would set a timer for every request;
 * here only connections with unsent bytes get one.
 */
function cutStalled(sockets: ReadonlySet<Socket>, stallMs: number): void {
  for (const socket of sockets) {
    const isSending = socket.writableLength > 0;
    if (isSending !== Boolean(socket.timeout)) socket.setTimeout(isSending ? stallMs : 0);
  }
}

/** Sends a JSON error even for input that is not HTTP, if the connection can still carry one. */
function explain(error: NodeJS.ErrnoException, socket: Socket, calls: ConnectionCalls): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else calls.dismissAfterAnswers(socket, reasonOf(error, calls.isHeld(socket)));
}

/** Does not blame a request that is incomplete only because its connection had too many calls in progress. */
function reasonOf({ code }: NodeJS.ErrnoException, isHeld: boolean): RefusalCode | null {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return isHeld ? null : 'request_timeout';
  return code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'malformed_http';
}

/** The reason that a connection ends, and the known parts of its last request. */
interface Ending {
  readonly refused: RefusalCode;
  readonly request: IncomingMessage | null;
  readonly requestLine: RequestLine | null;
}

/** Refuses unreadable input, closes the connection, and reports it. Only a refusal that is sent is reported. */
function dismiss(socket: Socket, ending: Ending, onEnded: ListenOptions['onEnded'], lingerMs: number): void {
  if (!socket.writable) return;
  const { refused, request } = ending;
  const requestId = newRequestId();
  const callerRequestId = callerRequestIdOf(request);
  const { remoteAddress } = socket;
  const more = refused === 'https_required' ? ['Upgrade', 'TLS/1.2, HTTP/1.1'] : [];
  close(socket, rawRefusal(refused, callerRequestId ?? requestId, more), lingerMs);
  onEnded({ ...ending, requestId, callerRequestId, remoteAddress });
}

/**
 * Sends a last text ('' for none) and closes the connection: when the peer has read it and leaves, or after `lingerMs`.
 */
function close(socket: Socket, text: string, lingerMs: number): void {
  if (!socket.writable) return;
  socket.end(text);
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
