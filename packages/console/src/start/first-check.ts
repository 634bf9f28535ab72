/** The lines that a newcomer pastes for the first check of an app: pure. */
import { curlCall, quoted, type ServiceAddress } from '../api/curl.ts';

/** The subject of the lines. */
export interface FirstCheck extends ServiceAddress {
  readonly productId: string;
  readonly licenseKey: string;
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
    'await latchkey.close();',
  ].join('\n');
}

/** The call of an app on its first start, for a shell. The shell puts in the name of its machine. */
export function curlCheck({ productId, licenseKey, ...service }: FirstCheck): string {
  const known = JSON.stringify({ licenseKey, productId }).slice(0, -1);
  const machine = '"$(hostname)"';
  const body = `${quoted(`${known},"machineFingerprint":"`)}${machine}${quoted('","hostname":"')}${machine}${quoted('"}')}`;
  return curlCall(service, '/activate', [`--json ${body}`]);
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
