import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What waits for answers of each open connection: one listener of a connection, however many calls it has under way. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Acts once when the system has taken over the whole answer, or its connection has closed. An answer that waits behind
 * others of its connection has no end of its own where that connection breaks; the connection's counts.
 */
export function whenAnswered(response: ServerResponse, act: () => void): void {
  const { socket } = response.req;
  if (response.writableFinished || socket.destroyed) {
    act();
    return;
  }
  const acts = waiting.get(socket) ?? watch(socket);
  const done = () => {
    if (acts.delete(done)) act();
  };
  acts.add(done);
  response.once('finish', done);
}

function watch(socket: Socket): Set<() => void> {
  const acts = new Set<() => void>();
  waiting.set(socket, acts);
  socket.once('close', () => {
    for (const done of acts) done();
  });
  return acts;
}
