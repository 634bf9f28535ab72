/**
 * The configuration: environment variables in, one frozen record out, every error named at once.
 *
 * docs/configuration.md describes each variable for operators; a test keeps the two in step.
 */
import { accessSync, constants, type Stats, statSync } from 'node:fs';
import type { BlockList } from 'node:net';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './clock.ts';
import {
  bytes,
  ConfigValueError,
  duration,
  type Form,
  headerName,
  host,
  hostNames,
  type LogLevel,
  label,
  logLevel,
  MIB,
  onOrOff,
  origins,
  orOff,
  orZero,
  path,
  postgresUrl,
  proxies,
  secret,
  wholeNumber,
} from './config-forms.ts';
import { isServiceLink, unknownVariables } from './config-names.ts';
import type { LicenseFileTerms } from './license-files/license-file.ts';

/**
 * Every variable the service reads, with the text that stands in where it is not set (null: nothing does).
 *
 * HOST is `localhost` because a service that has just been tried out should not be reachable from the whole network
 * with secrets nobody has looked at yet; `::` opens it on every address of both families.
 */
export const DEFAULTS = {
  HOST: 'localhost',
  PORT: '8443',
  DATABASE_URL: null,
  LATCHKEY_DATA_DIR: './data',
  LATCHKEY_ADMIN_SECRET: null,
  LATCHKEY_ADMIN_SECRET_PREVIOUS: null,
  LATCHKEY_WEBHOOK_SECRET: null,
  LATCHKEY_WEBHOOK_SECRET_PREVIOUS: null,
  LATCHKEY_TLS_CERT_FILE: null,
  LATCHKEY_TLS_KEY_FILE: null,
  LATCHKEY_TRUST_PROXY: null,
  LATCHKEY_TOKEN_LIFETIME: '30d',
  LATCHKEY_FLOATING_TIMEOUT: '15m',
  LATCHKEY_LICENSE_FILE_LIFETIME: '30d',
  LATCHKEY_FLOATING_FILE_LIFETIME: '1d',
  LATCHKEY_LICENSE_FILE_LEEWAY: '3d',
  LATCHKEY_SIGNING_KEY_FILE: null,
  LATCHKEY_CORS_ORIGINS: null,
  LATCHKEY_EVENT_RETENTION: '400d',
  LATCHKEY_REQUEST_TIMEOUT: '30s',
  LATCHKEY_DRAIN_TIME: '0s',
  LATCHKEY_CONNECTION_CALLS: '64',
  LATCHKEY_NETWORK_CALLS: '64',
  LATCHKEY_CONNECTIONS: null,
  LATCHKEY_NETWORK_CONNECTIONS: '2000',
  LATCHKEY_UNSENT_BYTES: '64M',
  LATCHKEY_QUEUE_WAIT: '2s',
  LATCHKEY_TRIAL_RATE: '60',
  LATCHKEY_WRONG_SECRET_RATE: '20',
  LATCHKEY_CREATORS_MAY_CREATE_PRODUCTS: 'on',
  LATCHKEY_CONSOLE: 'on',
  LATCHKEY_CONSOLE_LABEL: null,
  LATCHKEY_COUNTRY_HEADER: null,
  LATCHKEY_GEOIP_FILE: null,
  LATCHKEY_LOG_LEVEL: 'info',
  LATCHKEY_METRICS_PORT: null,
  LATCHKEY_METRICS_HOST: null,
  LATCHKEY_METRICS_NAMES: null,
  LATCHKEY_BACKUP_MARK: null,
  LATCHKEY_DATABASE_WAIT: '60s',
  LATCHKEY_POSTGRES_POOL: '10',
  LATCHKEY_POSTGRES_RESERVED: '4',
} as const satisfies Record<string, string | null>;

/** The name of a variable the service reads. */
export type Variable = keyof typeof DEFAULTS;
type VariableWithDefault = { [Name in Variable]: (typeof DEFAULTS)[Name] extends string ? Name : never }[Variable];

