/**
 * A small client of a running service, for scripts: JSON requests and replies over HTTPS with the service's own
 * certificate.
 */
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join, resolve } from 'node:path';

/** A reply; the fields of the body depend on the endpoint. */
export interface Answer {
  readonly status: number;
  /** Value of the header `Latchkey-Code`, which names the refusal; null without one. */
  readonly code: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: scripts read any field of any answer
  readonly body: any;
}

/** A running service. `adminSecret` and `webhookSecret` are those of this installation. */
export interface ServiceClient {
  readonly url: string;
  readonly adminSecret: string;
  readonly webhookSecret: string;
  /** Sends a POST. @throws ScriptError if nothing responds, or if the response is not from this service */
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Closes the keep-alive connections. */
  close(): void;
}

/** The reason why a script cannot continue, as a sentence for its user. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
}

/**
 * Connects to the service that the environment describes. The address is LATCHKEY_URL, by default https://localhost and
 * PORT (8443 by default). The secrets come from LATCHKEY_ADMIN_SECRET and LATCHKEY_WEBHOOK_SECRET, otherwise from the
 * data directory. For a local service, only the certificate in that directory is trusted, if it exists.
 *
 * @throws ScriptError if the address of the service or its secrets are unknown
 */
export function connectToService(environment: Readonly<Record<string, string | undefined>>): ServiceClient {
  const directory = resolve(environment.INIT_CWD ?? '.', environment.LATCHKEY_DATA_DIR || 'data');
  const kept = (name: string, variable: string) => {
    try {
      return readFileSync(join(directory, name), 'utf8').trim();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const reason = code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
      throw new ScriptError(
        `${join(directory, name)} ${reason}: start the service with npm start, or set ${variable}.`,
      );
    }
  };
  const isLocal = !environment.LATCHKEY_URL;
  if (isLocal && environment.LATCHKEY_TRUST_PROXY)
    throw new ScriptError('The service is behind a proxy: set LATCHKEY_URL to the https address that clients use.');
  const certificateFile = join(directory, 'tls-cert.pem');
  const trusted = isLocal && existsSync(certificateFile) ? { ca: readFileSync(certificateFile, 'utf8') } : {};
  const agent = new Agent({ keepAlive: true, ...trusted });
  const url = environment.LATCHKEY_URL || `https://localhost:${environment.PORT || '8443'}`;
  return {
    url,
    adminSecret: environment.LATCHKEY_ADMIN_SECRET || kept('admin-secret', 'LATCHKEY_ADMIN_SECRET'),
    webhookSecret: environment.LATCHKEY_WEBHOOK_SECRET || kept('webhook-secret', 'LATCHKEY_WEBHOOK_SECRET'),
    post(path, body, headers = {}) {
      const text = JSON.stringify(body);
      return new Promise((succeed, fail) => {
        const sent = request(
          new URL(path, url),
          {
            method: 'POST',
            agent,
            headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers },
          },
          (response) => {
            let answered = '';
            response.setEncoding('utf8');
            response.on('data', (part: string) => {
              answered += part;
            });
            response.on('error', (error) => fail(unreachable(url, error)));
            response.on('end', () => {
              try {
                const code = response.headers['latchkey-code']?.toString() ?? null;
                succeed({ status: response.statusCode ?? 0, code, body: JSON.parse(answered) });
              } catch {
                fail(new ScriptError(`What answers at ${url} is not Latchkey: ${path} got no JSON.`));
              }
            });
          },
        );
        sent.on('error', (error) => fail(unreachable(url, error)));
        sent.end(text);
      });
    },
    close: () => agent.destroy(),
  };
}

function unreachable(url: string, error: NodeJS.ErrnoException): ScriptError {
  const reason = error.code ?? error.message;
  const cause = { cause: error };
  if (reason === 'ECONNREFUSED')
    return new ScriptError(`Nothing answers at ${url}: start the service with npm start, in another terminal.`, cause);
  if (/CERT|SIGNED|SSL|TLS/.test(reason))
    return new ScriptError(
      `The certificate at ${url} is not trusted (${reason}): NODE_EXTRA_CA_CERTS names one.`,
      cause,
    );
  return new ScriptError(`The service at ${url} cannot be reached (${reason}).`, cause);
}
