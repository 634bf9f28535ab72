/** What a person who starts the service on a terminal is told: where things are, and what to try. */
import { relative } from 'node:path';
import type { Config } from './config.ts';
import type { Certificate } from './http/certificate.ts';
import type { Secrets } from './secrets.ts';

/** The text; secrets are named by their file, never shown. */
export function greeting(config: Config, secrets: Secrets, certificate: Certificate | null, port: number): string {
  const here = (file: string) => relative(process.env.INIT_CWD ?? process.cwd(), file) || '.';
  const url = `https://${config.host.includes(':') ? 'localhost' : config.host}:${port}`;
  const trust = certificate?.isSelfSigned ? ` --cacert ${here(certificate.certificateFile)}` : '';
  const secret =
    secrets.adminSecretFile === null ? '$LATCHKEY_ADMIN_SECRET' : `$(cat ${here(secrets.adminSecretFile)})`;
  return [
    '',
    `  Latchkey answers at ${url}`,
    `  Data             ${config.database.engine === 'sqlite' ? here(config.database.file) : 'PostgreSQL'}`,
    `  Admin secret     ${secrets.adminSecretFile === null ? 'from LATCHKEY_ADMIN_SECRET' : here(secrets.adminSecretFile)}`,
    `  Webhook secret   ${secrets.webhookSecretFile === null ? 'from LATCHKEY_WEBHOOK_SECRET' : here(secrets.webhookSecretFile)}`,
    ...(certificate ? [`  Certificate      ${here(certificate.certificateFile)}`] : []),
    '',
    '  Issue a first license:',
    '',
    `  curl${trust} -H "X-Admin-Secret: ${secret}" \\`,
    `    -d '{"email":"ada@example.com","productId":"my-app"}' ${url}/createLicense`,
    '',
    '',
  ].join('\n');
}
