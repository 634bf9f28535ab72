/** Tries the name servers of LATCHKEY_DELIVERY_DNS. */
import { NODATA, NOTFOUND, Resolver } from 'node:dns/promises';
import { NAME_TIMEOUT_MS } from '../../webhooks/deliveries/request.ts';

/** A name that no server knows (RFC 6761); a server that says so answers. */
const UNKNOWN_NAME = 'latchkey.invalid';

/** Returns a warning for each name server that does not answer; a start does not need them. */
export async function checkNameServers(servers: readonly string[]): Promise<{ readonly warnings: readonly string[] }> {
  const found = await Promise.all(servers.map(warningOf));
  return { warnings: found.flatMap((warning) => warning ?? []) };
}

async function warningOf(server: string): Promise<string | null> {
  const resolver = new Resolver({ timeout: NAME_TIMEOUT_MS, tries: 2 });
  resolver.setServers([server]);
  try {
    await resolver.resolve4(UNKNOWN_NAME);
    return null;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === NOTFOUND || code === NODATA) return null;
    return `the name server ${server} of LATCHKEY_DELIVERY_DNS does not answer (${code}), so events cannot be sent by name`;
  }
}
