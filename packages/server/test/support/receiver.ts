/** A real HTTPS receiver of events on a loopback address of its own. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { generate } from 'selfsigned';
import { DAY_MS, systemClock } from '../../src/ground/base/clock.ts';
import { listen } from './listen.ts';

/** A request as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers a request; the body has been read. */
export type Answering = (request: Received, response: ServerResponse) => void;

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** Everything that arrived, in order. */
  readonly received: Received[];
  /** Number of connections so far. */
  readonly connections: () => number;
  /** How requests are answered from now on; 204 at first. */
  answer: Answering;
  /** Resolves with the requests as soon as there are `count`. */
  hasReceived(count: number): Promise<readonly Received[]>;
  close(): Promise<void>;
}

/** A certificate of a name and addresses, which is its own authority, as PEM. */
export async function certificateOf(
  names: readonly string[],
  addresses: readonly string[],
  days = 30,
): Promise<{ readonly cert: string; readonly key: string }> {
  const made = await generate([{ name: 'commonName', value: names[0] ?? addresses[0] ?? '' }], {
    keyType: 'ec',
    notBeforeDate: new Date(systemClock() - 60 * DAY_MS),
    notAfterDate: new Date(systemClock() + days * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          ...addresses.map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  });
  return { cert: made.cert, key: made.private };
}

/** Starts a receiver; `address` is below 127.1.0.0/16 in most tests. */
export async function startReceiver(
  address: string,
  certificate: { readonly cert: string; readonly key: string },
  name = address,
): Promise<Receiver> {
  const received: Received[] = [];
  let waiting: { count: number; resolve: () => void }[] = [];
  let connections = 0;
  const server = createServer(certificate, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const each = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(each);
      receiver.answer(each, response);
      for (const wait of waiting) if (received.length >= wait.count) wait.resolve();
      waiting = waiting.filter(({ count }) => received.length < count);
    });
  });
  server.on('connection', () => (connections += 1));
  server.on('clientError', (_error, socket) => socket.destroy());
  const port = await listen(server, address);
  const receiver: Receiver = {
    url: `https://${name}:${port}/hook`,
    port,
    received,
    connections: () => connections,
    answer: (_request, response) => response.writeHead(204).end(),
    async hasReceived(count) {
      if (received.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }));
      return received;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
