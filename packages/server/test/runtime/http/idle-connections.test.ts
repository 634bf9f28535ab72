/** The time after which an idle connection is closed. Tests with real connections are in sockets.test.ts. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { IdleConnections } from '../../../src/runtime/http/idle-connections.ts';

/** A connection that is looked at every 10 ms, with a keep-alive time of 30 ms. */
function idleConnection() {
  const state = { isIdle: true, bytesRead: 100, isClosed: false };
  const socket = { ...state, destroy: () => (state.isClosed = true) };
  let now = 0;
  const idle = new IdleConnections(
    30,
    () => state.isIdle,
    () => now,
  );
  /** Looks as often, and returns whether the connection was closed. */
  const look = (times: number): boolean => {
    for (let count = 0; count < times; count += 1) {
      idle.look([Object.assign(socket, { bytesRead: state.bytesRead }) as unknown as Socket]);
      now += 10;
    }
    return state.isClosed;
  };
  return { state, look };
}

describe('an idle connection', () => {
  it('is closed when it has been idle for the keep-alive time', () => {
    const { look } = idleConnection();
    assert.equal(look(3), false);
    assert.equal(look(1), true);
  });

  it('is not closed while bytes of its next request arrive', () => {
    const { state, look } = idleConnection();
    for (let piece = 0; piece < 5; piece += 1) {
      assert.equal(look(3), false);
      state.bytesRead += 1;
    }
    assert.equal(look(4), true);
  });

  it('is not closed while a request is under way, and has the whole time after it', () => {
    const { state, look } = idleConnection();
    look(3);
    state.isIdle = false;
    assert.equal(look(10), false);
    state.isIdle = true;
    assert.equal(look(3), false);
    assert.equal(look(1), true);
  });
});
