/** Runs Latchkey as shipped, as a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { mintSecret } from '@latchkey/server/ground/base/random.ts';
import type { Database } from '@latchkey/server/storage/contract/database.ts';
import type { Address } from './connection.ts';

const READY_TIMEOUT_MS = 300_000;
const READY_POLL_MS = 100;
/** Time for finishing work in progress before the process is killed. */
const STOP_TIMEOUT_MS = 20_000;
/** Length of the log excerpt in the error if Latchkey does not start. */
const LOG_SHOWN_CHARACTERS = 2000;

/** Settings of a server. */
export interface LatchkeyPlan {
  readonly database: Database;
  /** Its data directory, which contains a certificate for TLS. */
  readonly dataDirectory: string;
  /** That certificate; null for plain HTTP, as from a proxy on this machine. */
  readonly certificate: string | null;
  /** Lifetime of the seeded floating sessions, such as `1d`. */
  readonly floatingTimeout: string;
  /** Further settings. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A running Latchkey. */
export interface LatchkeyServer {
  readonly address: Address;
  readonly pid: number;
  /** Created for this run. */
  readonly secrets: { readonly admin: string; readonly webhook: string };
  /** Calls an endpoint with the admin secret. @throws if it refuses */
  admin(path: string, fields: object): Promise<void>;
  /** Stops the server gracefully. */
  stop(): Promise<void>;
}

/**
 * Starts Latchkey and waits until it reports that it is ready. Its log goes to `latchkey.log` in the data directory.
 *
 * @throws with the end of the log if it is not ready within five minutes
 */
export async function startLatchkey(plan: LatchkeyPlan): Promise<LatchkeyServer> {
  const { dataDirectory, certificate } = plan;
  const secrets = { admin: mintSecret(24), webhook: mintSecret(24) };
  const logFile = join(dataDirectory, 'latchkey.log');
  const log = openSync(logFile, 'a', 0o600);
  const logStart = fstatSync(log).size;
  const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve('@latchkey/server/main.ts'))], {
    env: environmentFor(plan, secrets),
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  try {
    const address = { port: await portIn(child, logFile, logStart), certificate };
    await ready(child, address);
    const admin = async (path: string, fields: object) => {
      const status = await statusOf(path, address, { adminSecret: secrets.admin, ...fields });
      if (status !== 200) throw new Error(`${path} answered ${status}`);
    };
    return { address, pid: child.pid!, secrets, admin, stop: () => stop(child) };
  } catch (error) {
    await stop(child);
    const said = readFileSync(logFile, 'utf8').slice(-LOG_SHOWN_CHARACTERS);
    throw new Error(`Latchkey did not start: ${(error as Error).message}\n${said}`);
  }
}

/** The caller's environment with Latchkey's settings replaced by those of the bench. */
function environmentFor(plan: LatchkeyPlan, secrets: LatchkeyServer['secrets']): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(LATCHKEY_|DATABASE_URL$)/.test(name));
  return {
    ...Object.fromEntries(inherited),
    HOST: '127.0.0.1',
    PORT: '0',
    LATCHKEY_DATA_DIR: plan.dataDirectory,
    LATCHKEY_FLOATING_TIMEOUT: plan.floatingTimeout,
    LATCHKEY_ADMIN_SECRET: secrets.admin,
    LATCHKEY_WEBHOOK_SECRET: secrets.webhook,
    ...(plan.database.engine === 'postgres' ? { DATABASE_URL: plan.database.url } : {}),
    ...(plan.certificate === null ? { LATCHKEY_TRUST_PROXY: '127.0.0.1' } : {}),
    ...plan.environment,
  };
}

/** The port that the system gave it, which its log names. Nodes that started before it write to the same file. */
function portIn(child: ChildProcess, logFile: string, logStart: number): Promise<number> {
  return until(child, () => {
    const started = readFileSync(logFile)
      .subarray(logStart)
      .toString()
      .split('\n')
      .find((line) => line.includes('"service.started"') && line.endsWith('}'));
    return started === undefined ? null : (JSON.parse(started) as { port: number }).port;
  });
}

async function ready(child: ChildProcess, address: Address): Promise<void> {
  await until(child, async () => ((await statusOf('/readyz', address)) === 200 ? true : null));
}

/** Asks until the answer is not null. */
async function until<Answer>(child: ChildProcess, ask: () => Answer | null | Promise<Answer | null>): Promise<Answer> {
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    const answer = await ask();
    if (answer !== null) return answer;
    await sleep(READY_POLL_MS);
  }
  throw new Error('it was not ready in time');
}

/** The status of a GET request, or of a POST request with a body; null without a response. */
function statusOf(path: string, { port, certificate }: Address, body?: object): Promise<number | null> {
  const method = body === undefined ? 'GET' : 'POST';
  const headers = { 'x-forwarded-proto': 'https', 'content-type': 'application/json' };
  const target = { host: '127.0.0.1', port, path, method, headers, agent: false } as const;
  const request =
    certificate === null ? requestPlain(target) : requestTls({ ...target, ca: certificate, servername: 'localhost' });
  return new Promise((resolve) => {
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
    request.on('error', () => resolve(null));
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(force);
}
