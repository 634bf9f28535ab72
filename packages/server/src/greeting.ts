/** The message to a person who starts the service in a terminal: where its files are, and what to try. */
import { isIP } from 'node:net';
import type { Config } from './config.ts';
import type { Certificate } from './http/certificate.ts';
import { canonicalAddress } from './network-address.ts';
import type { Secrets } from './secrets.ts';

/** Addresses to listen on that mean every one of the machine, and with each the one that a client on the machine opens. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': 'localhost' };

/**
 * The text; secrets are named by their file, never shown. Paths are absolute, so that the line for curl works in any
 * folder.
 *
 * @param hasConsole whether the console is on and was built: one that is not there is not named
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
      ? '  Issue a first license, through a proxy whose clients call it YOUR-HOST:'
      : '  Issue a first license:',
    '',
    `  curl${trust} -H "X-Admin-Secret: ${secret}" \\`,
    `    -d '{"email":"ada@example.com","productId":"my-app"}' ${clientUrl}/createLicense`,
    '',
    '',
  ].join('\n');
}

/** A path as a shell takes it for one word, also within double quotes that hold a command in `$(...)`. */
function inShell(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** What a person at the terminal is told who may sign in by a link, of console/sign-in-code.ts. */
export function linkNotice({ tlsFiles, trustedProxies }: Config, link: string): string {
  const warning =
    tlsFiles === null && trustedProxies === null
      ? '  The browser warns of the certificate, which the service made for itself: accept it once.\n\n'
      : '';
  return `  Sign in to the console, once and within 5 minutes:\n\n    ${link}\n\n${warning}`;
}

/** The address that clients open. Behind a proxy it is the proxy's, which only the operator knows. */
export function clientUrlOf(config: Config, port: number): string {
  return config.trustedProxies === null ? urlOf(config, port) : 'https://YOUR-HOST';
}

/** An address that can be opened on the machine: https, or http where a proxy speaks HTTPS for the service. */
function urlOf({ host, trustedProxies }: Config, port: number): string {
  const address = canonicalAddress(host) ?? host;
  const name = EVERY_ADDRESS[address] ?? address;
  return `http${trustedProxies === null ? 's' : ''}://${isIP(name) === 6 ? `[${name}]` : name}:${port}`;
}
