/** A service in the process of a script, with a clock that the script moves. */
import type { Clock } from '../src/clock.ts';
import { type Environment, loadConfig } from '../src/config.ts';
import { type Bounds, startServer } from '../src/server.ts';
import { connectToService, type ServiceClient } from './service-client.ts';

/** Such a service, and a client of it. */
export interface OwnService {
  readonly service: ServiceClient;
  /** Ends it in order: everything that it counted is written. */
  stop(): Promise<void>;
}

/** What it is started with. */
export interface OwnServiceOptions {
  /** Its data directory; it makes its secrets and its certificate there. */
  readonly directory: string;
  /** The source of `now` for every rule. */
  readonly clock: Clock;
  /** Adds to its configuration. */
  readonly environment?: Environment;
  /** Replace the usual ones. */
  readonly bounds?: Partial<Bounds>;
}

/** Starts it on SQLite in its data directory, at a port that the system chooses; nobody but this machine reaches it. */
export async function startOwnService(options: OwnServiceOptions): Promise<OwnService> {
  const { directory, clock, environment = {}, bounds = {} } = options;
  const place = { HOST: 'localhost', LATCHKEY_DATA_DIR: directory };
  const config = loadConfig({ ...place, PORT: '0', LATCHKEY_LOG_LEVEL: 'error', ...environment });
  const server = await startServer(config, clock, { believesEveryClock: true, ...bounds });
  const service = connectToService({ ...place, PORT: String(server.port) });
  return {
    service,
    async stop() {
      service.close();
      await server.stop('the script is done');
    },
  };
}
