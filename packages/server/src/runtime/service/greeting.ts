/** The greeting for a person who starts the service in a terminal: the places of its files, and first calls to try. */
import { isIP } from 'node:net';
import { canonicalAddress } from '../../ground/base/network-address.ts';
import type { Config } from '../config/config.ts';
import type { Secrets } from '../config/secrets.ts';
import type { Certificate } from '../http/certificate.ts';

/** Listening addresses that mean every address of the machine, each with the address that a local client opens. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': 'localhost' };

/**
 * Returns the greeting. It names the files of the secrets and never shows a secret. Paths are absolute, so that the
 * line for curl works in any folder.
 *
 * @param hasConsole true if the console is on and was built; otherwise the greeting does not mention it
 */
export function greeting(
  config: Config,
  secrets: Secrets,
  certificate: Certificate | null,
  port: number,
  hasConsole: boolean,
): string {
  const url = urlOf(config, port);
  const clientUrl = clientUrlOf(config, port);
  const trust = certificate?.isSelfSigned ? ` --cacert ${inShell(certificate.certificateFile)}` : '';
  const secret =
    secrets.adminSecretFile === null ? '$LATCHKEY_ADMIN_SECRET' : `$(cat ${inShell(secrets.adminSecretFile)})`;
  const addresses =
    certificate === null
      ? [`  Latchkey answers the proxies in LATCHKEY_TRUST_PROXY at ${url}`, `  Health           ${url}/readyz`]
      : [`  Latchkey answers at ${url}`, `  Reference        ${url}/docs`];
  const console = !hasConsole ? [] : [`  Console          ${clientUrl}/console/`];
  return [
    '',
    ...addresses,
    ...console,
    `  Data             ${config.database.engine === 'sqlite' ? config.database.file : 'PostgreSQL'}`,
    `  Admin secret     ${secrets.adminSecretFile === null ? 'from LATCHKEY_ADMIN_SECRET' : secrets.adminSecretFile}`,
    `  Webhook secret   ${secrets.webhookSecretFile === null ? 'from LATCHKEY_WEBHOOK_SECRET' : secrets.webhookSecretFile}`,
    ...(certificate ? [`  Certificate      ${certificate.certificateFile}`] : []),
    '',
    certificate === null
      ? '  Issue a first license; replace YOUR-HOST by the name of the proxy:'
      : '  Issue a first license:',
    '',
    `  curl${trust} -H "X-Admin-Secret: ${secret}" \\`,
    `    -d '{"email":"ada@example.com","productId":"my-app"}' ${clientUrl}/createLicense`,
    '',
    '',
  ].join('\n');
}

/** Quotes a path as one word for a shell; also valid within double quotes that hold a command in `$(...)`. */
function inShell(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** The notice with a sign-in link (access/console/sign-in-code.ts) for the person at the terminal. */
export function linkNotice({ tlsFiles, trustedProxies }: Config, link: string): string {
  const warning =
    tlsFiles === null && trustedProxies === null
      ? '  The browser warns about the self-signed certificate: accept it once.\n\n'
      : '';
  return `  Sign in to the console (works once, within 5 minutes):\n\n    ${link}\n\n${warning}`;
}

/** The address that clients open. Behind a proxy it is the proxy's address, known only to the operator. */
export function clientUrlOf(config: Config, port: number): string {
  return config.trustedProxies === null ? urlOf(config, port) : 'https://YOUR-HOST';
}

/** An address that can be opened on the machine: https, or http where a proxy speaks HTTPS for the service. */
function urlOf({ host, trustedProxies }: Config, port: number): string {
  const address = canonicalAddress(host) ?? host;
  const name = EVERY_ADDRESS[address] ?? address;
  return `http${trustedProxies === null ? 's' : ''}://${isIP(name) === 6 ? `[${name}]` : name}:${port}`;
}
