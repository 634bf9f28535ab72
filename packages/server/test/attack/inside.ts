/** A listener at every address of the machine, which counts connections, and a name server with names of them. */
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { listen } from '../support/listen.ts';
import { startNameServer } from '../support/name-server.ts';

/** See the head of this file. */
export interface Inside {
  readonly port: number;
  /** The name server, as LATCHKEY_DELIVERY_DNS takes it. */
  readonly nameServer: string;
  readonly names: readonly string[];
  /** Number of connections so far. */
  connections(): number;
  close(): void;
}

/** A public address beside a private one in the answer to one name. */
const PUBLIC_ADDRESS = '93.184.216.34';

export async function listenInside(): Promise<Inside> {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  // An address of one link needs the name of its interface.
  const addresses = new Set(['127.0.0.1', ...own.map(({ address }) => address)].filter((each) => !/^fe80/i.test(each)));
  const servers: Server[] = [];
  let connections = 0;
  let port = 0;
  for (const address of addresses) {
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    port = await listen(server, address, port);
    servers.push(server);
  }
  const names = await startNameServer();
  const inside = [...addresses, '10.0.0.1', '169.254.169.254', '::ffff:127.0.0.1'];
  for (const [number, address] of inside.entries()) names.zone.set(`inside-${number}.example`, [[address]]);
  names.zone.set('mixed.example', [[PUBLIC_ADDRESS, '127.0.0.1']]);
  names.zone.set('mixed6.example', [[PUBLIC_ADDRESS, '::1']]);
  return {
    port,
    nameServer: names.address,
    names: [...names.zone.keys()],
    connections: () => connections,
    close() {
      names.close();
      for (const server of servers) server.close();
    },
  };
}
