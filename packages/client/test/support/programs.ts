/** Programs that are licensed by the policy of docs/apps/integrating.md. */
import { readFile } from 'node:fs/promises';
import { readKeyList, readLicenseFile } from '../../../server/test/licensing/license-files/reading.ts';
import { createLatchkey, memoryStorage, Refused } from '../../src/index.ts';
import { httpsTransport } from '../../src/node.ts';
import { type SampleState, sampleOfThePage } from './sample-of-the-page.ts';
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

/** A language in which the policy is written. */
export interface Language {
  readonly name: string;
  start(place: Place): Promise<Program>;
}

const verdictOf = (status: string, code?: string) => (status === 'refused' ? `${status}: ${code}` : status);

const THE_CLIENT: Language = {
  name: 'the client',
  async start({ server, ca, trust, now }) {
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
  },
};

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refused)) throw error;
}

const THE_PAGE: Language = {
  name: 'the JavaScript of the page',
  async start({ server, ca, trust, now }) {
    const Licensing = await sampleOfThePage();
    const send = httpsTransport({ ca: await readFile(ca, 'utf8') });
    let stored = '{}';
    const save = (state: object) => {
      stored = JSON.stringify(state);
    };
    const app = () =>
      new Licensing({
        server,
        productId: 'app',
        ...trust,
        readLicenseFile,
        readKeyList,
        fingerprint: FINGERPRINT,
        hostname: 'desk',
        store: { load: () => JSON.parse(stored), save },
        now,
        fetch: async (url: string, { body }: { body?: string }) => {
          const { status, headers, text } = await send({ url, body: body ?? null, timeoutMs: 10_000 });
          return new Response(text, { status, headers: headers as Record<string, string> });
        },
      });
    const said = ({ status, code }: SampleState) => verdictOf(status, code);
    return {
      activate: async (licenseKey) => said(await app().activate(licenseKey)),
      check: async () => said(await app().validate()),
      async edit(change) {
        stored = change(stored);
      },
      stop: async () => {},
    };
  },
};

export const LANGUAGES: readonly Language[] = [THE_CLIENT, THE_PAGE];
