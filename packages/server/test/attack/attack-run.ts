/**
 * Attacks a service from another process, and times the calls of a paying customer: first without an attack, then
 * during each one. Every attack has conditions that are checked here; times are only reported.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MAX_TO_ADDRESS } from '../../src/customers/mail/mail-rates.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { ADMIN_SECRET } from '../support/app.ts';
import { mustSucceed } from '../support/creator.ts';
import { type Engine, freshDatabase } from '../support/databases.ts';
import { Machine } from '../support/machine.ts';
import { MailServer } from '../support/mail-server.ts';
import { rowOf } from '../support/own-connection.ts';
import { processEnvironment } from '../support/process-environment.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import type { AttackReport } from './attack-report.ts';
import type { FromAttacker, ToAttacker } from './attacker-process.ts';
import { type AttackJob, type AttackName, FROM_SIXTEEN_NETWORKS, SILENT } from './attacks.ts';
import { beBystanders, callsOfBystanders } from './bystanders.ts';
import { beCustomer } from './customer.ts';
import { errorsOf } from './forbidden.ts';
import { type Inside, listenInside } from './inside.ts';

/** How hard to attack. */
export interface AttackOptions {
  readonly engine: Engine;
  readonly attacks: readonly AttackName[];
  /** How long each attack is watched, and the quiet before. */
  readonly durationMs: number;
  readonly idleConnections: number;
  /** More memory than this is an error. */
  readonly maxMemoryBytes: number;
  /** The program of the service and its arguments; the sources by default. */
  readonly program?: readonly [string, ...string[]];
}

/** Settings of the C library that ops/latchkey.service and ops/Dockerfile have; without them it keeps 100 MB more. */
const AS_IN_PRODUCTION = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };
/** Licenses with names as long as they may be, of a creator whose API key an attacker has. */
const LISTED_LICENSES = 500;
/** Their creator and product. */
const CREATOR = 'creator';
const PRODUCT = 'p'.repeat(255);
/** Who never asked for a key. */
const STRANGER = 'stranger@example.com';
/** Whose operator key the attackers have. */
const LOST_KEY = 'Somebody who lost a key';
/** Events of the sign-ins with one key in an hour, and of the sessions that these end. */
const MAX_SIGN_IN_EVENTS = 2;
/** Licenses whose keys the attackers know. */
const KNOWN_LICENSES = 20;
/**
 * Open violations of one license are small, however long the names in refused calls are, and however many there were.
 */
const MAX_EVIDENCE_CHARACTERS = 20 * 1024;
/** A service that has not ended by then never will. */
const STOP_TIMEOUT_MS = 60_000;
/** Files that a process has open besides connections, with room to spare. */
const OTHER_FILES = 500;

/** How many connections each of two processes, the attacker and the service, can have open here. */
export function maxConnections(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { hard: number | 'unlimited' } } };
  const hard = userLimits?.open_files?.hard ?? 1024;
  return hard === 'unlimited' ? Number.POSITIVE_INFINITY : Math.max(0, hard - OTHER_FILES);
}

