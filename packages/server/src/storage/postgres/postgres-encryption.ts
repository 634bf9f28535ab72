/** Warns when others on the network can read the connections to PostgreSQL. */
import ipaddr from 'ipaddr.js';
import { unconnectedClients } from './database-name.ts';

/**
 * Returns a warning for the operator if connections of a `postgres://` URL leave this machine without TLS. The driver
 * resolves the URL, its parameters and the environment (`PGHOST`, `PGSSLMODE`). The warning shows only the hosts.
 *
 * @throws when the driver cannot parse the URL
 */
export function encryptionWarnings(url: string): string[] {
  const open = unconnectedClients(url).filter(({ host, ssl }) => !ssl && !isOnThisMachine(host));
  if (open.length === 0) return [];
  const hosts = [...new Set(open.map(({ host }) => host))].join(', ');
  return [
    `the connections to PostgreSQL on ${hosts} are not encrypted: licenses and secrets can be read in transit; add sslmode=verify-full to DATABASE_URL`,
  ];
}

/** A host that begins with a slash is the folder of a Unix socket. */
function isOnThisMachine(host: string): boolean {
  if (host.startsWith('/') || /^(.+\.)?localhost\.?$/i.test(host)) return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}
