/** A proxy in front of a server, which forwards calls and fails in every way that a test needs. */
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pinOf } from '../../src/node.ts';
import { type Certificate, certificateFor } from './broken-server.ts';

/**
 * The treatment of a call. `pass`: forwards it. `drop`: closes the connection. `lose`: the server answers, but the
 * answer is dropped. Otherwise, the bytes to answer in place of the server.
 */
export type Fate = 'pass' | 'drop' | 'lose' | { readonly bytes: string };

/** Decides about a call by its path, after any action of its own. */
export type Decision = (path: string) => Fate | Promise<Fate>;

/** The bytes of a complete answer. */
export function answerBytes(status: number, body: string, type = 'application/json'): string {
  const length = Buffer.byteLength(body);
  return `HTTP/1.1 ${status} Some reason\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`;
}

export class Front {
  /** The treatment of calls from now on. */
  decide: Decision = () => 'pass';
  /** Called after the server has answered a call whose answer is dropped. */
  onLost: () => Promise<void> = async () => {};
  /** The time in the `Date` header of answers, milliseconds since 1970. A server under test cannot set it. */
  date: () => number = () => Date.now();
  /** The port of the server. */
  port: number;
  /** The certificate of a TLS proxy; empty without TLS. */
  readonly certificate: string;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 32 });
  readonly #sockets = new Set<Socket>();

  private constructor(port: number, certificate: Certificate | null) {
    this.port = port;
    this.certificate = certificate?.cert ?? '';
    const listener: RequestListener = async (incoming, outgoing) => {
      const socket = outgoing.socket as Socket;
      const fate = await this.decide(incoming.url ?? '');
      if (fate === 'drop' || typeof fate === 'object') {
        if (fate === 'drop') socket.destroy();
        else socket.end(fate.bytes);
        return;
      }
      const body = await buffer(incoming);
      const { method, url, headers } = incoming;
      const target = { host: '127.0.0.1', port: this.port, path: url, method, headers, agent: this.#agent };
      const sent = request(target, async (answered) => {
        const text = await buffer(answered).catch(() => null);
        if (fate === 'lose') await this.onLost();
        if (fate === 'lose' || text === null) {
          socket.destroy();
          return;
        }
        const { 'latchkey-code': code, 'retry-after': retryAfter, 'content-type': type } = answered.headers;
        const named = { 'latchkey-code': code, 'retry-after': retryAfter, 'content-type': type };
        const passed = Object.entries(named).filter(([, value]) => value !== undefined);
        const date = new Date(this.date()).toUTCString();
        outgoing.writeHead(answered.statusCode ?? 502, { ...Object.fromEntries(passed), date });
        outgoing.end(text);
      });
      sent.on('error', () => socket.destroy());
      sent.end(body);
    };
    this.#server = certificate === null ? createPlainServer(listener) : createServer({ ...certificate }, listener);
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('tlsClientError', () => {});
  }

  /** Starts a proxy in front of a port of this machine; `plain` is HTTP without TLS. */
  static async start(port: number, form: 'tls' | 'plain' = 'tls'): Promise<Front> {
    const front = new Front(port, form === 'tls' ? await certificateFor('127.0.0.1') : null);
    front.#server.listen(0, '127.0.0.1');
    await once(front.#server, 'listening');
    return front;
  }

  /** The pin of its key, see `pins` of the client. */
  get pin(): string {
    return pinOf(createPublicKey(this.certificate).export({ type: 'spki', format: 'der' }));
  }

  get url(): string {
    return `http${this.certificate === '' ? '' : 's'}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
