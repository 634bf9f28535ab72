/** The attacker's connections: raw TLS sockets that send given bytes and count the replies by status. */
import { connect as connectPlain, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';

/** The port, and the local address to connect from; undefined lets the system choose. */
export interface Target {
  readonly port: number;
  readonly localAddress: string | undefined;
}

/** A target of an attacker who has several networks: the address of the connection with this number. */
export function targetFrom(target: Target & { readonly networks: readonly string[] }, number: number): Target {
  const { port, localAddress, networks } = target;
  return { port, localAddress: networks[number % networks.length] ?? localAddress };
}

/** Outcome of an attack: the number of replies by status, and of connections that the service ended. */
export class Tally {
  readonly statuses: Record<string, number> = {};
  cut = 0;
  readonly #first = Promise.withResolvers<void>();
  /** Resolves with the first reply. */
  readonly answered = this.#first.promise;
  add(status: string): void {
    this.#first.resolve();
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }
}

/** A TCP connection without TLS; undefined when it was refused. */
export function openPlain({ port, localAddress }: Target): Promise<Socket | undefined> {
  return opened(connectPlain({ host: '127.0.0.1', port, ...(localAddress && { localAddress }) }), 'connect');
}

/** A connection after its TLS handshake, on `socket` if given; undefined when it was refused. */
export function openTls({ port, localAddress }: Target, socket?: Socket): Promise<Socket | undefined> {
  const where = socket === undefined ? { host: '127.0.0.1', port, ...(localAddress && { localAddress }) } : { socket };
  return opened(connectTls({ ...where, rejectUnauthorized: false }), 'secureConnect');
}

/** The same, without reading from it. */
export async function openUnread(target: Target): Promise<Socket | undefined> {
  const socket = await openTls(target);
  socket?.pause();
  return socket;
}

/** The same, reading one byte a second. */
export async function openTrickling(target: Target): Promise<Socket | undefined> {
  const { port, localAddress } = target;
  let isSlow = false;
  const slow = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      if (raw.writable) raw.write(chunk, () => done());
      else done();
    },
  });
  const raw = connectPlain({
    ...{ host: '127.0.0.1', port, ...(localAddress && { localAddress }) },
    onread: {
      buffer: Buffer.alloc(1),
      callback(_count, buffer) {
        slow.push(Buffer.from(buffer));
        if (isSlow) setTimeout(() => raw.resume(), 1_000);
        return !isSlow;
      },
    },
  });
  raw.on('error', () => {
    // It is closed next.
  });
  raw.once('close', () => slow.destroy());
  const socket = await openTls(target, slow as Socket);
  socket?.resume();
  isSlow = true;
  return socket;
}

/**
 * Does the TLS handshake on a TCP connection at a chosen pace: the first message after `helloMs`, the last one after
 * `finishMs`. Undefined when the service did not wait for it.
 */
export async function finishTlsLate(
  target: Target,
  socket: Socket,
  { helloMs, finishMs }: { helloMs: number; finishMs: number },
): Promise<Socket | undefined> {
  await wait(helloMs);
  let messages = 0;
  const isOver = wait(finishMs - helloMs);
  const slow = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      messages += 1;
      void (messages === 1 ? Promise.resolve() : isOver).then(() => {
        if (socket.writable) socket.write(chunk);
        done();
      });
    },
  });
  socket.on('data', (chunk: Buffer) => slow.push(chunk));
  socket.once('close', () => slow.destroy());
  return openTls(target, slow as Socket);
}

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    socket.once(event, () => resolve(socket));
    socket.once('close', () => resolve(undefined));
    socket.on('error', () => {
      // A connection that breaks is closed next.
    });
  });
}

/** Calls back with the status of each reply that arrives on a connection. */
export function onAnswers(socket: Socket, callback: (status: string) => void): void {
  let received: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    for (;;) {
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = received.toString('latin1', 0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (received.length < end + 4 + length) return;
      received = received.subarray(end + 4 + length);
      callback(head.slice(9, 12));
    }
  });
}
