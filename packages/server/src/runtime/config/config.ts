/**
 * The configuration: reads environment variables into one frozen record and reports every error at once.
 *
 * docs/operators/configuration.md describes each variable for operators; a test keeps the two in step.
 */

import type { BlockList } from 'node:net';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../ground/base/clock.ts';
import type { LicenseFileTerms } from '../../licensing/license-files/license-file.ts';
import type { CreatorQuotas } from '../../platform/endpoint/quotas.ts';
import { inSchema } from '../../storage/postgres/postgres-url.ts';
import { contradictions } from './contradictions.ts';
import {
  bytes,
  ConfigValueError,
  daysBefore,
  duration,
  type Form,
  headerName,
  host,
  hostNames,
  type LogLevel,
  label,
  logLevel,
  MIB,
  nameServers,
  networks,
  onOrOff,
  origins,
  orOff,
  orZero,
  path,
  postgresUrl,
  proxies,
  schemaName,
  secret,
  wholeNumber,
} from './forms.ts';
import type { DeliveryConfig, Limits, MailConfig } from './limits.ts';
import { MAIL_DEFAULTS, mailFrom, readMailConfig, smtpServer } from './mail.ts';
import { checkFiles } from './named-files.ts';
import { isServiceLink, unknownVariables } from './names.ts';
import { OIDC_DEFAULTS, type OidcConfig, readOidcConfig } from './oidc.ts';
import { OPERATOR_NOTICE_DEFAULTS, type OperatorNoticeConfig, readOperatorNotices } from './operator-notices.ts';
import { publicUrl, readSelfServiceConfig, type SelfServiceConfig, selfServiceMode } from './self-service.ts';

/**
 * Every variable that the service reads, with its default (null: no default).
 *
 * HOST is `localhost` because a service that has just been installed should not be reachable from the whole network
 * with secrets that nobody has checked yet; `::` opens it on every address of both families.
 */
