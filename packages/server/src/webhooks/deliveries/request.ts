/** One attempt: one request to a receiver, with bounds on time, size, addresses and certificates (rules 12). */
import { Resolver } from 'node:dns/promises';
import type { Agent as PlainAgent, AgentOptions as PlainAgentOptions } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions, request as requestTls } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { elapsedMs, fromTimestamp, MINUTE_MS } from '../../ground/base/clock.ts';
import { Agent as HttpAgent, request as requestPlain } from '../../ground/base/node-http.ts';
import { type AddressPolicy, isAllowedAddress, isAllowedWithoutTls } from '../destinations/address-policy.ts';
import { boundConnection } from './connection-bounds.ts';

/** The ways in which an attempt ends. */
export const OUTCOMES = [
  'delivered',
  'refused',
  'timeout',
  'certificate',
  'name_not_found',
  'address_not_allowed',
  'status',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The result of an attempt. */
export interface AttemptResult {
  readonly outcome: Outcome;
  /** The status of the answer; null without one. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The fault of the certificate, as a code of OpenSSL; null for other outcomes. */
  readonly certificateFault: string | null;
  /** The wait that the receiver requested by Retry-After. */
  readonly retryAfterMs?: number;
  /** The receiver's time by its Date header, in milliseconds since 1970; null without one. */
  readonly receiverTime: number | null;
  /** True if the address accepted no connection, so that another address of the name may. */
  readonly isUnconnected?: true;
}

/** The failure of an attempt, for views and the log. */
export function errorText({ outcome, status, certificateFault }: AttemptResult): string {
  if (outcome === 'status') return `status ${status}`;
  return certificateFault === null ? outcome : `certificate: ${certificateFault}`;
}

/** A request to make. */
export interface AttemptRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** True for a destination of the operator. */
  readonly isOperators: boolean;
  readonly target: Target;
}

/** The address that a request connects to. */
export interface Target {
  /** One of `addresses`; null if there is none. */
  readonly address: string | null;
  /** All addresses of the host. If one of them is not allowed, the request is not made. */
  readonly addresses: readonly string[];
  /** False if another address can be tried, so that this one must accept the connection soon. */
  readonly isLast: boolean;
}

/** Settings of requests; plain data, because they are passed to a thread. */
export interface RequestSettings {
  readonly policy: AddressPolicy;
  /** Name servers to use instead of the machine's. */
  readonly nameServers: readonly string[] | null;
  /** CA certificates, as PEM, that are trusted besides the usual ones. */
  readonly additionalCa: string | null;
  /** Time for connecting, sending and reading the whole answer. */
  readonly timeoutMs: number;
  /** Time for one try to resolve a name. */
  readonly nameTimeoutMs: number;
}

export const REQUEST_TIMEOUT_MS = 15_000;
export const NAME_TIMEOUT_MS = 2_000;
const NAME_TRIES = 2;
/** Time for connecting to an address that is not the last one to try. */
const CONNECT_TIMEOUT_MS = 2_500;
const OLDEST_TLS = 'TLSv1.2';
const MAX_READ_BYTES = 4_096;
const MAX_HEADER_BYTES = 16_384;
const CONNECTION_IDLE_MS = MINUTE_MS;
const CONNECTION_AGE_MS = 5 * MINUTE_MS;
/** Of all receivers together, because 10,000 destinations would keep as many open. */
const MAX_IDLE_CONNECTIONS = 256;

/** A name with more addresses is not looked at further: a hostile one has thousands, which cost seconds. */
const MAX_FOUND = 64;

/** A connection to an address that is not allowed was not used. */
class NotAllowed extends Error {}

/** Options of a request whose connection is kept for requests to the same address only. */
interface PinnedOptions extends RequestOptions {
  readonly pinnedTo: string;
}

const madeAt = new WeakMap<object, number>();

/**
 * Returns true for a connection young enough to reuse; older ones end, so that a change of a name or of the policy
 * applies.
 */
function isYoung(socket: object): boolean {
  return elapsedMs() - (madeAt.get(socket) ?? 0) < CONNECTION_AGE_MS;
}

/** Connections are kept by this name: usually host and port. */
function nameOfPinned(name: string, options?: RequestOptions): string {
  return `${name}:${(options as PinnedOptions | undefined)?.pinnedTo}`;
}

