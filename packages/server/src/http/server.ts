/** The sockets of the service: where it listens, its TLS, its answer to plain HTTP, and how it stops. */
import type { IncomingMessage, Server } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { createServer as createHttpServer } from '../node-http.ts';
import type { RefusalCode } from '../refusals.ts';
import { type EndedConnection, type RequestLine, requestIdOf, requestLineOf } from './answered.ts';
import { rawRefusal } from './answers.ts';
import { ReceivedRequest } from './body.ts';
import { type ConnectionCalls, createConnectionCalls, type Listener } from './connection-calls.ts';
import { Connections } from './connections.ts';
import type { UnsentAnswers } from './unsent-answers.ts';

/** What TLS needs, both PEM; the key is secret. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

/** How to listen. `tls` null: plain HTTP, for trusted proxies in front. */
export interface ListenOptions {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  readonly tls: CertificateAndKey | null;
  /** How long a request may take to arrive, its body included, before it is refused. */
  readonly requestTimeoutMs: number;
  /** Calls of one connection under way at once; at so many, reading from it pauses. Null: no limit. */
  readonly callsPerConnection: number | null;
  /** Connections at once; beyond it the one that is used least is closed. No limit unless told. */
  readonly mostConnections?: number;
  /** The same for each network but those of proxies; null: no other limit than that of all. */
  readonly mostConnectionsOfNetwork?: number | null;
  readonly isProxy?: (address: string) => boolean;
  /** Counts what readers have not taken. */
  readonly unsent?: UnsentAnswers;
  /** Hears of each connection that is closed for another one. */
  readonly onConnectionClosed?: () => void;
  /** Hears of each refusal that ended its connection, when it is sent. */
  readonly onEnded: (ended: EndedConnection) => void;
  /** Other lengths of time than the usual ones, for tests. */
  readonly timeouts?: Partial<Timeouts>;
}

/** How long a connection may be at what, in milliseconds. */
export interface Timeouts {
  /** Waiting for its next request. */
  readonly keepAliveMs: number;
  /** Without a byte taken of an answer that is being sent. */
  readonly stallMs: number;
  /** Until its first byte, and again until its TLS handshake is complete. */
  readonly handshakeMs: number;
  /** From the first byte of a request (of the connection, for its first) to the last of its headers. */
  readonly headersMs: number;
  /** Reading why it has been refused. */
  readonly lingerMs: number;
  /** How often requests that take too long to arrive, and answers that nobody takes, are looked for. */
  readonly checkingIntervalMs: number;
}

const USUAL_TIMEOUTS: Timeouts = {
  // Longer than the usual minute of load balancers, so that it is they who close idle connections.
  keepAliveMs: 75_000,
  stallMs: 75_000,
  handshakeMs: 10_000,
  headersMs: 10_000,
  lingerMs: 2_000,
  checkingIntervalMs: 5_000,
};

