/** The two secrets of a deployment: the administrator's and the webhook's (rules 5.1). */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mintSecret } from '../../ground/base/random.ts';
import { type Config, ConfigError } from './config.ts';
import { accessWarnings, createOnce, dataDirectoryFault, makeDataDirectory, readIfThere } from './data-directory.ts';
import { secretError } from './forms.ts';

const ADMIN_SECRET_FILE = 'admin-secret';
const WEBHOOK_SECRET_FILE = 'webhook-secret';
const SECRETS_KEY_FILE = 'secrets-key';

/** The secrets in force, and the files that hold them. */
export interface Secrets {
  readonly adminSecret: string;
  readonly webhookSecret: string;
  /** The file the secret came from; null when the configuration gave it. */
  readonly adminSecretFile: string | null;
  readonly webhookSecretFile: string | null;
  /** Warnings for the operator, without secrets. */
  readonly warnings: readonly string[];
}

/**
 * Makes the data directory and finds both secrets: those of the configuration, otherwise those in its files
 * `admin-secret` and `webhook-secret`. Missing files are made with 256 random bits each, readable by their owner alone.
 *
 * @throws ConfigError when a file holds no usable secret, or when a secret of one kind, also a previous one, equals one
 *   of the other
 */
export function openSecrets(config: Config): Secrets {
  const warnings = needsDataDirectory(config) ? makeDataDirectory(config.dataDirectory) : [];
  const admin = findSecret(config, config.adminSecret, ADMIN_SECRET_FILE, made('lka_'));
  const webhook = findSecret(config, config.webhookSecret, WEBHOOK_SECRET_FILE, made('lkw_'));
  const errors = errorsOf(config, admin, webhook);
  if (errors.length > 0) throw new ConfigError(errors);
  return {
    adminSecret: admin.secret,
    webhookSecret: webhook.secret,
    adminSecretFile: admin.file,
    webhookSecretFile: webhook.file,
    warnings: [...warnings, ...admin.warnings, ...webhook.warnings, ...previousWarnings(config)],
  };
}

/**
 * Opens the key that seals the secrets of destinations: the configured key or, with SQLite, the one in the file
 * `secrets-key`, which is created once with 256 random bits. Returns null with PostgreSQL and no configured key: all
 * nodes need the same key, so the service creates no file.
 */
export function openSecretsKey(config: Config): Uint8Array | null {
  return secretsKeyOf(config, made('lks_'));
}

/** Returns the key of {@link openSecretsKey} without creating one; null before it exists. */
export function findSecretsKey(config: Config): Uint8Array | null {
  return secretsKeyOf(config, readSecret);
}

function secretsKeyOf(
  { secretsKey, database, dataDirectory }: Config,
  read: (file: string) => string | null,
): Uint8Array | null {
  const text = secretsKey ?? (database.engine === 'sqlite' ? read(join(dataDirectory, SECRETS_KEY_FILE)) : null);
  return text === null ? null : hash('sha256', text, 'buffer');
}

/** Returns the admin secret that a service with this configuration has, without creating one; null before it exists. */
export function findAdminSecret(config: Config): string | null {
  return findSecret(config, config.adminSecret, ADMIN_SECRET_FILE, readSecret).secret;
}

/** Returns the webhook secret as {@link findAdminSecret} does. */
export function findWebhookSecret(config: Config): string | null {
  return findSecret(config, config.webhookSecret, WEBHOOK_SECRET_FILE, readSecret).secret;
}

/** Reads a secret. Editors end a file with a line break, which does not belong to it. */
function readSecret(file: string): string | null {
  return readIfThere(file)?.trim() ?? null;
}

/** Reads a secret as {@link readSecret} does, and makes a missing one. */
function made(prefix: string): (file: string) => string {
  return (file) => createOnce(file, () => `${prefix}${mintSecret(32)}\n`).trim();
}