/** Decides whether a connection stays open that is not in use any more. */
type MayStay = (socket: Socket) => boolean;

class TlsConnections extends Agent {
  readonly #mayStay: MayStay;

  constructor(options: AgentOptions, mayStay: MayStay) {
    super(options);
    this.#mayStay = mayStay;
  }
  override getName(options?: RequestOptions): string {
    return nameOfPinned(super.getName(options), options);
  }
  override keepSocketAlive(socket: Socket): boolean {
    return this.#mayStay(socket) && (super.keepSocketAlive(socket) as unknown as boolean);
  }
}
class PlainConnections extends HttpAgent {
  readonly #mayStay: MayStay;

  constructor(options: PlainAgentOptions, mayStay: MayStay) {
    super(options);
    this.#mayStay = mayStay;
  }
  override getName(options?: RequestOptions): string {
    return nameOfPinned(super.getName(options), options);
  }
  override keepSocketAlive(socket: Socket): boolean {
    return this.#mayStay(socket) && (super.keepSocketAlive(socket) as unknown as boolean);
  }
}

/** Separate for operator and creators: a creator must not reuse a connection that only the operator may open. */
interface Agents {
  readonly plain: PlainAgent;
  readonly operators: Agent;
  readonly creators: Agent;
}

/** Makes requests and keeps their connections. */
export class Requests {
  readonly #settings: RequestSettings;
  readonly #resolver: Resolver;
  readonly #maxIdle: number;
  #agents: Agents | null = null;

  /** @param maxIdle connections that are kept while they are not in use; tests set a small number */
  constructor(settings: RequestSettings, maxIdle = MAX_IDLE_CONNECTIONS) {
    this.#settings = settings;
    this.#maxIdle = maxIdle;
    this.#resolver = new Resolver({ timeout: settings.nameTimeoutMs, tries: NAME_TRIES });
    if (settings.nameServers !== null) this.#resolver.setServers(settings.nameServers);
  }

  /** The connections that are open and not in use. */
  get #idle(): number {
    let idle = 0;
    for (const { freeSockets } of Object.values(this.#agents ?? {}) as PlainAgent[])
      for (const sockets of Object.values(freeSockets)) idle += sockets?.length ?? 0;
    return idle;
  }

  /** Makes one request. Redirects are not followed. Never rejects. */
  attempt({ url: text, headers, body, isOperators, target }: AttemptRequest): Promise<AttemptResult> {
    const startedAt = elapsedMs();
    const ended = (outcome: Outcome, rest: Partial<AttemptResult> = {}): AttemptResult => ({
      outcome,
      status: null,
      certificateFault: null,
      receiverTime: null,
      ...rest,
      durationMs: Math.round(elapsedMs() - startedAt),
    });
    const { policy, timeoutMs } = this.#settings;
    const url = new URL(text);
    const isPlain = url.protocol === 'http:';
    const allows = (address: string) =>
      isPlain ? isAllowedWithoutTls(policy, address, isOperators) : isAllowedAddress(policy, address, isOperators);
    const { address, addresses, isLast } = target;
    if (address === null) return Promise.resolve(ended('name_not_found'));
    if (!addresses.every(allows)) return Promise.resolve(ended('address_not_allowed'));

    return new Promise((resolve) => {
      this.#agents ??= agentsOf(this.#settings, (socket) => isYoung(socket) && this.#idle < this.#maxIdle);
      const agents = this.#agents;
      const options: PinnedOptions = {
        method: 'POST',
        agent: isPlain ? agents.plain : isOperators ? agents.operators : agents.creators,
        maxHeaderSize: MAX_HEADER_BYTES,
        lookup: lookupOf(address),
        pinnedTo: address,
        headers: { ...headers, 'accept-encoding': 'identity', 'content-length': Buffer.byteLength(body) },
      };
      const request = isPlain ? requestPlain(url, options) : requestTls(url, options);
      let isOver = false;
      const end = (result: AttemptResult) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        resolve(result);
      };
      const timer = setTimeout(() => {
        end(ended('timeout'));
        request.destroy();
      }, timeoutMs);

      // Ends with the answer whose headers have arrived, as if its body were over; else the receiver has refused.
      let finish = () => end(ended('refused'));
      let isConnected = false;
      const unconnected = () => (isConnected ? {} : { isUnconnected: true as const });
      request.on('socket', (socket) => {
        boundConnection(request, socket, () => finish());
        if (!socket.connecting) {
          isConnected = true;
          return;
        }
        madeAt.set(socket, elapsedMs());
        const connecting = isLast ? undefined : setTimeout(() => request.destroy(), CONNECT_TIMEOUT_MS);
        socket.once('close', () => clearTimeout(connecting));
        socket.once('connect', () => {
          clearTimeout(connecting);
          isConnected = true;
          const { remoteAddress } = socket;
          // Without an address the connection has closed meanwhile.
          if (remoteAddress === undefined) request.destroy();
          else if (!allows(remoteAddress)) request.destroy(new NotAllowed());
        });
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (error instanceof NotAllowed) return end(ended('address_not_allowed'));
        if (isCertificateFault(error.code)) return end(ended('certificate', { certificateFault: error.code ?? null }));
        end(ended(error.code === 'ETIMEDOUT' ? 'timeout' : 'refused', unconnected()));
      });
      request.on('response', (response) => {
        const status = response.statusCode ?? 0;
        let read = 0;
        finish = () => {
          const date = fromTimestampHeader(response.headers.date);
          const retryAfterMs = retryAfter(response.headers['retry-after'], date);
          end(
            ended(status >= 200 && status < 300 ? 'delivered' : 'status', {
              status,
              receiverTime: date,
              ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
            }),
          );
        };
        response.on('data', (chunk: Buffer) => {
          read += chunk.length;
          if (read <= MAX_READ_BYTES) return;
          finish();
          request.destroy();
        });
        response.on('end', () => finish());
        response.on('error', () => end(ended('refused', { status })));
        // The receiver closed before the end of its answer.
        response.on('close', () => end(ended('refused', { status })));
      });
      request.end(body);
    });
  }

