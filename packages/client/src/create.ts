/** Assembles a client from the app's options and its platform. */
import { Activation } from './activation.ts';
import { Checks } from './checks.ts';
import { FileRenewal } from './file-renewal.ts';
import { Latchkey } from './latchkey.ts';
import type { VerifySignature } from './license-file.ts';
import { LicenseRecord } from './license-record.ts';
import { MachineCalls } from './machine-calls.ts';
import { Metering } from './metering.ts';
import type { PlatformOptions, Processes } from './options.ts';
import type { RefusedUse } from './state.ts';
import { StateKeeper } from './state-keeper.ts';
import { MOST_USES } from './stored-state.ts';
import { type Build, isVersion } from './terms.ts';
import type { Transport } from './transport.ts';
import type { Clock } from './trusted-clock.ts';

/** The functions of a platform. */
export interface Platform {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly verifySignature: VerifySignature;
  readonly processes: Processes | null;
}

/** Creates a client. Throws a TypeError for invalid options. */
export function create(options: PlatformOptions, platform: Platform): Latchkey {
  const servers = serversOf(options.server);
  if ((options.publicKeys ?? []).length > 0 && !options.issuer)
    throw new TypeError('publicKeys need the issuer of the license files');
  if (!options.productId) throw new TypeError('productId is missing');
  const { offlineUses = 0 } = options;
  if (!Number.isSafeInteger(offlineUses) || offlineUses < 0 || offlineUses > MOST_USES)
    throw new TypeError(`offlineUses must be a whole number from 0 to ${MOST_USES}`);
  const build = buildOf(options);
  const { fingerprint, random = Math.random } = options;
  const clock = options.clock ?? platform.clock;
  const { processes, verifySignature } = platform;
  const keeper = new StateKeeper(options.storage, (detail) => latchkey.tellStorageProblem(detail));
  const record = new LicenseRecord({
    options,
    build,
    keeper,
    clock,
    random,
    fingerprint: typeof fingerprint === 'string' ? () => fingerprint : fingerprint,
    verifySignature,
  });
  const timeoutMs = options.requestTimeoutMs ?? 10_000;
  const line = { servers, transport: options.transport ?? platform.transport, timeoutMs };
  const monotonic = () => clock.monotonic();
  const calls = new MachineCalls({ options, line, record });
  const renewal = new FileRenewal({ line, record, calls, monotonic });
  const checks = new Checks({ options, record, calls, renewal, monotonic, random });
  const tellRefusedUse = (use: RefusedUse) => latchkey.tellRefusedUse(use);
  const metering = new Metering({ options, record, calls, checks, tellRefusedUse });
  const activation = new Activation({ options, record, calls, checks, renewal, metering });
  const latchkey = new Latchkey({ options, record, checks, metering, activation, clock, processes });
  return latchkey;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether only the service can answer. On this machine plain HTTP is as good: only its own programs answer there. */
function isTrusted(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}

/** The build of the app, whose covered updates the license states. */
function buildOf({ buildDate, version }: PlatformOptions): Build {
  const date = buildDate === undefined ? null : Date.parse(buildDate);
  if (Number.isNaN(date)) throw new TypeError(`buildDate ${buildDate} is not a date`);
  if (version !== undefined && !isVersion(version)) throw new TypeError(`version ${version} is not dotted numbers`);
  return { date, version: version ?? null };
}

/** The addresses without a trailing slash. Rejects plain HTTP, because anybody on the way could answer it. */
function serversOf(server: string | readonly string[]): readonly string[] {
  const servers = typeof server === 'string' ? [server] : server;
  if (servers.length === 0) throw new TypeError('server is missing');
  return servers.map((address) => {
    if (!isTrusted(address)) throw new TypeError(`${address} is not an https address`);
    return address.replace(/\/+$/, '');
  });
}
