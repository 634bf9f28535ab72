/**
 * The real service for tests: real sockets with TLS and a real database; only the clock belongs to the test. Every
 * reply is compared with the declaration of its endpoint, so that the description always agrees with the code.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Compile } from 'typebox/compile';
import { endpointsByPath } from '../../src/app.ts';
import { clockIn, DAY_MS, systemClock } from '../../src/ground/base/clock.ts';
import type { Endpoint } from '../../src/platform/endpoint/endpoint.ts';
import { codeOf, type RefusalCode, refusalCodes, statusOf, textPattern } from '../../src/platform/endpoint/refusals.ts';
import { loadConfig } from '../../src/runtime/config/read-config.ts';
import { type Bounds, startServer } from '../../src/runtime/service/server.ts';
import { type Engine, freshDatabase } from './databases.ts';
import { startKeptThread } from './kept-threads.ts';
import type { TestDatabase } from './test-database.ts';

export const ADMIN_SECRET = 'admin-secret-of-the-tests';
export const WEBHOOK_SECRET = 'webhook-secret-of-the-tests';

/** A reply. `body` is the parsed JSON; tests read its fields with any type. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer
  readonly body: any;
}

/** Options of a request; `method` is POST by default. */
export interface SendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The clock of an app under test, which only the test moves. */
export class TestClock {
  /** Where the threads of the service read it. */
  readonly memory = new SharedArrayBuffer(8);
  readonly now = clockIn(this.memory);
  constructor(now = systemClock()) {
    this.#set(now);
  }
  /** Moves the clock by this many milliseconds. */
  move(milliseconds: number): void {
    this.#set(this.now() + milliseconds);
  }
  /** The present time as a timestamp, plus this many milliseconds. */
  at(milliseconds = 0): string {
    return new Date(this.now() + milliseconds).toISOString();
  }
  #set(now: number): void {
    Atomics.store(new BigInt64Array(this.memory), 0, BigInt(Math.round(now)));
  }
}

