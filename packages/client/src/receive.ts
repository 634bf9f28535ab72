/** `latchkey-client receive`: a receiver of events for developers, which verifies and shows each one. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { BadEvent, type OutboundEvent, verifyEvent } from './webhooks.ts';

/** The service sends at most 16 KiB. */
const LARGEST_BODY_BYTES = 65_536;
/** Requests in progress; more are answered 503. */
const MAX_REQUESTS = 64;
/** The service waits for 15 seconds. */
const FORWARD_TIMEOUT_MS = 15_000;
/** Headers that a forwarded request keeps. */
const FORWARDED = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** Options of a receiver. */
export interface ReceiveOptions {
  /** Port on 127.0.0.1; 0 for a free one. */
  readonly port: number;
  /** Secrets, one per line; read again for every request, so that a rotation is followed. Never printed. */
  readonly secretFile: string;
  /** Where verified requests are sent unchanged; its status is the answer. Null answers 204. */
  readonly forward: string | null;
  /** Status that answers every verified request instead, to see how the service tries again; null for none. */
  readonly fail: number | null;
  /** Time before each answer, in milliseconds. */
  readonly slowMs: number;
}

/**
 * Starts a receiver on 127.0.0.1.
 *
 * @param print receives one line per request; control characters are escaped
 * @throws if the file of the secrets cannot be read or holds none, or if the port is taken
 */
export async function startReceiving(options: ReceiveOptions, print: (line: string) => void): Promise<Server> {
  readSecrets(options.secretFile);
  let underWay = 0;
  const server = createServer((request, response) => {
    if (underWay >= MAX_REQUESTS) return void response.writeHead(503).end();
    underWay += 1;
    void answer(options, request, response, print).finally(() => (underWay -= 1));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  print(`Receiving at http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return server;
}

/** Reads the secrets. @throws without the content of the file */
function readSecrets(file: string): readonly string[] {
  const secrets = readFileSync(file, 'utf8')
    .split(/\s+/)
    .filter((each) => each !== '');
  if (secrets.length === 0 || !secrets.every((each) => each.startsWith('whsec_')))
    throw new Error(`${file} must hold the secret of the destination, whsec_..., and nothing else`);
  return secrets;
}

async function answer(
  { secretFile, forward, fail, slowMs }: ReceiveOptions,
  request: IncomingMessage,
  response: ServerResponse,
  print: (line: string) => void,
): Promise<void> {
  const ended = (status: number, text: string) => {
    print(`${new Date().toISOString()} ${status} ${text}`);
    response.writeHead(status).end();
  };
  try {
    const body = await bodyOf(request);
    if (body === null) return ended(413, `refused: more than ${LARGEST_BODY_BYTES} bytes`);
    const event = await verifyEvent(body, request.headers, readSecrets(secretFile));
    if (slowMs > 0) await wait(slowMs);
    if (fail !== null) return ended(fail, `verified: ${textOf(event)}`);
    const status = forward === null ? 204 : await forwarded(forward, request, body);
    ended(status, `verified: ${textOf(event)}`);
  } catch (error) {
    if (error instanceof BadEvent) return ended(400, `refused: ${error.reason}: ${error.message}`);
    if (request.destroyed && !request.complete) return print(`${new Date().toISOString()} --- the sender went away`);
    ended(500, `failed: ${error instanceof Error ? error.message : error}`);
  }
}

/** Returns null for a body that is too large. */
async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LARGEST_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The event on one line: JSON escapes control characters. */
function textOf({ id, type, data }: OutboundEvent): string {
  return JSON.stringify({ type, id, number: data.number ?? null, license: data.license ?? null });
}

/** Sends a request on and returns the status of its answer; 502 without one. */
async function forwarded(url: string, request: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<number> {
  const headers = new Headers();
  for (const name of FORWARDED) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS);
  try {
    const { status, body: answered } = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await answered?.cancel();
    return status;
  } catch {
    return 502;
  }
}