/**
 * Checks the secrets as {@link openSecrets} does, without making anything.
 *
 * @returns the warnings for the operator
 * @throws ConfigError naming every error, including those of the data directory
 */
export function checkSecrets(config: Config): readonly string[] {
  const directoryFault = needsDataDirectory(config) ? dataDirectoryFault(config.dataDirectory) : null;
  if (directoryFault !== null) throw new ConfigError([directoryFault]);
  const isThere = needsDataDirectory(config) && existsSync(config.dataDirectory);
  const admin = findSecret(config, config.adminSecret, ADMIN_SECRET_FILE, readSecret);
  const webhook = findSecret(config, config.webhookSecret, WEBHOOK_SECRET_FILE, readSecret);
  const errors = errorsOf(config, admin, webhook);
  if (errors.length > 0) throw new ConfigError(errors);
  return [
    ...(isThere ? accessWarnings(config.dataDirectory) : []),
    ...[admin, webhook].flatMap((each) => each.warnings),
    ...previousWarnings(config),
  ];
}

/**
 * Returns the errors of both secrets, each by itself and compared with the others. A secret that is still to be made
 * differs from all others.
 */
function errorsOf(
  { previousAdminSecret, previousWebhookSecret }: Config,
  admin: FoundSecret<string | null>,
  webhook: FoundSecret<string | null>,
): string[] {
  const errors = [...admin.errors, ...webhook.errors];
  const isOne = (one: string | null, other: string | null) => one !== null && one === other;
  if (isOne(admin.secret, webhook.secret)) errors.push('the webhook secret must differ from the admin secret');
  if (isOne(previousAdminSecret, webhook.secret))
    errors.push('the webhook secret must differ from LATCHKEY_ADMIN_SECRET_PREVIOUS');
  if (isOne(previousWebhookSecret, admin.secret))
    errors.push('the admin secret must differ from LATCHKEY_WEBHOOK_SECRET_PREVIOUS');
  return errors;
}

/**
 * Returns a warning for each previous secret: a secret that leaked, or that a former colleague knows, opens everything
 * while it is accepted.
 */
function previousWarnings({ previousAdminSecret, previousWebhookSecret }: Config): string[] {
  return [
    ['LATCHKEY_ADMIN_SECRET_PREVIOUS', previousAdminSecret] as const,
    ['LATCHKEY_WEBHOOK_SECRET_PREVIOUS', previousWebhookSecret] as const,
  ].flatMap(([variable, secret]) =>
    secret === null ? [] : [`the secret in ${variable} is still accepted; remove it when nobody uses it any more`],
  );
}

/**
 * Whether the service writes to its data directory. With PostgreSQL, configured secrets, and a configured certificate
 * or a proxy it stores nothing: its disk may be read-only.
 */
function needsDataDirectory(config: Config): boolean {
  const keepsCertificate = config.tlsFiles === null && config.trustedProxies === null;
  const keepsSecret = config.adminSecret === null || config.webhookSecret === null;
  return config.database.engine === 'sqlite' || keepsCertificate || keepsSecret;
}

interface FoundSecret<Secret> {
  readonly secret: Secret;
  readonly file: string | null;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Returns the configured secret, otherwise the one that `read` returns from the file; `read` returns null before the
 * file exists.
 */
function findSecret<Secret extends string | null>(
  config: Config,
  given: string | null,
  fileName: string,
  read: (file: string) => Secret,
): FoundSecret<Secret | string> {
  if (given !== null) return { secret: given, file: null, errors: [], warnings: [] };
  const file = join(config.dataDirectory, fileName);
  const secret = read(file);
  if (secret === null) return { secret, file, errors: [], warnings: [] };
  const error = secretError(secret);
  const warnings = accessWarnings(file);
  if (config.database.engine === 'postgres') {
    warnings.push(`only this node knows the secret in ${file}; all nodes of one database need the same secret`);
  }
  return { secret, file, errors: error === null ? [] : [`the secret in ${file} ${error}`], warnings };
}
