/** Reads a part of a `DATABASE_URL` that the driver does not know: several hosts. */

/** Maximum number of hosts, more than a cluster has. Each look-up of the host that takes writes asks all of them. */
const MAX_HOSTS = 8;

/**
 * A fault of the URL. The message is the end of a sentence that begins with the setting's name; it never shows the URL.
 */
export class PostgresUrlError extends Error {
  override readonly name = 'PostgresUrlError';
}

/**
 * Returns one URL per host, in order: `postgres://u:p@a:5432,b:5433/db` becomes `postgres://u:p@a:5432/db` and
 * `postgres://u:p@b:5433/db`. A URL with one host is returned unchanged and unchecked.
 *
 * @throws PostgresUrlError when one of several hosts is invalid, or the URL has the parameter `engine`; the message
 *   shows nothing of the URL, which usually holds a password
 */
export function splitPostgresUrl(url: string): readonly string[] {
  if (new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]).has('engine'))
    throw new PostgresUrlError(
      'must not have the parameter engine: Latchkey uses every server as PostgreSQL (docs/contributors/other-servers.md)',
    );
  const [, scheme = '', authority = '', rest = ''] = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s.exec(url) ?? [];
  const credentialsEnd = authority.lastIndexOf('@') + 1;
  const credentials = authority.slice(0, credentialsEnd);
  const hosts = authority.slice(credentialsEnd).split(',');
  if (hosts.length === 1) return [url];
  if (hosts.length > MAX_HOSTS) throw new PostgresUrlError(`must name ${MAX_HOSTS} hosts at most`);
  if (hosts.some((host) => host === '' || host.startsWith(':')))
    throw new PostgresUrlError('must have a name or an address before and after each comma between its hosts');
  const urls = hosts.map((host) => `${scheme}${credentials}${host}${rest}`);
  if (!urls.every((each) => URL.canParse(each)))
    throw new PostgresUrlError('must have hosts of the form name:port, separated by commas');
  return urls;
}
