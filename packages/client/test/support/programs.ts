/** Programs that are licensed by the policy of docs/apps/integrating.md, in several languages, driven line by line. */
import { execFile, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { readKeyList, readLicenseFile } from '../../../server/test/licensing/license-files/reading.ts';
import { createLatchkey, memoryStorage, Refused } from '../../src/index.ts';
import { httpsTransport } from '../../src/node.ts';
import { type SampleState, sampleOfThePage } from './sample-of-the-page.ts';
import type { Trust } from './world.ts';

const run = promisify(execFile);
export const EXAMPLES = join(import.meta.dirname, '../../../../examples');
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
  /** Why its program cannot run here; null if it can. */
  missing(): Promise<string | null>;
  start(place: Place): Promise<Program>;
  /** Runs the whole program of the folder once, as a user does; absent where there is none. */
  runWhole?(place: Place): Promise<(...args: readonly string[]) => Promise<string>>;
}

const verdictOf = (status: string, code?: string) => (status === 'refused' ? `${status}: ${code}` : status);

const THE_CLIENT: Language = {
  name: 'the client',
  missing: async () => null,
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
  missing: async () => null,
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

const GO_DRIVER = `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"example.com/app/license"
)

func main() {
	text, err := os.ReadFile("settings.json")
	var settings license.Settings
	if err != nil || json.Unmarshal(text, &settings) != nil {
		panic("settings.json")
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var asked struct {
			Now int64
			Key string
		}
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		licensing, err := license.New(settings, ${JSON.stringify(FINGERPRINT)}, "desk", "state.json")
		if err != nil {
			panic(err)
		}
		licensing.Now = func() int64 { return asked.Now }
		verdict := licensing.Check()
		if asked.Key != "" {
			verdict = licensing.Activate(asked.Key)
		}
		said, _ := json.Marshal(verdict)
		fmt.Println(string(said))
	}
}
`;

/** A copy of an example, with the settings of this place. */
async function copied({ server, ca, trust }: Place, folder: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-program-'));
  await cp(join(EXAMPLES, folder), directory, { recursive: true });
  await writeFile(join(directory, 'settings.json'), JSON.stringify({ server, productId: 'app', ca, ...trust }));
  return directory;
}

/** Runs the whole program of an example. The function that runs it returns its exit code and its output. */
async function whole(place: Place, folder: string, program: string, ...first: readonly string[]) {
  const cwd = await copied(place, folder);
  process.once('exit', () => rmSync(cwd, { recursive: true, force: true }));
  return (...args: readonly string[]) =>
    new Promise<string>((resolve) => {
      const child = execFile(program, [...first, ...args], { cwd, env: plainEnvironment }, (_error, out, err) =>
        resolve(`${child.exitCode} ${out}${err}`),
      );
    });
}

/** A program that reads what to do as lines of JSON, and answers each with its verdict. */
async function driven(
  place: Place,
  folder: string,
  build: (folder: string) => Promise<readonly string[]>,
): Promise<Program> {
  const directory = await copied(place, folder);
  const [program = '', ...args] = await build(directory);
  const child = spawn(program, args, { cwd: directory, env: plainEnvironment, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (more: object) => {
    child.stdin.write(`${JSON.stringify({ now: Math.floor(place.now() / 1000), ...more })}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error('the program has ended');
    const { status, code } = JSON.parse(value);
    return verdictOf(status, code);
  };
  const state = join(directory, 'state.json');
  return {
    activate: (key) => ask({ key }),
    check: () => ask({}),
    edit: async (change) => writeFile(state, change(await readFile(state, 'utf8'))),
    async stop() {
      child.stdin.end();
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Without the proxies of this machine, because the service is on it. */
const plainEnvironment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name)));

const works = (program: string, ...args: readonly string[]) =>
  run(program, args).then(
    () => true,
    () => false,
  );

const GO: Language = {
  name: 'Go',
  missing: async () => ((await works('go', 'version')) ? null : 'needs go'),
  start: (place) =>
    driven(place, 'go', async (directory) => {
      await mkdir(join(directory, 'driver'));
      await writeFile(join(directory, 'driver', 'main.go'), GO_DRIVER);
      const env = { ...plainEnvironment, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };
      await run('go', ['build', '-o', 'driven', './driver'], { cwd: directory, env });
      return [join(directory, 'driven')];
    }),
  runWhole: (place) => whole(place, 'go', 'go', 'run', '.'),
};

export const LANGUAGES: readonly Language[] = [THE_CLIENT, THE_PAGE, GO];
