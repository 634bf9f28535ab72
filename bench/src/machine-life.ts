/** The requests of a customer's machine from its activation to its deactivation: all client endpoints. */
import type { License } from '@latchkey/server/licensing/licenses/license.ts';
import type { Answer, Client } from './client.ts';

/** Number of rounds of verify, validate and heartbeat in between. */
const ROUNDS = 10;

/** Number of requests that {@link liveOnce} sends. */
export const REQUESTS_PER_LIFE = 2 + 3 * ROUNDS;

/**
 * Activates a machine, uses the license for a while, and deactivates the machine, which restores the initial state.
 *
 * @param license with room for one more machine
 * @param machineFingerprint of a machine that is not bound
 * @throws if a response has the wrong status or the connection breaks
 */
export async function liveOnce(
  client: Client,
  { licenseKey, productId }: Pick<License, 'licenseKey' | 'productId'>,
  machineFingerprint: string,
): Promise<void> {
  async function ask(path: string, fields: Readonly<Record<string, unknown>>): Promise<Answer['body']> {
    const { status, body } = await client.ask(path, { licenseKey, ...fields });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${body.error}`);
    return body;
  }
  const { token } = await ask('/activate', { machineFingerprint, productId, hostname: 'workstation' });
  for (let round = 0; round < ROUNDS; round += 1) {
    await ask('/verify', { productId });
    await ask('/validate', { machineFingerprint, token });
    await ask('/heartbeat', { machineFingerprint, token });
  }
  await ask('/deactivate', { machineFingerprint, token });
}
