/**
 * Reads environment variables into one frozen record and reports every error at once.
 *
 * docs/operators/configuration.md describes each variable for operators; a test keeps the two in step.
 */

import { join } from 'node:path';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../ground/base/clock.ts';
import { inSchema } from '../../storage/postgres/postgres-url.ts';
import { type Config, ConfigError } from './config.ts';
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
import { mailFrom, readMailConfig, smtpServer } from './mail.ts';
import { checkFiles } from './named-files.ts';
import { type Environment, isServiceLink, unknownVariables } from './names.ts';
import { readOidcConfig } from './oidc.ts';
import { readOperatorNotices } from './operator-notices.ts';
import { publicUrl, readSelfServiceConfig, selfServiceMode } from './self-service.ts';
import { DEFAULTS, type Variable, type VariableWithDefault } from './variables.ts';

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