export const DEFAULTS = {
  HOST: 'localhost',
  PORT: '8443',
  DATABASE_URL: null,
  LATCHKEY_DATABASE_SCHEMA: null,
  LATCHKEY_DATA_DIR: './data',
  LATCHKEY_ADMIN_SECRET: null,
  LATCHKEY_ADMIN_SECRET_PREVIOUS: null,
  LATCHKEY_WEBHOOK_SECRET: null,
  LATCHKEY_WEBHOOK_SECRET_PREVIOUS: null,
  LATCHKEY_TLS_CERT_FILE: null,
  LATCHKEY_TLS_KEY_FILE: null,
  LATCHKEY_TRUST_PROXY: null,
  LATCHKEY_ADDRESS_HEADER: null,
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
  LATCHKEY_KEYLESS_TRIAL_RATE: '20',
  LATCHKEY_PRODUCT_TRIAL_RATE: '1000',
  LATCHKEY_WRONG_SECRET_RATE: '20',
  LATCHKEY_CREATOR_SAVES: '50000',
  LATCHKEY_CREATOR_PRODUCTS: '1000',
  LATCHKEY_CREATOR_VARIANTS: '2000',
  LATCHKEY_CREATOR_CODES: '10000',
  LATCHKEY_CREATOR_LICENSES: '20000',
  LATCHKEY_CREATOR_NOTES: '50',
  LATCHKEY_CREATORS_MAY_CREATE_PRODUCTS: 'on',
  LATCHKEY_CREATORS_MAY_CREATE_DESTINATIONS: 'on',
  LATCHKEY_SECRETS_KEY: null,
  LATCHKEY_DELIVERIES: 'on',
  LATCHKEY_DELIVERY_RATE: '500',
  LATCHKEY_DELIVERY_GIVE_UP: '5d',
  LATCHKEY_EXPIRY_NOTICES: '7d,1d',
  LATCHKEY_DELIVERY_NETWORKS: null,
  LATCHKEY_DELIVERY_DENY_NETWORKS: null,
  LATCHKEY_DELIVERY_CA_FILE: null,
  LATCHKEY_DELIVERY_DNS: null,
  ...MAIL_DEFAULTS,
  ...OPERATOR_NOTICE_DEFAULTS,
  LATCHKEY_PUBLIC_URL: null,
  LATCHKEY_SELF_SERVICE: 'off',
  LATCHKEY_SELF_SERVICE_RELEASES: '20',
  LATCHKEY_SELF_SERVICE_FILES: 'off',
  LATCHKEY_CONSOLE: 'on',
  LATCHKEY_CONSOLE_LABEL: null,
  LATCHKEY_CONSOLE_SECRET_SIGN_IN: 'on',
  ...OIDC_DEFAULTS,
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

export type Variable = keyof typeof DEFAULTS;
type VariableWithDefault = { [Name in Variable]: (typeof DEFAULTS)[Name] extends string ? Name : never }[Variable];

/** Environment variables, as `process.env` holds them. A variable set to the empty string counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The operator's settings. Paths are absolute. */
export interface Config {
  /** The address or name to listen on. `localhost` means both loopback addresses, 127.0.0.1 and ::1. */
  readonly host: string;
  /** 0 lets the system choose a free port. */
  readonly port: number;
  /** Directory of the SQLite database, and of the secrets and the certificate that the service makes for itself. */
  readonly dataDirectory: string;
  /** File that each backup touches: its age is the age of the newest backup. */
  readonly backupMark: string;
  readonly database:
    | { readonly engine: 'sqlite'; readonly file: string }
    | {
        readonly engine: 'postgres';
        readonly url: string;
        readonly poolSize: number;
        /** Connections of the pool that are reserved for the five client endpoints; always less than `poolSize`. */
        readonly reservedConnections: number;
        /** Longest time that a start waits for a database server that is not reachable yet. */
        readonly waitMs: number;
      };
  /** Null: the one kept in the data directory is used (secrets.ts). */
  readonly adminSecret: string | null;
  /** Null: the one kept in the data directory is used (secrets.ts). */
  readonly webhookSecret: string | null;
  /** Also accepted as the admin secret while callers change over; null: none. */
  readonly previousAdminSecret: string | null;
  /** Also accepted as the webhook secret while callers change over; null: none. */
  readonly previousWebhookSecret: string | null;
  /** The operator's own certificate; null: a self-signed one is used (runtime/http/certificate.ts). */
  readonly tlsFiles: { readonly certificateFile: string; readonly keyFile: string } | null;
  /**
   * The proxies in front of the service. When not null, the proxies carry the HTTPS: the service itself speaks plain
   * HTTP, to these addresses only (rules 1.1), and trusts their forwarding headers.
   */
  readonly trustedProxies: BlockList | null;
  /** Lower-case name of the header in which the proxies state the client's address; null: X-Forwarded-For. */
  readonly addressHeader: string | null;
  /** Lifetime of a session token. */
  readonly tokenLifetimeMs: number;
  /** Time after which a floating session without a sign of life ends (rules 8.1). */
  readonly floatingTimeoutMs: number;
  /** Lifetimes of license files. */
  readonly licenseFiles: LicenseFileTerms;
  /** File with the keys that sign license files; null: the keys in the database sign. */
  readonly signingKeyFile: string | null;
  /** Origins of web pages from which browsers may call the client endpoints; `*` allows all, null allows none. */
  readonly corsOrigins: ReadonlySet<string> | '*' | null;
  /** Retention of events; notes are kept for ever (rules 10.5). */
  readonly eventRetentionMs: number;
  /** Longest time for a request to arrive, its body included. */
  readonly requestTimeoutMs: number;
  /** Time for which the service still answers but reports that it is not ready, before it stops. */
  readonly drainTimeMs: number;
  /** Limits on strangers and single callers: calls at once and calls over time. */
  readonly limits: Limits;
  /** Number of uses of each quota of a creator within 24 hours; null for no limit. */
  readonly creatorQuotas: CreatorQuotas;
  /** True if an API key may call /createProduct. */
  readonly creatorsMayCreateProducts: boolean;
  /** True if an API key may call /createDestination. */
  readonly creatorsMayCreateDestinations: boolean;
  /** The text that seals secrets of destinations; null: with SQLite the one kept in the data directory (secrets.ts). */
  readonly secretsKey: string | null;
  /** Settings of the events that are sent. */
  readonly deliveries: DeliveryConfig;
  /** Settings of e-mails; null: the service sends no e-mail. */
  readonly mail: MailConfig | null;
  /** Whether buyers get e-mails about events of the storefront that do not say so themselves. */
  readonly mailsStorefront: boolean;
  /** Null: the operator gets no e-mails. */
  readonly operatorNotices: OperatorNoticeConfig | null;
  /** The address of the service for browsers, such as `https://licenses.example.com`; null: not set. */
  readonly publicUrl: string | null;
  /** Null: there are no pages for customers. */
  readonly selfService: SelfServiceConfig | null;
  /** Null: the service serves neither the console nor its sessions. The console shows the label; null: none. */
  readonly console: { readonly label: string | null; readonly takesAdminSecret: boolean } | null;
  /** Null: nobody signs in to the console with an account of an identity provider. */
  readonly oidc: OidcConfig | null;
  /** Lower-case name of the request header that carries the caller's country. */
  readonly countryHeader: string | null;
  readonly geoipFile: string | null;
  readonly logLevel: LogLevel;
  /**
   * The address of the metrics port, and its accepted host names besides those known to the service; null: no metrics
   * port, and no measurements. Port 0 lets the system choose.
   */
  readonly metrics: { readonly host: string; readonly port: number; readonly names: readonly string[] } | null;
}

/** The configuration cannot be used. The message has one line per error and never contains a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.join('\n'));
    this.errors = errors;
  }
}

/**
 * Reads the configuration from the environment alone, without examining files.
 *
 * Relative paths start at `INIT_CWD`, the directory in which npm was called, otherwise at the working directory: npm
 * changes into the package before it runs a script, and the data should not land there.
 *
 * @throws ConfigError naming every variable that is wrong, and every `LATCHKEY_` variable that does not exist
 */
export function readConfig(environment: Environment): Config {
  const { config, errors } = inspect(environment);
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}

/**
 * Reads the configuration as {@link readConfig} does, and checks its files with {@link checkFiles}.
 *
 * @throws ConfigError naming the errors of both
 */
export function loadConfig(environment: Environment): Config {
  const { config, errors } = inspect(environment);
  errors.push(...checkFiles(config));
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}

/** Returns the configuration, with defaults for the variables that are wrong, and the errors. */
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

  function limit<Value>(name: VariableWithDefault, form: Form<Value>): Value | null {
    const value = required(name, orOff(form));
    return value === 'off' ? null : value;
  }

  const certificateFile = optional('LATCHKEY_TLS_CERT_FILE', file);
  const keyFile = optional('LATCHKEY_TLS_KEY_FILE', file);
  const dataDirectory = required('LATCHKEY_DATA_DIR', file);
  const givenUrl = optional('DATABASE_URL', postgresUrl);
  const schema = optional('LATCHKEY_DATABASE_SCHEMA', schemaName);
  const databaseUrl = givenUrl === null || schema === null ? givenUrl : inSchema(givenUrl, schema);
  const poolSize = required('LATCHKEY_POSTGRES_POOL', wholeNumber(1, 1000));
  const reserved = required('LATCHKEY_POSTGRES_RESERVED', orOff(wholeNumber(1, 999)));
  // A pool that is smaller than the default reserve keeps one connection for everybody else.
  const reservedConnections = Math.min(reserved === 'off' ? 0 : reserved, poolSize - 1);
  const waitMs = limit('LATCHKEY_DATABASE_WAIT', orZero(duration(0, HOUR_MS, 'from 0s to 1h'))) ?? 0;
  const metricsPort = isServiceLink('LATCHKEY_METRICS_PORT', environment.LATCHKEY_METRICS_PORT ?? '')
    ? null
    : optional('LATCHKEY_METRICS_PORT', wholeNumber(0, 65_535));
  const metricsHost = optional('LATCHKEY_METRICS_HOST', host) ?? 'localhost';
  const metricsNames = optional('LATCHKEY_METRICS_NAMES', hostNames) ?? [];
  const serviceUrl = optional('LATCHKEY_PUBLIC_URL', publicUrl);
  const consoleLabel = optional('LATCHKEY_CONSOLE_LABEL', label);
  const takesAdminSecret = required('LATCHKEY_CONSOLE_SECRET_SIGN_IN', onOrOff);
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
    addressHeader: optional('LATCHKEY_ADDRESS_HEADER', headerName),
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
      keylessTrials: Object.freeze({
        ofNetwork: limit('LATCHKEY_KEYLESS_TRIAL_RATE', wholeNumber(1, 100_000)),
        ofProduct: limit('LATCHKEY_PRODUCT_TRIAL_RATE', wholeNumber(1, 1_000_000)),
      }),
      wrongSecretsPerMinute: limit('LATCHKEY_WRONG_SECRET_RATE', wholeNumber(1, 100_000)),
    }),
    creatorQuotas: Object.freeze({
      saves: limit('LATCHKEY_CREATOR_SAVES', wholeNumber(1, 100_000_000)),
      products: limit('LATCHKEY_CREATOR_PRODUCTS', wholeNumber(1, 100_000_000)),
      variants: limit('LATCHKEY_CREATOR_VARIANTS', wholeNumber(1, 100_000_000)),
      codes: limit('LATCHKEY_CREATOR_CODES', wholeNumber(1, 100_000_000)),
      licenses: limit('LATCHKEY_CREATOR_LICENSES', wholeNumber(1, 100_000_000)),
      notes: limit('LATCHKEY_CREATOR_NOTES', wholeNumber(1, 100_000_000)),
    }),
    creatorsMayCreateProducts: required('LATCHKEY_CREATORS_MAY_CREATE_PRODUCTS', onOrOff),
    creatorsMayCreateDestinations: required('LATCHKEY_CREATORS_MAY_CREATE_DESTINATIONS', onOrOff),
    secretsKey: optional('LATCHKEY_SECRETS_KEY', secret),
    deliveries: Object.freeze({
      isOn: required('LATCHKEY_DELIVERIES', onOrOff),
      perSecond: limit('LATCHKEY_DELIVERY_RATE', wholeNumber(1, 10_000)),
      expiryNoticesMs: limit('LATCHKEY_EXPIRY_NOTICES', daysBefore(5, 365)),
      giveUpMs: required('LATCHKEY_DELIVERY_GIVE_UP', duration(HOUR_MS, 30 * DAY_MS, 'from 1h to 30d')),
      networks: optional('LATCHKEY_DELIVERY_NETWORKS', networks) ?? [],
      deniedNetworks: optional('LATCHKEY_DELIVERY_DENY_NETWORKS', networks) ?? [],
      caFile: optional('LATCHKEY_DELIVERY_CA_FILE', file),
      nameServers: optional('LATCHKEY_DELIVERY_DNS', nameServers),
    }),
    mail: readMailConfig({
      server: optional('LATCHKEY_SMTP_URL', smtpServer),
      ownName: optional('LATCHKEY_SMTP_NAME', host) ?? (serviceUrl === null ? null : new URL(serviceUrl).hostname),
      plainHost: optional('LATCHKEY_SMTP_PLAIN', host),
      from: optional('LATCHKEY_MAIL_FROM', mailFrom),
      caFile: optional('LATCHKEY_SMTP_CA_FILE', file),
      perHour: limit('LATCHKEY_MAIL_RATE', wholeNumber(1, 1_000_000)),
    }),
    mailsStorefront: required('LATCHKEY_MAIL_STOREFRONT', onOrOff),
    operatorNotices: readOperatorNotices(optional),
    publicUrl: serviceUrl,
    selfService: readSelfServiceConfig({
      mode: required('LATCHKEY_SELF_SERVICE', selfServiceMode),
      maxReleases: limit('LATCHKEY_SELF_SERVICE_RELEASES', wholeNumber(1, 1_000)),
      makesFiles: required('LATCHKEY_SELF_SERVICE_FILES', onOrOff),
      publicUrl: serviceUrl,
    }),
    console: required('LATCHKEY_CONSOLE', onOrOff) ? Object.freeze({ label: consoleLabel, takesAdminSecret }) : null,
    oidc: readOidcConfig(optional, file, serviceUrl),
    countryHeader: optional('LATCHKEY_COUNTRY_HEADER', headerName),
    geoipFile: optional('LATCHKEY_GEOIP_FILE', file),
    logLevel: required('LATCHKEY_LOG_LEVEL', logLevel),
    metrics: metricsPort === null ? null : Object.freeze({ host: metricsHost, port: metricsPort, names: metricsNames }),
  };
  errors.push(...contradictions(environment, config));
  return { config: Object.freeze(config), errors };
}
