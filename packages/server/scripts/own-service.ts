/** A service in the process of a script, with a clock that the script controls. */
import type { Clock } from '../src/ground/base/clock.ts';
import type { Environment } from '../src/runtime/config/names.ts';
import { loadConfig } from '../src/runtime/config/read-config.ts';
import { type Bounds, startServer } from '../src/runtime/service/server.ts';
import { connectToService, type ServiceClient } from './service-client.ts';

/** The service with a client. */
export interface OwnService {
  readonly service: ServiceClient;
  /** Stops it gracefully: all counts are stored. */
  stop(): Promise<void>;
}

/** Options of the service. */
export interface OwnServiceOptions {
  /** Its data directory, where it creates its secrets and its certificate. */
  readonly directory: string;
  /** The source of `now` for every rule. */
  readonly clock: Clock;
  /** Additional configuration. */
  readonly environment?: Environment;
  /** Overrides of the default bounds. */
  readonly bounds?: Partial<Bounds>;
}

/** Starts it on SQLite in its data directory, on a port chosen by the system, reachable only from this machine. */
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
