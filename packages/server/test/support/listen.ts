import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Makes a server listen, and returns its port. */
export async function listen(server: Server, address = '127.0.0.1', port = 0): Promise<number> {
  server.listen(port, address);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