/** Environment variables, as `process.env` holds them. A variable set to the empty string counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the operator decided. Paths are absolute. */
export interface Config {
  /** Where to listen: an address or a name. `localhost` means both loopback addresses, 127.0.0.1 and ::1. */
  readonly host: string;
  /** 0 lets the system choose a free port. */
  readonly port: number;
  /** Holds the SQLite database and whatever secrets and certificate the service makes for itself. */
  readonly dataDirectory: string;
  /** The file that each backup touches: its age is that of the newest backup. */
  readonly backupMark: string;
  readonly database:
    | { readonly engine: 'sqlite'; readonly file: string }
    | {
        readonly engine: 'postgres';
        readonly url: string;
        readonly poolSize: number;
        /** Connections of the pool that only the five client endpoints may take; always less than `poolSize`. */
        readonly reservedConnections: number;
        /** How long a start waits for a server that is not there yet. */
        readonly waitMs: number;
      };
  /** Null: the one kept in the data directory is used (secrets.ts). */
  readonly adminSecret: string | null;
  /** Null: the one kept in the data directory is used (secrets.ts). */
  readonly webhookSecret: string | null;
  /** Accepted beside the admin secret while callers change over; null: none. */
  readonly previousAdminSecret: string | null;
  /** Accepted beside the webhook secret while callers change over; null: none. */
  readonly previousWebhookSecret: string | null;
  /** The operator's own certificate; null: a self-signed one is used (http/certificate.ts). */
  readonly tlsFiles: { readonly certificateFile: string; readonly keyFile: string } | null;
  /**
   * The proxies in front of the service. When not null they carry the HTTPS: the service itself speaks plain HTTP, to
   * these addresses only (rules 1.1), and believes what their forwarding headers say.
   */
  readonly trustedProxies: BlockList | null;
  /** How long a session token lasts. */
  readonly tokenLifetimeMs: number;
  /** How long a floating session lives without a sign of life (rules 8.1). */
  readonly floatingTimeoutMs: number;
  /** How long license files last. */
  readonly licenseFiles: LicenseFileTerms;
  /** Holds the keys that sign license files; null: those of the database do. */
  readonly signingKeyFile: string | null;
  /** From pages of which origins browsers may call the client endpoints; `*` is all, null is none. */
  readonly corsOrigins: ReadonlySet<string> | '*' | null;
  /** How long events are kept; notes are kept for ever (rules 10.5). */
  readonly eventRetentionMs: number;
  /** How long a request may take to arrive, its body included. */
  readonly requestTimeoutMs: number;
  /** How long the service goes on answering, but says that it is not ready, before it stops. */
  readonly drainTimeMs: number;
  /** What strangers and single callers may ask of the service at once and over time. */
  readonly limits: Limits;
  /** Whether an API key may call /createProduct. */
  readonly creatorsMayCreateProducts: boolean;
  /** Null: neither the files of the console nor its sessions are served. The label is shown in it; null: none. */
  readonly console: { readonly label: string | null } | null;
  /** Lower-case name of the request header that carries the caller's country. */
  readonly countryHeader: string | null;
  readonly geoipFile: string | null;
  readonly logLevel: LogLevel;
  /**
   * Where metrics can be scraped, and by which host names beside those the service knows itself; null: nowhere, and nothing
   * is measured. Port 0 lets the system choose.
   */
  readonly metrics: { readonly host: string; readonly port: number; readonly names: readonly string[] } | null;
}

/** Limits that keep one caller from harming the others (docs/security.md). Null: the limit is off. */
export interface Limits {
  /** Calls of one connection that may be under way at once; at so many, reading from it pauses. */
  readonly callsPerConnection: number | null;
  /**
   * Calls of one network outside the five client endpoints that may be under way at once, where they show neither the
   * admin nor the webhook secret.
   */
  readonly callsPerNetwork: number | null;
  /** Open connections altogether; null: as many as open files and memory allow. */
  readonly connections: number | null;
  /** Open connections of one network that is no proxy's. */
  readonly connectionsPerNetwork: number | null;
  /** Bytes of answers that may be in memory because their readers have not taken them. Never off. */
  readonly unsentBytes: number;
  /** How long a call outside the five client endpoints may have to wait for its turn before it is refused instead. */
  readonly queueWaitMs: number | null;
  /** Trial codes that one network may redeem in an hour without a credential. */
  readonly trialsPerHour: number | null;
  /** Wrong admin secrets, webhook secrets and API keys that one network may show in a minute. */
  readonly wrongSecretsPerMinute: number | null;
}

