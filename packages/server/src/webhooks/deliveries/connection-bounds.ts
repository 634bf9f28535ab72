/** Bounds on all that a receiver sends over a connection, in any form of HTTP (rules 12.7). */
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes from the beginning of a request to the beginning of the next one. Headers and body have smaller bounds. */
const MAX_BYTES = 32_768;
/** Informational answers (1xx) to a request; HTTP allows any number before the answer. */
const MAX_INFORMATIONAL = 8;
/** Sessions that a receiver offers over a TLS connection; usually two. They are no bytes of HTTP. */
const MAX_TLS_SESSIONS = 64;

/** The use of a connection by its current request, or by its last one while it waits for the next. */
interface Use {
  bytes: number;
  readonly tooMuch: () => void;
}

const uses = new WeakMap<Socket, Use>();

/**
 * Bounds the connection of a request.
 *
 * @param tooMuch called when the receiver has sent too much, after HTTP has read it; the connection is closed then
 */
export function boundConnection(request: ClientRequest, socket: Socket, tooMuch: () => void): void {
  const isNew = !uses.has(socket);
  uses.set(socket, { bytes: 0, tooMuch });
  if (isNew) watch(socket);
  let informational = 0;
  request.on('information', () => {
    informational += 1;
    if (informational > MAX_INFORMATIONAL) close(socket);
  });
}

function watch(socket: Socket): void {
  let sessions = 0;
  socket.on('data', (chunk: Buffer) => {
    const use = uses.get(socket);
    if (use === undefined) return;
    use.bytes += chunk.length;
    // HTTP may read this chunk after this listener.
    if (use.bytes > MAX_BYTES) process.nextTick(close, socket);
  });
  socket.on('session', () => {
    sessions += 1;
    if (sessions > MAX_TLS_SESSIONS) close(socket);
  });
}

function close(socket: Socket): void {
  uses.get(socket)?.tooMuch();
  socket.destroy();
}
