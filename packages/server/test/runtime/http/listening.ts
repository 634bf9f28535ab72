/**
 * The service's sockets with a listener of the test behind them, so that the test decides when each request gets its
 * reply.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { readConfig } from '../../../src/runtime/config/read-config.ts';
import { openCertificate } from '../../../src/runtime/http/certificate.ts';
import type { Listener } from '../../../src/runtime/http/connection-calls.ts';
import { type Listening, type ListenOptions, listen } from '../../../src/runtime/http/server.ts';

let certificate: Promise<{ certificate: string; key: string }> | undefined;

async function makeCertificate(): Promise<{ certificate: string; key: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-sockets-'));
  try {
    return await openCertificate(readConfig({ LATCHKEY_DATA_DIR: directory }), systemClock());
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** A certificate for localhost, made once in this process. */
export function testCertificate(): Promise<{ certificate: string; key: string }> {
  certificate ??= makeCertificate();
  return certificate;
}

/** Listens on 127.0.0.1 until the test ends. */
export async function startListening(
  test: TestContext,
  listener: Listener,
  { tls = true, ...options }: Partial<Omit<ListenOptions, 'tls'>> & { readonly tls?: boolean } = {},
): Promise<Listening> {
  const listening = await listen(listener, {
    host: '127.0.0.1',
    port: 0,
    tls: tls ? await testCertificate() : null,
    requestTimeoutMs: 30_000,
    callsPerConnection: 64,
    onEnded: () => {},
    ...options,
  });
  test.after(() => listening.close(0));
  return listening;
}

/** A listener that replies on command: `200` with the path as text. */
export class Held {
  /** Paths of the started calls, in order. */
  readonly started: string[] = [];
  /** Maximum number of simultaneous calls. */
  most = 0;
  readonly #underWay: (() => void)[] = [];
  #isOpen = false;
  #wake: () => void = () => {};

  readonly listener = (request: IncomingMessage, response: ServerResponse): void => {
    this.started.push(request.url ?? '');
    request.resume();
    request.on('end', () => {
      this.#underWay.push(() => response.end(request.url));
      this.most = Math.max(this.most, this.#underWay.length);
      this.#wake();
      if (this.#isOpen) setImmediate(() => this.release());
    });
  };

  get underWay(): number {
    return this.#underWay.length;
  }

  /** Resolves when this many calls wait for their reply. */
  async until(count: number): Promise<void> {
    while (this.#underWay.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** Replies to the newest call. */
  releaseLast(): void {
    this.#underWay.pop()?.();
  }

  /** Replies to the oldest call. */
  release(): void {
    this.#underWay.shift()?.();
  }

  /** Replies to every call from now on, one in each turn of the event loop. */
  open(): void {
    this.#isOpen = true;
    for (const _ of [...this.#underWay]) setImmediate(() => this.release());
  }
}
