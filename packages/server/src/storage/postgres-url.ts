/** `DATABASE_URL` with several hosts: the driver takes one host, so such a URL is split into one URL for each. */

/** More hosts than a cluster has; each of them is asked at every look for the one that takes writes. */
const MOST_HOSTS = 8;

/** What is wrong with the URL, as the end of a sentence that begins with where it stands. Never shows any of it. */
export class PostgresUrlError extends Error {
  override readonly name = 'PostgresUrlError';
}

/**
 * The URLs of the hosts of a URL, in its order: `postgres://u:p@a:5432,b:5433/db` is `postgres://u:p@a:5432/db` and
 * `postgres://u:p@b:5433/db`. One host is answered as it is, whatever the driver makes of it.
 *
 * @throws PostgresUrlError when there are several and something is wrong with them; the message shows nothing of the URL,
 *   since it usually holds a password
 */
export function splitPostgresUrl(url: string): readonly string[] {
  const [, scheme = '', authority = '', rest = ''] = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s.exec(url) ?? [];
  const credentialsEnd = authority.lastIndexOf('@') + 1;
  const credentials = authority.slice(0, credentialsEnd);
  const hosts = authority.slice(credentialsEnd).split(',');
  if (hosts.length === 1) return [url];
  if (hosts.length > MOST_HOSTS) throw new PostgresUrlError(`must name ${MOST_HOSTS} hosts at most`);
  if (hosts.some((host) => host === '' || host.startsWith(':')))
    throw new PostgresUrlError('must have a name or an address before and after each comma between its hosts');
  const urls = hosts.map((host) => `${scheme}${credentials}${host}${rest}`);
  if (!urls.every((each) => URL.canParse(each)))
    throw new PostgresUrlError('must have hosts of the form name:port, separated by commas');
  return urls;
}