/** Runs the attacks one after the other against one service; `say` gets the report of each as it ends. */
export async function runAttacks(options: AttackOptions, say: (report: AttackReport) => void): Promise<AttackReport[]> {
  const database = await freshDatabase(options.engine);
  // So that the file that is looked at is the service's.
  const ofFile = database.database.engine === 'sqlite' ? { LATCHKEY_DATA_DIR: dirname(database.database.file) } : {};
  const inside = await listenInside();
  const ofDeliveries = { LATCHKEY_SECRETS_KEY: 'a-secrets-key-of-the-tests', LATCHKEY_DELIVERY_DNS: inside.nameServer };
  const ofPages = { LATCHKEY_SELF_SERVICE: 'on', LATCHKEY_PUBLIC_URL: 'https://licenses.example.com' };
  const mailServer = await MailServer.start();
  const ofMail = {
    LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
    LATCHKEY_MAIL_FROM: 'Licenses <licenses@example.com>',
  };
  const environment = { ...AS_IN_PRODUCTION, ...ofFile, ...ofDeliveries, ...ofPages, ...ofMail };
  const server = await startServerProcess(database.database, environment, options.program);
  const reports: AttackReport[] = [];
  const add = (report: AttackReport) => {
    reports.push(report);
    say(report);
  };
  try {
    const admin = async (path: string, fields: object) => {
      // A busy machine may find the service overloaded already while everything is prepared.
      for (;;) {
        const answer = await server.send(path, { adminSecret: ADMIN_SECRET, ...fields });
        if (answer.status !== 503) return answer;
        await wait(1_000);
      }
    };
    const license = async () =>
      (await admin('/createLicense', { email: 'ada@example.com', productId: 'app', maxMachines: 1 })).body.licenseKey;
    const customer = await new Machine(server, await license()).activated();
    const licenseKeys: string[] = await Promise.all(Array.from({ length: KNOWN_LICENSES }, license));
    const sessions: object[] = [];
    for (const licenseKey of licenseKeys) {
      const { fingerprint: machineFingerprint, token } = await new Machine(server, licenseKey, 'owner').activated();
      sessions.push({ licenseKey, machineFingerprint, token });
    }
    const { body } = await admin('/createDiscountCode', { code: 'POSTER', trialDays: 14, productId: 'app' });
    const job = {
      ...{ port: server.port, idleConnections: options.idleConnections, trialCode: body.code, licenseKeys },
      apiKey: await longListed(admin),
      viewerCookie: await viewerCookie(server, admin),
      operatorKey: await viewerKey(admin, LOST_KEY),
      sessions,
      mailedKeys: await mailedKeys(admin),
      ...{ insidePort: inside.port, insideNames: inside.names },
    };

    const judges: Partial<Record<AttackName, () => Promise<readonly string[]>>> = {
      'refused calls with long names': () => evidenceErrors(admin, licenseKeys),
      'sign-ins without end': () => signInErrors(admin),
      'destinations that point inside': () => destinationErrors(admin, inside),
      'keys that are mailed without end': async () => relayErrors(mailServer),
    };

    // The service runs its first calls slowly, so these are not compared with the attacks.
    await beCustomer(server.port, customer, Math.min(2_000, options.durationMs));
    const { apiKey } = await mustSucceed(admin('/createApiKey', { creatorId: 'bystander', name: 'key' }));
    const watchedServer = { server, database: database.database, bystanders: callsOfBystanders(server, apiKey) };
    add(await watched(options, watchedServer, customer, null));
    for (const [index, attack] of options.attacks.entries()) {
      // Each attack has its own network, because an earlier attack has used up the limits of its network. Linux has all
      // of 127.0.0.0/8; elsewhere the attacks share the customer's address.
      const localAddress = platform() === 'linux' ? `127.0.0.${10 + index}` : undefined;
      const isOfSixteen = platform() === 'linux' && FROM_SIXTEEN_NETWORKS.has(attack);
      const networks = isOfSixteen ? Array.from({ length: 16 }, (_, at) => `127.1.${index}.${at + 1}`) : [];
      const report = await watched(options, watchedServer, customer, { ...job, attack, localAddress, networks });
      add({ ...report, errors: [...report.errors, ...((await judges[attack]?.()) ?? [])] });
    }
    return reports;
  } finally {
    await server.kill();
    inside.close();
    await mailServer.close();
    await database.remove();
  }
}

type Admin = (path: string, fields: object) => ReturnType<ServerProcess['send']>;

/** An API key of a creator whose list of licenses has half a megabyte. */
async function longListed(admin: Admin): Promise<string> {
  const [creatorId, productId] = [CREATOR, PRODUCT];
  await mustSucceed(admin('/createProduct', { creatorId, slug: productId, name: productId }));
  const order = { productId, variant: 'v'.repeat(255), maxMachines: 1 };
  const AT_ONCE = 50;
  for (let from = 0; from < LISTED_LICENSES; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) =>
        mustSucceed(admin('/createLicense', { ...order, email: `${from + at}@`.padEnd(320, 'e') })),
      ),
    );
  return (await mustSucceed(admin('/createApiKey', { creatorId, name: 'key' }))).apiKey;
}

/** Keys of licenses of that creator for the address of a stranger. */
function mailedKeys(admin: Admin): Promise<readonly string[]> {
  const order = { productId: PRODUCT, email: STRANGER };
  return Promise.all(
    Array.from({ length: KNOWN_LICENSES }, async () => (await mustSucceed(admin('/createLicense', order))).licenseKey),
  );
}

