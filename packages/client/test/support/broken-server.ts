/** TLS servers with faulty answers. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';

const require = createRequire(new URL('../../../server/package.json', import.meta.url));
const { generate } = require('selfsigned') as typeof import('selfsigned');

/** A self-signed certificate for an address. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export async function certificateFor(host: string): Promise<Certificate> {
  const altNames = [{ type: 7 as const, ip: host }];
  const made = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    // Some clients reject the default, SHA-1.
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  return { cert: made.cert, key: made.private };
}

/** A server that passes each connection to `answer` after the first data from the client. */
export async function startBrokenServer(
  certificate: Certificate,
  answer: (socket: Socket) => void,
): Promise<{ readonly url: string; readonly asked: () => number; stop(): Promise<void> }> {
  let asked = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer(certificate, (request, response) => {
    asked += 1;
    request.resume();
    answer(response.socket as Socket);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
