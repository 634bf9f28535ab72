/** The lines that a newcomer pastes for the first check of an app: pure. */
import type { GetSystemReply } from '../api/contract.ts';
import { quoted } from '../api/curl.ts';

/** The way a program trusts the certificate of the service. */
export type Trust = NonNullable<GetSystemReply['certificate']>['trust'];

/** The subject of the lines. */
export interface FirstCheck {
  /** Address of the service, for example `https://licenses.example.com`. */
  readonly origin: string;
  readonly productId: string;
  readonly licenseKey: string;
  /** The path of the certificate that the program must trust; null if every program trusts it. */
  readonly certificateFile: string | null;
}

/** The name under which the browser saves the certificate. */
export const SAVED_CERTIFICATE = 'latchkey-cert.pem';

/**
 * The path of the certificate for programs beside the browser. On another machine than the service's, it is the file
 * that the browser saved, in the folder where the program starts.
 *
 * @param hostname the host in the address of the console
 */
export function certificateFileFor(trust: Trust, hostname: string): string | null {
  if (trust === null) return null;
  return isThisMachine(hostname) ? trust.file : SAVED_CERTIFICATE;
}

/** Whether an address leads to the machine of the browser. */
export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** A program in JavaScript that activates the license and checks it. */
export function clientLines({ origin, productId, licenseKey, certificateFile }: FirstCheck): string {
  const options = [`server: ${text(origin)}`, `productId: ${text(productId)}`];
  const isTrusted = certificateFile === null;
  return [
    ...(isTrusted ? [] : ["import { readFileSync } from 'node:fs';"]),
    "import { createLatchkey } from '@latchkey/client/node';",
    '',
    ...(isTrusted ? [] : [`const ca = readFileSync(${text(certificateFile)}, 'utf8');`]),
    `const latchkey = createLatchkey({ ${[...options, ...(isTrusted ? [] : ['ca'])].join(', ')} });`,
    'await latchkey.start();',
    `if (latchkey.state.status === 'unlicensed') await latchkey.activate(${text(licenseKey)});`,
    'await latchkey.check();',
    'console.log(latchkey.state.status, latchkey.mayRun);',
    'await latchkey.stop();',
  ].join('\n');
}

/** The call of an app on its first start, for a shell. The shell puts in the name of its machine. */
export function curlCheck({ origin, productId, licenseKey, certificateFile }: FirstCheck): string {
  const known = JSON.stringify({ licenseKey, productId }).slice(0, -1);
  const machine = '"$(hostname)"';
  const body = `${quoted(`${known},"machineFingerprint":"`)}${machine}${quoted('","hostname":"')}${machine}${quoted('"}')}`;
  return [
    `curl ${quoted(`${origin}/activate`)}`,
    ...(certificateFile === null ? [] : [`--cacert ${quoted(certificateFile)}`]),
    `--json ${body}`,
  ].join(' \\\n  ');
}

/** A literal of JavaScript. */
function text(value: string): string {
  return /^[^'"\\\p{C}]*$/u.test(value) ? `'${value}'` : JSON.stringify(value);
}

/**
 * The age of the first check: "3 s ago" within the first minute, when it changes in sight; null later.
 *
 * @param now milliseconds since 1970
 */
export function secondsAgo(at: string, now: number): string | null {
  const seconds = Math.max(0, Math.floor((now - Date.parse(at)) / 1000));
  return seconds < 60 ? `${seconds} s ago` : null;
}
