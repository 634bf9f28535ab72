/** The two secrets of a deployment: the administrator's and the webhook's (specification, "Authentication"). */
import { join } from 'node:path';
import { type Config, ConfigError } from './config.ts';
import { secretFault } from './config-forms.ts';
import { accessWarnings, createOnce, makeDataDirectory } from './data-directory.ts';
import { mintSecret } from './random.ts';

/** The secrets in force, and where they are kept. */
export interface Secrets {
  readonly adminSecret: string;
  readonly webhookSecret: string;
  /** The file the secret came from; null when the configuration gave it. */
  readonly adminSecretFile: string | null;
  readonly webhookSecretFile: string | null;
  /** Sentences for the operator, without secrets in them. */
  readonly warnings: readonly string[];
}

/**
 * Makes the data directory and finds both secrets: those of the configuration, else those in the files `admin-secret`
 * and `webhook-secret` there. Files that do not exist are made, with 256 random bits each, for the owner alone.
 *
 * @throws ConfigError when a file holds no usable secret, or a secret of one kind, a previous one too, is one of the other
 */
export function openSecrets(config: Config): Secrets {
  const warnings = needsDataDirectory(config) ? makeDataDirectory(config.dataDirectory) : [];
  const admin = findSecret(config, config.adminSecret, 'admin-secret', 'lka_');
  const webhook = findSecret(config, config.webhookSecret, 'webhook-secret', 'lkw_');
  const faults = [...admin.faults, ...webhook.faults];
  if (admin.secret === webhook.secret) faults.push('the webhook secret must differ from the admin secret');
  const { previousAdminSecret, previousWebhookSecret } = config;
  if (previousAdminSecret === webhook.secret)
    faults.push('the webhook secret must differ from LATCHKEY_ADMIN_SECRET_PREVIOUS');
  if (previousWebhookSecret === admin.secret)
    faults.push('the admin secret must differ from LATCHKEY_WEBHOOK_SECRET_PREVIOUS');
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    adminSecret: admin.secret,
    webhookSecret: webhook.secret,
    adminSecretFile: admin.file,
    webhookSecretFile: webhook.file,
    warnings: [...warnings, ...admin.warnings, ...webhook.warnings, ...previousWarnings(config)],
  };
}

/** A previous secret that leaked, or that a former colleague knows, opens everything for as long as it is accepted. */
function previousWarnings({ previousAdminSecret, previousWebhookSecret }: Config): string[] {
  return [
    ['LATCHKEY_ADMIN_SECRET_PREVIOUS', previousAdminSecret] as const,
    ['LATCHKEY_WEBHOOK_SECRET_PREVIOUS', previousWebhookSecret] as const,
  ].flatMap(([variable, secret]) =>
    secret === null ? [] : [`the secret in ${variable} is still accepted; remove it when nobody uses it any more`],
  );
}

/** A node with PostgreSQL, given secrets and a given certificate or a proxy keeps nothing: its disk may be read-only. */
function needsDataDirectory(config: Config): boolean {
  const keepsCertificate = config.tlsFiles === null && config.trustedProxies === null;
  const keepsSecret = config.adminSecret === null || config.webhookSecret === null;
  return config.database.engine === 'sqlite' || keepsCertificate || keepsSecret;
}

interface FoundSecret {
  readonly secret: string;
  readonly file: string | null;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

function findSecret(config: Config, given: string | null, fileName: string, prefix: string): FoundSecret {
  if (given !== null) return { secret: given, file: null, faults: [], warnings: [] };
  const file = join(config.dataDirectory, fileName);
  // Editors end a file with a line break, which is no part of the secret.
  const secret = createOnce(file, () => `${prefix}${mintSecret(32)}\n`).trim();
  const fault = secretFault(secret);
  const warnings = accessWarnings(file);
  if (config.database.engine === 'postgres') {
    warnings.push(
      `the secret in ${file} is known to this node alone; every node on one database must be given the same`,
    );
  }
  return { secret, file, faults: fault === null ? [] : [`the secret in ${file} ${fault}`], warnings };
}
