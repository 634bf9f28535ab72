/** A licensed program, as a new process for each step. */
import { readFile } from 'node:fs/promises';
import { createLatchkey, memoryStorage, Refused } from '../../src/index.ts';
import { httpsTransport } from '../../src/node.ts';
import type { Trust } from './world.ts';

const FINGERPRINT = 'the fingerprint of this machine';

/** The environment of a program. */
export interface Place {
  readonly server: string;
  /** A file with the certificate of the server. */
  readonly ca: string;
  readonly trust: Trust;
  /** The machine's clock, milliseconds since 1970. */
  now(): number;
}

/** A program on a machine. Each call starts it anew; its state lasts. */
export interface Program {
  /** The user enters a key. Returns the verdict as in the table of the page. */
  activate(licenseKey: string): Promise<string>;
  /** Starts the program. Returns the verdict. */
  check(): Promise<string>;
  /** Changes the text that the program has stored. */
  edit(change: (stored: string) => string): Promise<void>;
  stop(): Promise<void>;
}

const verdictOf = (status: string, code?: string) => (status === 'refused' ? `${status}: ${code}` : status);

/** Installs the program. */
export async function startProgram({ server, ca, trust, now }: Place): Promise<Program> {
  const storage = memoryStorage();
  const send = httpsTransport({ ca: await readFile(ca, 'utf8') });
  let asked: Promise<unknown>[] = [];
  const started = async (licenseKey?: string) => {
    const monotonic = now();
    asked = [];
    const app = createLatchkey({
      server,
      productId: 'app',
      ...trust,
      storage,
      fingerprint: FINGERPRINT,
      hostname: 'desk',
      // The clock stands still while the program runs, and no timer fires.
      clock: { now, monotonic: () => monotonic, countsSleep: true, after: () => () => {} },
      transport: (request) => {
        const answered = send(request);
        asked.push(answered.catch(() => {}));
        return answered;
      },
    });
    await app.start();
    if (licenseKey !== undefined) await app.activate(licenseKey).catch(ignoreRefusal);
    // The client does one thing after the other, so that all before has ended.
    await app.exportRequest('settled');
    const { state } = app;
    return verdictOf(state.status, state.status === 'refused' ? state.why : undefined);
  };
  return {
    activate: started,
    check: () => started(),
    edit: async (change) => storage.write(change((await storage.read()) ?? '')),
    stop: async () => void (await Promise.all(asked)),
  };
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refused)) throw error;
}
