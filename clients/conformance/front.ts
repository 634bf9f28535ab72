/**
 * The network between the apps and the service: forwards calls, records them, and lies as a scenario says. Each machine
 * calls an address of its own, `{origin}/{machine}`, by which the front knows it.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Agent, createServer as createTlsServer, request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A call of an app. */
export interface Call {
  readonly machine: string;
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: unknown;
  /** The body of the service's answer, whether it arrived or not; null without one. */
  answer: unknown;
  /** The correct time, milliseconds since 1970. */
  readonly at: number;
}

/** The answer of the service, or one in its place. */
export interface Given {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * A fault of the network. The first one that fits a call decides.
 *
 * - `drop`: the connection ends without an answer
 * - `lose`: the service answers, and the answer is lost
 * - `silent`: no answer, and the connection stays
 * - `half`: half of the answer's body
 * - `answer`: this answer in place of the service's
 * - `change`: the service's answer with other status, headers (null removes one) or fields (null removes one)
 * - `text`: the service's answer with this text as its body
 */
export interface Fault {
  /** The paths that it meets; all if absent. */
  readonly only?: readonly string[];
  /** The addresses of the machine that it meets, counted from 0; all if absent. */
  readonly address?: number;
  /** How many calls it meets; all if absent. */
  readonly times?: number;
  readonly do: 'pass' | 'drop' | 'lose' | 'silent' | 'half' | 'answer' | 'change' | 'text';
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  /** Blanks behind the body. */
  readonly pad?: number;
}

/** The service behind the front. */
export interface Behind {
  readonly isUp: boolean;
  readonly port: number;
  /** The time in the `Date` header, milliseconds since 1970. */
  readonly time: number;
  tellTime(): Promise<void>;
}

const KEPT = ['latchkey-code', 'retry-after', 'content-type'];

export class Front {
  readonly #behind: Behind;
  readonly #now: () => number;
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  #calls: Call[] = [];
  /** The faults of each machine. */
  readonly faults = new Map<string, Fault[]>();

  constructor(behind: Behind, now: () => number) {
    this.#behind = behind;
    this.#now = now;
  }

  /** Starts to listen. Returns the origin. */
  async listen(certificate?: { readonly cert: string; readonly key: string }): Promise<string> {
    const listener: RequestListener = (incoming, outgoing) => void this.#take(incoming, outgoing);
    const server = certificate === undefined ? createServer(listener) : createTlsServer({ ...certificate }, listener);
    server.keepAliveTimeout = 60_000;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    });
    server.on('tlsClientError', () => {});
    this.#servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return `http${certificate === undefined ? '' : 's'}://127.0.0.1:${port}`;
  }

  /** The calls of some machines since they were taken last. */
  take(machines: ReadonlySet<string>): readonly Call[] {
    const taken = this.#calls.filter(({ machine }) => machines.has(machine));
    this.#calls = this.#calls.filter(({ machine }) => !machines.has(machine));
    return taken;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
    for (const server of this.#servers) server.close();
  }

  async #take(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [, machine = '', address = '0', path = ''] = /^\/([^/]+)\/(\d+)(\/.*)$/.exec(incoming.url ?? '') ?? [];
    const text = (await buffer(incoming).catch(() => Buffer.alloc(0))).toString();
    const type = incoming.headers['content-type'] ?? '';
    const method = incoming.method ?? '';
    const call: Call = { machine, method, path, type, body: parsed(text), answer: null, at: this.#now() };
    this.#calls.push(call);
    const fault = this.#faultOf(machine, path, Number(address));
    const socket = outgoing.socket as Socket;
    if (fault.do === 'silent') return;
    if (fault.do === 'answer') {
      const { status = 200, headers = {}, body } = fault;
      const named = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null);
      write(outgoing, {
        status,
        headers: { 'content-type': 'application/json', ...Object.fromEntries(named) },
        text: (fault.text ?? JSON.stringify(body ?? {})) + ' '.repeat(fault.pad ?? 0),
      });
      return;
    }
    const given = fault.do === 'drop' ? null : await this.#forward(path, method, text);
    if (given !== null) call.answer = parsed(given.text);
    if (given === null || fault.do === 'lose') {
      socket.destroy();
      return;
    }
    const answer = fault.do === 'change' || fault.do === 'text' ? changed(given, fault) : given;
    if (fault.do !== 'half') return write(outgoing, answer);
    const half = answer.text.slice(0, answer.text.length / 2);
    outgoing.sendDate = false;
    outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.text) });
    outgoing.write(half, () => socket.destroy());
  }

  /** The fault of a call, which is counted. */
  #faultOf(machine: string, path: string, address: number): Fault {
    const faults = this.faults.get(machine) ?? [];
    const index = faults.findIndex(
      ({ only, address: met, times }) =>
        (only === undefined || only.includes(path)) && (met === undefined || met === address) && times !== 0,
    );
    const fault = faults[index];
    if (fault === undefined) return { do: 'pass' };
    if (fault.times !== undefined) faults[index] = { ...fault, times: fault.times - 1 };
    return fault;
  }

  /** The answer of the service; null without one. */
  async #forward(path: string, method: string, text: string): Promise<Given | null> {
    if (!this.#behind.isUp) return null;
    await this.#behind.tellTime();
    return new Promise((resolve) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.#behind.port,
          path,
          method,
          headers:
            method === 'GET' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
          agent: this.#agent,
        },
        async (answered) => {
          const body = await buffer(answered).catch(() => null);
          if (body === null) return resolve(null);
          const headers = KEPT.flatMap((name) => {
            const value = answered.headers[name];
            return typeof value === 'string' ? [[name, value] as const] : [];
          });
          const date = new Date(this.#behind.time).toUTCString();
          resolve({
            status: answered.statusCode ?? 502,
            headers: { ...Object.fromEntries(headers), date },
            text: body.toString(),
          });
        },
      );
      sent.on('error', () => resolve(null));
      sent.end(text === '' ? undefined : text);
    });
  }
}

function parsed(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

function changed(given: Given, { status, headers = {}, body = {}, text }: Fault): Given {
  const kept = Object.entries({ ...given.headers, ...headers }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  const fields = parsed(given.text);
  const next =
    typeof fields === 'object' && fields !== null
      ? Object.fromEntries(Object.entries({ ...fields, ...body }).filter(([name]) => body[name] !== null))
      : fields;
  return {
    status: status ?? given.status,
    headers: Object.fromEntries(kept),
    text: text ?? JSON.stringify(next),
  };
}

function write(outgoing: ServerResponse, { status, headers, text }: Given): void {
  // Node.js would add the present time of this machine.
  outgoing.sendDate = false;
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
  outgoing.end(text);
}