/** What the operator set up cannot be used. The message has one line per error and never the value of a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.join('\n'));
    this.errors = errors;
  }
}

/**
 * Reads the configuration from the environment alone; files are not looked at.
 *
 * Relative paths start at `INIT_CWD`, where npm says it was called, else at the working directory: npm moves into the
 * package before it runs a script, and the data should not land there.
 *
 * @throws ConfigError naming every variable that is wrong, and every `LATCHKEY_` variable that does not exist
 */
export function readConfig(environment: Environment): Config {
  const { config, errors } = inspect(environment);
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}

/**
 * What {@link readConfig} reads, once {@link checkFiles} has nothing against it either.
 *
 * @throws ConfigError naming the errors of both
 */
export function loadConfig(environment: Environment): Config {
  const { config, errors } = inspect(environment);
  errors.push(...checkFiles(config));
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}

/**
 * The errors of the files a configuration names: each must be a file that can be read. What is in them is not checked.
 */
export function checkFiles(config: Config): string[] {
  const named: [Variable, string | undefined | null][] = [
    ['LATCHKEY_TLS_CERT_FILE', config.tlsFiles?.certificateFile],
    ['LATCHKEY_TLS_KEY_FILE', config.tlsFiles?.keyFile],
    ['LATCHKEY_GEOIP_FILE', config.geoipFile],
    ['LATCHKEY_SIGNING_KEY_FILE', config.signingKeyFile],
  ];
  const errors: string[] = [];
  for (const [name, file] of named) {
    if (!file) continue;
    const stats = statsOf(file);
    if (stats === undefined) errors.push(`${name} names ${file}, which does not exist`);
    else if (typeof stats === 'string')
      errors.push(`${name} names ${file}, which this user may not look at (${stats}): let it enter the folders above`);
    else if (stats.isDirectory()) errors.push(`${name} names ${file}, which is a directory; it must be a file`);
    else if (!isReadable(file)) errors.push(`${name} names ${file}, which this user may not read`);
  }
  const { dataDirectory } = config;
  const stats = statsOf(dataDirectory);
  if (typeof stats === 'string')
    errors.push(`LATCHKEY_DATA_DIR names ${dataDirectory}, which cannot be used (${stats})`);
  else if (stats?.isDirectory() === false)
    errors.push(`LATCHKEY_DATA_DIR names ${dataDirectory}, which is not a directory`);
  return errors;
}

/** What the system knows of a file: undefined where there is none, the code of the error where it may not be looked at. */
function statsOf(file: string): Stats | string | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

