import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Callbacks waiting for replies, by open connection. One listener per connection suffices for any number of calls. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back once, when the system has taken over the whole reply or the connection has closed. A reply queued behind
 * others gets no event of its own if the connection breaks, so the connection's event counts.
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
