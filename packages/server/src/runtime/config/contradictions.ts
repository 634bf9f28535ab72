/** Finds settings that contradict each other, or that are incomplete without another one. */
import type { Config } from './config.ts';
import { mailContradictions } from './mail.ts';
import type { Environment } from './names.ts';
import { oidcContradictions } from './oidc.ts';
import { selfServiceContradictions } from './self-service.ts';

/** Returns the errors of variables that contradict each other. */
export function contradictions(environment: Environment, config: Config): string[] {
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
  if (environment.LATCHKEY_DATABASE_SCHEMA && !environment.DATABASE_URL)
    errors.push('DATABASE_URL must be set too when LATCHKEY_DATABASE_SCHEMA is: SQLite has no schemas');
  for (const name of ['LATCHKEY_METRICS_HOST', 'LATCHKEY_METRICS_NAMES'])
    if (environment[name] && !environment.LATCHKEY_METRICS_PORT)
      errors.push(`LATCHKEY_METRICS_PORT must be set too when ${name} is`);
  if (environment.LATCHKEY_OPERATOR_NOTICES && !environment.LATCHKEY_OPERATOR_EMAIL)
    errors.push('LATCHKEY_OPERATOR_EMAIL must be set too when LATCHKEY_OPERATOR_NOTICES is');
  errors.push(...mailContradictions(environment, config), ...oidcContradictions(environment, config));
  if (environment.LATCHKEY_ADDRESS_HEADER && config.trustedProxies === null)
    errors.push(
      'LATCHKEY_TRUST_PROXY must be set too when LATCHKEY_ADDRESS_HEADER is: only a proxy may state addresses',
    );
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
  return [...errors, ...selfServiceContradictions(environment, config)];
}