/** The configuration with defaults where a variable is wrong, and what is wrong. */
function inspect(environment: Environment): { config: Config; errors: string[] } {
  const errors = unknownVariables(environment, Object.keys(DEFAULTS));
  const file = path(environment.INIT_CWD ?? process.cwd());

  function optional<Value>(name: Variable, form: Form<Value>): Value | null {
    const text = environment[name] || DEFAULTS[name];
    if (text === null) return null;
    try {
      return form(text);
    } catch (error) {
      if (!(error instanceof ConfigValueError)) throw error;
      errors.push(`${name} ${error.message}`);
      return null;
    }
  }
  function required<Value>(name: VariableWithDefault, form: Form<Value>): Value {
    return optional(name, form) ?? form(DEFAULTS[name]);
  }

  function limit(name: VariableWithDefault, form: Form<number>): number | null {
    const value = required(name, orOff(form));
    return value === 'off' ? null : value;
  }

  const certificateFile = optional('LATCHKEY_TLS_CERT_FILE', file);
  const keyFile = optional('LATCHKEY_TLS_KEY_FILE', file);
  const dataDirectory = required('LATCHKEY_DATA_DIR', file);
  const databaseUrl = optional('DATABASE_URL', postgresUrl);
  const poolSize = required('LATCHKEY_POSTGRES_POOL', wholeNumber(1, 1000));
  const reserved = required('LATCHKEY_POSTGRES_RESERVED', orOff(wholeNumber(1, 999)));
  // A pool that is smaller than the default reserve keeps one connection for everybody else.
  const reservedConnections = Math.min(reserved === 'off' ? 0 : reserved, poolSize - 1);
  const databaseWait = required('LATCHKEY_DATABASE_WAIT', orOff(orZero(duration(0, HOUR_MS, 'from 0s to 1h'))));
  const waitMs = databaseWait === 'off' ? 0 : databaseWait;
  const metricsPort = isServiceLink('LATCHKEY_METRICS_PORT', environment.LATCHKEY_METRICS_PORT ?? '')
    ? null
    : optional('LATCHKEY_METRICS_PORT', wholeNumber(0, 65_535));
  const metricsHost = optional('LATCHKEY_METRICS_HOST', host) ?? 'localhost';
  const metricsNames = optional('LATCHKEY_METRICS_NAMES', hostNames) ?? [];
  const consoleLabel = optional('LATCHKEY_CONSOLE_LABEL', label);
  const config: Config = {
    host: required('HOST', host),
    port: required('PORT', wholeNumber(0, 65_535)),
    dataDirectory,
    backupMark: optional('LATCHKEY_BACKUP_MARK', file) ?? join(dataDirectory, 'last-backup'),
    database: Object.freeze(
      databaseUrl === null
        ? { engine: 'sqlite', file: join(dataDirectory, 'latchkey.db') }
        : { engine: 'postgres', url: databaseUrl, poolSize, reservedConnections, waitMs },
    ),
    adminSecret: optional('LATCHKEY_ADMIN_SECRET', secret),
    webhookSecret: optional('LATCHKEY_WEBHOOK_SECRET', secret),
    previousAdminSecret: optional('LATCHKEY_ADMIN_SECRET_PREVIOUS', secret),
    previousWebhookSecret: optional('LATCHKEY_WEBHOOK_SECRET_PREVIOUS', secret),
    tlsFiles: certificateFile !== null && keyFile !== null ? Object.freeze({ certificateFile, keyFile }) : null,
    trustedProxies: optional('LATCHKEY_TRUST_PROXY', proxies),
    tokenLifetimeMs: required('LATCHKEY_TOKEN_LIFETIME', duration(MINUTE_MS, 366 * DAY_MS, 'from 1m to 366d')),
    floatingTimeoutMs: required('LATCHKEY_FLOATING_TIMEOUT', duration(10_000, DAY_MS, 'from 10s to 1d')),
    licenseFiles: Object.freeze({
      lifetimeMs: limit('LATCHKEY_LICENSE_FILE_LIFETIME', duration(HOUR_MS, 366 * DAY_MS, 'from 1h to 366d')),
      floatingLifetimeMs: limit('LATCHKEY_FLOATING_FILE_LIFETIME', duration(MINUTE_MS, 30 * DAY_MS, 'from 1m to 30d')),
      leewayMs: required('LATCHKEY_LICENSE_FILE_LEEWAY', duration(0, 30 * DAY_MS, 'from 0s to 30d')),
    }),
    signingKeyFile: optional('LATCHKEY_SIGNING_KEY_FILE', file),
    corsOrigins: optional('LATCHKEY_CORS_ORIGINS', origins),
    eventRetentionMs: required('LATCHKEY_EVENT_RETENTION', duration(DAY_MS, 3660 * DAY_MS, 'from 1d to 3660d')),
    requestTimeoutMs: required('LATCHKEY_REQUEST_TIMEOUT', duration(1_000, 10 * MINUTE_MS, 'from 1s to 10m')),
    drainTimeMs: required('LATCHKEY_DRAIN_TIME', duration(0, 10 * MINUTE_MS, 'from 0s to 10m')),
    limits: Object.freeze({
      callsPerConnection: limit('LATCHKEY_CONNECTION_CALLS', wholeNumber(1, 100_000)),
      callsPerNetwork: limit('LATCHKEY_NETWORK_CALLS', wholeNumber(1, 100_000)),
      connections: optional('LATCHKEY_CONNECTIONS', wholeNumber(1, 1_000_000)),
      connectionsPerNetwork: limit('LATCHKEY_NETWORK_CONNECTIONS', wholeNumber(1, 1_000_000)),
      unsentBytes: required('LATCHKEY_UNSENT_BYTES', bytes(4 * MIB, 4096 * MIB, 'from 4M to 4096M')),
      queueWaitMs: limit('LATCHKEY_QUEUE_WAIT', duration(1_000, MINUTE_MS, 'from 1s to 1m')),
      trialsPerHour: limit('LATCHKEY_TRIAL_RATE', wholeNumber(1, 100_000)),
      wrongSecretsPerMinute: limit('LATCHKEY_WRONG_SECRET_RATE', wholeNumber(1, 100_000)),
    }),
    creatorsMayCreateProducts: required('LATCHKEY_CREATORS_MAY_CREATE_PRODUCTS', onOrOff),
    console: required('LATCHKEY_CONSOLE', onOrOff) ? Object.freeze({ label: consoleLabel }) : null,
    countryHeader: optional('LATCHKEY_COUNTRY_HEADER', headerName),
    geoipFile: optional('LATCHKEY_GEOIP_FILE', file),
    logLevel: required('LATCHKEY_LOG_LEVEL', logLevel),
    metrics: metricsPort === null ? null : Object.freeze({ host: metricsHost, port: metricsPort, names: metricsNames }),
  };
  errors.push(...contradictions(environment, config));
  return { config: Object.freeze(config), errors };
}

