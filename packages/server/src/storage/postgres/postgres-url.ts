/** Reads the parts of a `DATABASE_URL` that the driver does not know: several hosts, and parameters of no meaning. */

/** Maximum number of hosts, more than a cluster has. Each look-up of the host that takes writes asks all of them. */
const MAX_HOSTS = 8;

/**
 * The parameters that the driver reads, and those of libpq that tune connections without changing where they lead or
 * who can read them.
 */
const PARAMETERS: ReadonlySet<string> = new Set([
  ...['host', 'port', 'user', 'password', 'database', 'db', 'target_session_attrs'],
  ...['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation', 'uselibpqcompat', 'channel_binding'],
  ...['application_name', 'fallback_application_name', 'client_encoding', 'encoding', 'options'],
  ...['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'query_timeout', 'connect_timeout'],
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count', 'tcp_user_timeout', 'gssencmode'],
]);
/** Names under which other programs take the schema. */
const SCHEMA_PARAMETERS: readonly string[] = ['schema', 'currentSchema', 'search_path', 'searchpath'];

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
 * @throws PostgresUrlError when one of several hosts is invalid, or the URL has a parameter that is not known; the
 *   message shows nothing of the URL but the name of the parameter, since a URL usually holds a password
 */
export function splitPostgresUrl(url: string): readonly string[] {
  const parameters = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);
  for (const name of parameters.keys()) if (!PARAMETERS.has(name)) throw new PostgresUrlError(unknownParameter(name));
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

/** A parameter that nothing reads would be dropped in silence, and what it asks for would not hold. */
function unknownParameter(name: string): string {
  if (name === 'engine')
    return 'must not have the parameter engine: Latchkey uses every server as PostgreSQL (docs/contributors/other-servers.md)';
  if (SCHEMA_PARAMETERS.includes(name))
    return `must not have the parameter ${name}: set LATCHKEY_DATABASE_SCHEMA to the name of the schema`;
  // A password with a question mark in it looks like parameters.
  const shown = /^[a-z][a-z_]{0,30}$/i.test(name) ? `the parameter ${name}` : 'a parameter of that form';
  return `must not have ${shown}: Latchkey does not know it (docs/operators/configuration.md lists those that it does)`;
}

/**
 * The URL of connections whose tables are in this schema.
 *
 * @param schema a name that needs no quotation marks
 */
export function inSchema(url: string, schema: string): string {
  const option = `-csearch_path%3D${schema}`;
  if (/[?&]options=/.test(url)) return url.replace(/([?&]options=)/, `$1${option}%20`);
  return `${url}${url.includes('?') ? '&' : '?'}options=${option}`;
}
