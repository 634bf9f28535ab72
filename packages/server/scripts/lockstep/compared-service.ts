/** A version of the service under comparison: its own process, on its own fresh database, at the time of a file. */
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { type Engine, emptyDatabase } from '../../test/support/databases.ts';
import { processEnvironment } from '../../test/support/process-environment.ts';
import { startServerProcess } from '../../test/support/server-process.ts';
import type { WireAnswer } from './comparison.ts';

/** A request as it goes over the wire. */
export interface WireCall {
  readonly method: string;
  /** The path with the query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null without a body. */
  readonly body: string | null;
}

/** A started version. */
export interface ComparedService {
  ask(call: WireCall): Promise<WireAnswer>;
  stop(): Promise<void>;
}

/** The clock of all compared services. */
export class LentClock {
  readonly file: string;
  now: number;

  constructor(directory: string) {
    this.file = join(directory, 'clock');
    this.now = Date.now();
    writeFileSync(this.file, this.#bytes());
  }

  /** Moves it ahead by this many milliseconds. */
  move(milliseconds: number): void {
    this.now += milliseconds;
    // The flag keeps the old bytes until the new ones are there.
    writeFileSync(this.file, this.#bytes(), { flag: 'r+' });
  }

  #bytes(): Float64Array {
    return new Float64Array([this.now]);
  }
}

/** Country of the caller, as a proxy tells it. */
export const COUNTRY_HEADER = 'x-country';

const CONDITIONS = new URL('./same-conditions.ts', import.meta.url).href;

/** Starts the version whose checkout is in `folder`. It speaks plain HTTP, as behind a proxy. */
export async function startCompared(folder: string, engine: Engine, clock: LentClock): Promise<ComparedService> {
  const { database, remove } = await emptyDatabase(engine);
  const environment = {
    NODE_OPTIONS: `${processEnvironment.NODE_OPTIONS ?? ''} --import=${CONDITIONS}`.trim(),
    LATCHKEY_TEST_LOCKSTEP_CLOCK: clock.file,
    LATCHKEY_TRUST_PROXY: '127.0.0.1',
    LATCHKEY_COUNTRY_HEADER: COUNTRY_HEADER,
    LATCHKEY_QUEUE_WAIT: 'off',
    LATCHKEY_TOKEN_LIFETIME: '10d',
  };
  const process = await startServerProcess(database, environment, [join(folder, 'packages/server/src/main.ts')]);
  return {
    ask: (call) => exchange(process.port, call),
    async stop() {
      await process.stop();
      await remove();
    },
  };
}

/** Sends a call on a connection of its own: when the clock moves, the service closes connections as idle. */
function exchange(port: number, { method, url, headers, body }: WireCall): Promise<WireAnswer> {
  const agent = new Agent({ keepAlive: true });
  return new Promise<WireAnswer>((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = request(
      { agent, host: '127.0.0.1', port, method, path: url, headers: { ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const named = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          const answered = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(named), body: answered });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body ?? undefined);
  }).finally(() => agent.destroy());
}