/** A service that listens. */
export interface Listening {
  readonly port: number;
  /** How many connections are open. */
  connectionCount(): number;
  /** Serves new connections with another certificate; those that are open keep theirs. Nothing where there is no TLS. */
  replaceCertificate(tls: CertificateAndKey): void;
  /** Stops accepting, lets requests under way finish for up to `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

const MAXIMUM_HEADER_BYTES = 16 * 1024;
/** Credentials and what proxies add are far fewer. */
const MAXIMUM_HEADERS = 100;
/** How often a service that stops looks for connections whose last answer has been sent. */
const SWEEP_MS = 50;

/**
 * Listens on an address; `localhost` is both of its addresses.
 *
 * @throws the error of the system; nothing listens then
 */
export async function listen(listener: Listener, options: ListenOptions): Promise<Listening> {
  const timeouts = { ...USUAL_TIMEOUTS, ...options.timeouts };
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
  });
  const { unsent } = options;
  const connections = new Connections(
    {
      most: options.mostConnections ?? Number.POSITIVE_INFINITY,
      mostOfNetwork: options.mostConnectionsOfNetwork ?? null,
      patienceMs: timeouts.handshakeMs,
      isProxy: options.isProxy ?? (() => false),
    },
    {
      useOf: calls.useOf,
      slownessOf: (socket) => unsent?.slownessOf(socket) ?? null,
      onClosed: options.onConnectionClosed ?? (() => {}),
    },
  );
  let { port } = options;
  for (const address of addressesOf(options.host)) {
    const server = createServer(calls, options, timeouts);
    const speaking = speakersOf(server);
    lookNowAndThen(server, timeouts.checkingIntervalMs, () => {
      cutStalled(speaking, timeouts.stallMs);
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
      // Machines without IPv6 have no ::1; one of localhost's two addresses is enough.
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
        // Node's own list of connections leaves out those whose handshake is not complete.
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

/** What a server is made with, and what takes its place when the certificate changes. */
function secureContextOf({ certificate, key }: CertificateAndKey) {
  return { cert: certificate, key, minVersion: 'TLSv1.2' } as const;
}

function createServer(calls: ConnectionCalls, options: ListenOptions, timeouts: Timeouts): Server {
  const { requestTimeoutMs, tls } = options;
  const limits = {
    keepAliveTimeout: timeouts.keepAliveMs,
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(timeouts.headersMs, requestTimeoutMs),
    connectionsCheckingInterval: Math.min(timeouts.checkingIntervalMs, requestTimeoutMs),
    maxHeaderSize: MAXIMUM_HEADER_BYTES,
    // A request without Host is refused by the listener, with an answer like any other.
    requireHostHeader: false,
    IncomingMessage: ReceivedRequest,
    noDelay: true,
    // With `httpAllowHalfOpen` below: a client that has said all it has to say may shut its side and still gets its answers.
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
  server.maxHeadersCount = MAXIMUM_HEADERS;
  Object.assign(server, { httpAllowHalfOpen: true });
  // An Expect header that node does not know would get an answer without a body.
  server.on('checkExpectation', calls.listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => explain(error, socket, calls));
  if (tls !== null) listenForTls(server, timeouts, options.onEnded);
  return server;
}

/**
 * Looks at the first byte of each connection: a TLS handshake begins with 22, and whoever sends anything else gets told
 * to use HTTPS instead of a dropped connection.
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

/** The connections of a server on which HTTP is spoken: with TLS, those whose handshake is complete. */
function speakersOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on(server instanceof HttpsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** Node takes a connection for idle, and closes it, when its last answer is complete, even if it has not left yet. */
function keepUnsentAnswers(server: Server, sockets: ReadonlySet<Socket>): void {
  const closeIdle = server.closeIdleConnections;
  server.closeIdleConnections = () => {
    const sending = [...sockets].filter((socket) => socket.writableLength > 0);
    // A property of its own hides the method that node calls, until it is taken away again.
    for (const socket of sending) socket.destroy = () => socket;
    closeIdle.call(server);
    for (const socket of sending) Reflect.deleteProperty(socket, 'destroy');
  };
}

/** Does something at intervals until a server has closed. */
function lookNowAndThen(server: Server, intervalMs: number, look: () => void): void {
  const looking = setInterval(look, intervalMs);
  looking.unref();
  server.once('close', () => clearInterval(looking));
}

/**
 * Closes connections whose peer takes nothing of its answer any more. Node's own timeout for that sets a timer for
 * every request; here only those get one that are found with bytes to send.
 */
function cutStalled(sockets: ReadonlySet<Socket>, stallMs: number): void {
  // Whoever has finished an answer gets the keep-alive time instead, and the next request takes that away.
  for (const socket of sockets) if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(stallMs);
}

/** What is not HTTP gets a JSON error, too, where the connection can still carry one. */
function explain(error: NodeJS.ErrnoException, socket: Socket, calls: ConnectionCalls): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else calls.dismissAfterAnswers(socket, reasonOf(error, calls.isHeld(socket)));
}

/** A request that was not read to its end because its connection had so many calls under way is not to blame for it. */
function reasonOf({ code }: NodeJS.ErrnoException, isHeld: boolean): RefusalCode | null {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return isHeld ? null : 'request_timeout';
  return code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'malformed_http';
}

/** Why a connection ends, and what is known of the request that it ends with. */
interface Ending {
  readonly refused: RefusalCode;
  readonly request: IncomingMessage | null;
  readonly requestLine: RequestLine | null;
}

/** Refuses what cannot be read, closes, and tells of it. Nothing is told of what is not sent. */
function dismiss(socket: Socket, ending: Ending, onEnded: ListenOptions['onEnded'], lingerMs: number): void {
  if (!socket.writable) return;
  const { refused, request } = ending;
  const requestId = requestIdOf(request);
  const { remoteAddress } = socket;
  const more = refused === 'https_required' ? ['Upgrade', 'TLS/1.2, HTTP/1.1'] : [];
  close(socket, rawRefusal(refused, requestId, more), lingerMs);
  onEnded({ ...ending, requestId, remoteAddress });
}

/** Says a last thing, '' for nothing, and closes: when the peer has read it and leaves, else when it has had the time to. */
function close(socket: Socket, text: string, lingerMs: number): void {
  if (!socket.writable) return;
  socket.end(text);
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
