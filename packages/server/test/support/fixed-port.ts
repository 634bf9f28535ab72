/** Ports for servers that cannot choose one themselves, or that come back on the same port after they were ended. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Systems give ports from 32768 (Linux) or 49152 on to sockets that ask for any, so that none gets one of these. */
const [LOWEST, HIGHEST] = [20_000, 32_000];

/**
 * A port of 127.0.0.1 that is free, and stays free while its server is down, unless another test draws the same one of
 * 12,000.
 */
export async function fixedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    const probe = createServer().listen(port, '127.0.0.1');
    try {
      await once(probe, 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue;
      throw error;
    }
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