/** An error if a stranger got more e-mails than an address may get. */
function relayErrors({ received }: MailServer): readonly string[] {
  const count = received.filter(({ to }) => to.includes(STRANGER)).length;
  if (count <= MAX_TO_ADDRESS) return [];
  return [`a stranger got ${count} e-mails with keys, ${MAX_TO_ADDRESS} at most are right`];
}

/** The cookie of a viewer of the console. */
async function viewerCookie(server: ServerProcess, admin: Admin): Promise<string> {
  const operatorKey = await viewerKey(admin, 'Viewer');
  const headers = { 'x-latchkey-console': '1', 'sec-fetch-site': 'same-origin' };
  const answer = await server.send('/createConsoleSession', { secret: operatorKey }, { headers });
  return String(answer.headers['set-cookie']).split(';')[0] ?? '';
}

async function viewerKey(admin: Admin, name: string): Promise<string> {
  return (await mustSucceed(admin('/createOperatorKey', { name, role: 'viewer' }))).operatorKey;
}

interface WatchedServer {
  readonly server: ServerProcess;
  readonly database: Database;
  readonly bystanders: ReturnType<typeof callsOfBystanders>;
}

/** The calls of the customer and of bystanders during an attack, or in the quiet. */
async function watched(
  { durationMs, maxMemoryBytes }: AttackOptions,
  { server, database, bystanders }: WatchedServer,
  machine: Machine,
  job: AttackJob | null,
): Promise<AttackReport> {
  const before = await storedIn(database);
  const attacker = job === null ? null : await startAttacker(job);
  const process = watchProcess(server.pid);
  const others = beBystanders(bystanders);
  const customer = await beCustomer(server.port, machine, durationMs);
  const meanwhile = await others.stop();
  const ended = job?.attack === 'slow connections at the end' ? await stopSlowly(server, attacker!) : undefined;
  const seen = process.stop();
  const { statuses, cut } = (await attacker?.end()) ?? { statuses: {}, cut: 0 };
  const { bytes, keptAnswers } = await storedIn(database);
  const stored = { growthBytes: bytes - before.bytes, keptAnswers };
  const report = {
    attack: job?.attack ?? null,
    customer,
    meanwhile,
    statuses,
    cut,
    ...seen,
    ...stored,
    ...(ended && { ended }),
  };
  const errors = errorsOf(report, maxMemoryBytes, durationMs);
  const apps = job?.attack === 'a campus of apps' ? job.idleConnections : 0;
  const served = statuses['200'] ?? 0;
  if (served < apps) errors.push(`${served} of the ${apps} apps of a campus were answered`);
  return { ...report, errors };
}

/** How large a database is, and how many answers it keeps. */
async function storedIn(database: Database): Promise<{ readonly bytes: number; readonly keptAnswers: number }> {
  const size =
    database.engine === 'sqlite'
      ? 'select page_count * page_size as number from pragma_page_count, pragma_page_size'
      : 'select pg_database_size(current_database()) as number';
  const numberOf = async (query: string) => Number((await rowOf(database, query))?.number);
  return {
    bytes: await numberOf(size),
    keptAnswers: await numberOf('select count(*) as number from idempotent_reply'),
  };
}

interface Attacker {
  /** Starts the part of the attack that comes right before the service ends. */
  stopping(): Promise<void>;
  /** Ends it and answers its tally; an attack that gets replies lasts until the first one. */
  end(): Promise<Exclude<FromAttacker, 'ready'>>;
}

/** Starts an attack, and waits until it is under way. */
async function startAttacker(job: AttackJob): Promise<Attacker> {
  const program = fileURLToPath(new URL('./attacker-process.ts', import.meta.url));
  const attacker = fork(program, { execArgv: [], env: processEnvironment });
  const say = (message: ToAttacker) => attacker.send(message);
  const said = async () => {
    const [message] = await Promise.race([
      once(attacker, 'message'),
      once(attacker, 'exit').then(() => {
        throw new Error(`the attacker ended by itself during ${job.attack}`);
      }),
    ]);
    return message as FromAttacker;
  };
  say({ job });
  await said();
  return {
    async stopping() {
      const ready = said();
      say('stopping');
      await ready;
    },
    async end() {
      const exited = once(attacker, 'exit');
      const tally = said();
      say(SILENT.has(job.attack) ? 'end' : 'end once answered');
      const message = await tally;
      await exited;
      return message as Exclude<FromAttacker, 'ready'>;
    },
  };
}