export interface TestApp {
  readonly engine: Engine;
  readonly clock: TestClock;
  readonly port: number;
  /** The port of the metrics; null when they are off. */
  readonly metricsPort: number | null;
  readonly database: TestDatabase['database'];
  /** Sends a JSON body, or raw text where `body` is a string. */
  send(path: string, body?: unknown, options?: SendOptions): Promise<Answer>;
  /** The same with the admin secret in the body. */
  admin(path: string, body?: Readonly<Record<string, unknown>>, options?: SendOptions): Promise<Answer>;
  /** The same with the webhook secret in its header. */
  webhook(path: string, body?: Readonly<Record<string, unknown>>, options?: SendOptions): Promise<Answer>;
  /** Issues a license and returns its key. */
  license(order?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Its data directory, which holds the certificate that it signed itself. */
  readonly directory: string;
  /** Makes the service reload its certificate's files, as SIGHUP does. */
  reload(): void;
  stop(): Promise<void>;
}

const CERTIFICATE_FILES = ['tls-cert.pem', 'tls-key.pem'];

/**
 * The files of the certificate that the first app of this process signed. The next ones find them, as after a restart:
 * a start signs twice, which takes 11 ms of the CPU each time.
 */
let certificate: readonly (readonly [name: string, content: Buffer])[] = [];

/**
 * Bounds with which the jobs that hold a lease run as usual. Without them no test meets such a job, which would change
 * rows, hold locks and take connections at any moment.
 */
export const WITH_JOBS: Partial<Bounds> = { leasedJobIntervalMs: undefined };

/** Starts the service on a fresh database; `environment` adds to its configuration, `bounds` replace the usual ones. */
export async function startApp(
  engine: Engine,
  environment: Readonly<Record<string, string>> = {},
  shared?: TestDatabase,
  bounds: Partial<Bounds> = {},
): Promise<TestApp> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-app-'));
  for (const [name, content] of certificate) await writeFile(join(directory, name), content, { mode: 0o600 });
  const fresh = shared ?? (await freshDatabase(engine));
  const { database } = fresh;
  const config = loadConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    LATCHKEY_DATA_DIR: directory,
    LATCHKEY_ADMIN_SECRET: ADMIN_SECRET,
    LATCHKEY_WEBHOOK_SECRET: WEBHOOK_SECRET,
    LATCHKEY_LOG_LEVEL: 'error',
    // A busy machine may need longer than the default, and a refusal would then fail any test.
    LATCHKEY_QUEUE_WAIT: 'off',
    ...(database.engine === 'postgres' ? { DATABASE_URL: database.url } : {}),
    ...environment,
  });
  const clock = new TestClock();
  const placed = database.engine === 'sqlite' ? { ...config, database } : config;
  // Tests move this clock by days.
  const server = await startServer(placed, clock.now, {
    believesEveryClock: true,
    movedClock: clock.memory,
    // Races use all connections, however busy the machine is.
    isThreadBusy: () => false,
    startThread: startKeptThread,
    // In a lane, the program that locks an inode takes 20 ms of the CPU, most of it for the copy of this process.
    locksInode: false,
    // The files of the console take 11 ms of the CPU to read.
    consoleFolder: null,
    leasedJobIntervalMs: DAY_MS,
    ...bounds,
  });
  if (certificate.length === 0 && placed.tlsFiles === null && placed.trustedProxies === null)
    certificate = CERTIFICATE_FILES.map((name) => [name, readFileSync(join(placed.dataDirectory, name))]);
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 64 });

  const send: TestApp['send'] = async (path, body, options = {}) => {
    const answer = await sendRequest(agent, server.port, path, body, options);
    checkDeclared(path, answer);
    return answer;
  };
  const app: TestApp = {
    engine,
    clock,
    port: server.port,
    metricsPort: server.metricsPort,
    database,
    send,
    admin: (path, body = {}, options) => send(path, { adminSecret: ADMIN_SECRET, ...body }, options),
    webhook: (path, body = {}, options = {}) =>
      send(path, body, { ...options, headers: { 'x-webhook-secret': WEBHOOK_SECRET, ...options.headers } }),
    async license(order = {}) {
      const answer = await app.admin('/createLicense', { email: 'ada@example.com', productId: 'app', ...order });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.licenseKey;
    },
    directory,
    reload: () => server.reload(),
    async stop() {
      agent.destroy();
      await server.stop('test');
      if (shared === undefined) await fresh.remove();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return app;
}

/** Sends one request to any server on this machine. */
export function sendRequest(
  agent: Agent,
  port: number,
  path: string,
  body: unknown,
  options: SendOptions,
): Promise<Answer> {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        path,
        method: options.method ?? 'POST',
        headers: {
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...options.headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const answered = Buffer.concat(chunks).toString();
          const isJson = response.headers['content-type']?.startsWith('application/json');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: isJson && answered !== '' ? JSON.parse(answered) : answered,
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}

const replies = new Map<Endpoint, (value: unknown) => boolean>();

/** Fails the test when a reply is not declared by its endpoint. */
function checkDeclared(path: string, { status, headers, body }: Answer): void {
  const header = headers['latchkey-code']?.toString();
  if (status < 400) assert.equal(header, undefined, `${path} answered a success with a code`);
  const endpoint = endpointsByPath.get(path.split('?')[0] as `/${string}`);
  // A preflight request of a browser calls no endpoint.
  if (endpoint === undefined || status === 204) return;
  if (status === endpoint.successStatus) {
    let fits = replies.get(endpoint);
    if (fits === undefined) {
      const compiled = Compile(endpoint.reply);
      fits = (value) => compiled.Check(value);
      replies.set(endpoint, fits);
    }
    assert.ok(fits(body), `${path} answered what its reply schema does not allow: ${JSON.stringify(body)}`);
    return;
  }
  assert.equal(body[endpoint.flag], false, `${path} answered ${status} without ${endpoint.flag}: false`);
  assert.equal(typeof body.error, 'string', `${path} answered ${status} without an error text`);
  assert.notEqual(status, 500, `${path} failed unexpectedly`);
  const code = [...endpoint.refusals, ...IMPLIED].find(
    (each) => codeOf(each) === header && isRefusedWith(each, status, body.error),
  );
  assert.ok(code !== undefined, `${path} answered ${status} ${header}: ${body.error}, which it does not declare`);
  const known = codeOfText.get(body.error) ?? codeOf(code);
  assert.equal(header, known, `${path} answered "${body.error}" with a second code`);
  codeOfText.set(body.error, known);
  const { [endpoint.flag]: _flag, error: _error, ...further } = body;
  const declared = endpoint.refusalFields?.[code];
  if (declared === undefined) assert.deepEqual(further, {}, `${path} answered further fields that it does not declare`);
  else assert.ok(Compile(declared).Check(further), `${path} answered other further fields than it declares`);
}

/** The code that came with each error text: each text has a single code at all endpoints. */
const codeOfText = new Map<string, string>();

/** Refusals that an endpoint need not declare: those of transport, credential and fields. */
const IMPLIED: readonly RefusalCode[] = refusalCodes.filter(
  (code) =>
    ['unauthorized', 'role_not_allowed', 'quota_used', 'missing_fields', 'invalid_field'].includes(code) ||
    ![...endpointsByPath.values()].some(({ refusals }) => refusals.includes(code)),
);

function isRefusedWith(code: RefusalCode, status: number, error: string): boolean {
  const pattern = textPattern(code)
    .split(/\{\w+\}/)
    .map(RegExp.escape)
    .join('.*');
  return status === statusOf(code) && new RegExp(`^${pattern}$`, 's').test(error);
}