  /** Resolves to the IP addresses of a name, without one if it has none or more than {@link MAX_FOUND}. */
  async lookUp(name: string): Promise<readonly string[]> {
    const found = await Promise.allSettled([this.#resolver.resolve4(name), this.#resolver.resolve6(name)]);
    const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    if (addresses.length > MAX_FOUND) return [];
    // An IPv4 address in the form of IPv6 is the same address.
    return [...new Set(addresses.map((each) => ipaddr.process(each).toString()))];
  }

  /** Closes the idle connections, and ends look-ups. */
  close(): void {
    for (const agent of Object.values(this.#agents ?? {})) agent.destroy();
    this.#resolver.cancel();
  }
}

function agentsOf({ additionalCa }: RequestSettings, mayStay: MayStay): Agents {
  const kept = { keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS, timeout: CONNECTION_IDLE_MS };
  // One context for all connections: parsing the 120 root certificates takes 20 ms.
  const ca = additionalCa === null ? null : [...rootCertificates, additionalCa];
  const trust = ca === null ? {} : { secureContext: createSecureContext({ ca, minVersion: OLDEST_TLS }) };
  const tls = { ...kept, ...trust, rejectUnauthorized: true, minVersion: OLDEST_TLS } as const;
  return {
    plain: new PlainConnections(kept, mayStay),
    operators: new TlsConnections(tls, mayStay),
    creators: new TlsConnections(tls, mayStay),
  };
}

/** Connects a request to this address and ignores its host. */
function lookupOf(address: string): LookupFunction {
  const family = isIP(address);
  return (_name, { all }, callback) => (all ? callback(null, [{ address, family }]) : callback(null, address, family));
}

/** OpenSSL codes for rejected certificates and for failed handshakes. */
const CERTIFICATE_FAULT =
  /^(?:CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH_|ERROR_IN_CERT_|ERR_TLS_CERT_|ERR_SSL_|EPROTO$)/;

function isCertificateFault(code: string | undefined): boolean {
  return code !== undefined && CERTIFICATE_FAULT.test(code);
}

function fromTimestampHeader(date: string | undefined): number | null {
  const time = date === undefined ? Number.NaN : fromTimestamp(date);
  return Number.isNaN(time) ? null : time;
}

/** Retry-After is a number of seconds or a date, which is compared with the receiver's own clock. */
function retryAfter(header: string | undefined, receiverTime: number | null): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const until = fromTimestamp(header);
  return Number.isNaN(until) || receiverTime === null ? undefined : Math.max(0, until - receiverTime);
}