/** Asks the service to end while the attacker's connections are there. */
async function stopSlowly(server: ServerProcess, attacker: Attacker) {
  await attacker.stopping();
  const startedAt = performance.now();
  const timeout = new AbortController();
  const isTooLate = wait(STOP_TIMEOUT_MS, null, { signal: timeout.signal }).catch(() => null);
  const code = await Promise.race([server.stop(), isTooLate]);
  timeout.abort();
  return { tookMs: performance.now() - startedAt, code };
}

/** Samples a process; `stop` returns the peak and the total, or zeros on a system without /proc. */
function watchProcess(pid: number): { stop(): { peakMemoryBytes: number; writtenBytes: number } } {
  const startedWith = numberIn(`/proc/${pid}/io`, /^write_bytes: (\d+)$/m) ?? 0;
  let peakMemoryBytes = 0;
  let written = startedWith;
  const look = () => {
    peakMemoryBytes = Math.max(peakMemoryBytes, (numberIn(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB$/m) ?? 0) * 1024);
    written = numberIn(`/proc/${pid}/io`, /^write_bytes: (\d+)$/m) ?? written;
  };
  look();
  const timer = setInterval(look, 100);
  return {
    stop() {
      look();
      clearInterval(timer);
      return { peakMemoryBytes, writtenBytes: written - startedWith };
    },
  };
}

/** A number from a file of /proc; undefined if the process has ended, or there is no such file. */
function numberIn(file: string, pattern: RegExp): number | undefined {
  try {
    const found = pattern.exec(readFileSync(file, 'utf8'))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}

/** An error if the sign-ins with the lost key were recorded one by one. */
async function signInErrors(admin: Admin): Promise<readonly string[]> {
  const types = ['console_session.created', 'console_session.ended'];
  const { events } = await mustSucceed(admin('/listEvents', { types, limit: 1000 }));
  const ofKey = events.filter(({ actor }: { actor: { keyName: string | null } }) => actor.keyName === LOST_KEY).length;
  if (ofKey <= MAX_SIGN_IN_EVENTS) return [];
  return [`sign-ins with one key left ${ofKey} events, ${MAX_SIGN_IN_EVENTS} at most are right`];
}

/** An error where the violations of a license have grown beyond measure. */
async function evidenceErrors(admin: Admin, licenseKeys: readonly string[]): Promise<readonly string[]> {
  let largest = 0;
  // One after the other: the service may still be busy with the attack, and would refuse some of many calls at once.
  for (const licenseKey of licenseKeys) {
    const { violations } = await mustSucceed(admin('/getLicense', { licenseKey }));
    largest = Math.max(largest, JSON.stringify(violations).length);
  }
  if (largest <= MAX_EVIDENCE_CHARACTERS) return [];
  return [`the violations of one license have ${largest} characters, ${MAX_EVIDENCE_CHARACTERS} at most are right`];
}

/**
 * Makes an event for the destinations of the attacker; errors if one of them was sent anything or if the service
 * connected to the machine.
 */
async function destinationErrors(admin: Admin, inside: Inside): Promise<readonly string[]> {
  await mustSucceed(admin('/createLicense', { email: 'ada@example.com', productId: PRODUCT }));
  const { destinations } = await mustSucceed(admin('/listDestinations', { creatorId: CREATOR }));
  const outcomes = new Set<string>();
  for (const { destinationId } of destinations)
    for (let count = 0; count === 0; await wait(20)) {
      const { attempts } = await mustSucceed(admin('/listDeliveryAttempts', { destinationId }));
      count = attempts.length;
      for (const { outcome } of attempts) outcomes.add(outcome);
    }
  return [
    ...(destinations.length === 0 ? ['no name was accepted, so no look-up was tried'] : []),
    ...[...outcomes].filter((each) => each !== 'address_not_allowed').map((each) => `an attempt ended with ${each}`),
    ...(inside.connections() === 0 ? [] : [`the service made ${inside.connections()} connections to the machine`]),
  ];
}