/** Errors that no single variable has by itself. */
function contradictions(environment: Environment, config: Config): string[] {
  const errors: string[] = [];
  const hasCertificate = Boolean(environment.LATCHKEY_TLS_CERT_FILE);
  const hasKey = Boolean(environment.LATCHKEY_TLS_KEY_FILE);
  if (hasCertificate && !hasKey) errors.push('LATCHKEY_TLS_KEY_FILE must be set too when LATCHKEY_TLS_CERT_FILE is');
  if (hasKey && !hasCertificate) errors.push('LATCHKEY_TLS_CERT_FILE must be set too when LATCHKEY_TLS_KEY_FILE is');
  if (config.trustedProxies !== null && (hasCertificate || hasKey)) {
    errors.push(
      'LATCHKEY_TRUST_PROXY leaves HTTPS to the proxy, so LATCHKEY_TLS_CERT_FILE and LATCHKEY_TLS_KEY_FILE must not be set with it',
    );
  }
  for (const name of ['LATCHKEY_METRICS_HOST', 'LATCHKEY_METRICS_NAMES'])
    if (environment[name] && !environment.LATCHKEY_METRICS_PORT)
      errors.push(`LATCHKEY_METRICS_PORT must be set too when ${name} is`);
  if (config.metrics !== null && config.metrics.port !== 0 && config.metrics.port === config.port)
    errors.push('LATCHKEY_METRICS_PORT must differ from PORT');
  const admin = {
    LATCHKEY_ADMIN_SECRET: config.adminSecret,
    LATCHKEY_ADMIN_SECRET_PREVIOUS: config.previousAdminSecret,
  };
  const webhook = {
    LATCHKEY_WEBHOOK_SECRET: config.webhookSecret,
    LATCHKEY_WEBHOOK_SECRET_PREVIOUS: config.previousWebhookSecret,
  };
  for (const [name, secret] of Object.entries(webhook))
    for (const [other, its] of Object.entries(admin))
      if (secret !== null && secret === its) errors.push(`${name} must differ from ${other}`);
  return errors;
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
