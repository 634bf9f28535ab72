/**
 * Fills a running Latchkey through its API, as a shop fills its own. How fast a process is may depend on the calls that
 * it has answered before, so a process that was only started is no measure of one in use.
 */
import { type Send, senderTo } from './browser-requests.ts';
import { LICENSED_PRODUCTS } from './catalogue.ts';
import type { Address } from './connection.ts';

/** One in this many of the licenses gets a machine. */
export const LICENSES_PER_MACHINE = 10;
/** Connections of one sender; each has one call in flight. */
const CALLS_AT_ONCE = 6;
const SENDERS = 10;
/** A service that is busy refuses calls of operators. */
const BUSY = 503;

/** Nodes of one Latchkey. */
export interface FilledService {
  readonly addresses: readonly Address[];
  readonly adminSecret: string;
}

/**
 * Creates licenses, and activates a tenth of them, by calls to all nodes in rotation.
 *
 * @param onProgress receives the number of created licenses and the total
 * @throws if a call is refused
 */
export async function fillThroughApi(
  { addresses, adminSecret }: FilledService,
  licenses: number,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  let begun = 0;
  let done = 0;
  const fillBy = async (send: Send) => {
    while (begun < licenses) {
      const number = begun++;
      const productId = `product-${number % LICENSED_PRODUCTS}`;
      const order = { adminSecret, email: `filled-${number}@example.com`, productId };
      const { licenseKey } = await call(send, '/createLicense', order);
      const machine = { machineFingerprint: `filled-${number}`, hostname: `filled-${number}` };
      if (number % LICENSES_PER_MACHINE === 0) await call(send, '/activate', { licenseKey, productId, ...machine });
      onProgress(++done, licenses);
    }
  };
  const senders = Array.from({ length: SENDERS }, (_, index) => senderTo(addresses[index % addresses.length]!, null));
  await Promise.all(senders.flatMap((send) => Array.from({ length: CALLS_AT_ONCE }, () => fillBy(send))));
}

async function call(send: Send, path: string, fields: object): Promise<{ readonly licenseKey: string }> {
  for (;;) {
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await send(path, JSON.stringify(fields), { headers });
    if (status === 200) return JSON.parse(body);
    if (status !== BUSY) throw new Error(`${path} answered ${status} while the database was filled: ${body}`);
  }
}
