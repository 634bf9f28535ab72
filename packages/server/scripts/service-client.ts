/** A small client of a running service, for scripts: JSON in, JSON out, over HTTPS with the service's own certificate. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join, resolve } from 'node:path';

/** An answer; the body's fields are whatever the endpoint says. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: scripts read any field of any answer
  readonly body: any;
}

/** A running service. `adminSecret` and `webhookSecret` are those of this installation. */
export interface ServiceClient {
  readonly url: string;
  readonly adminSecret: string;
  readonly webhookSecret: string;
  /** Sends a POST. */
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Ends the connections that are kept open. */
  close(): void;
}

/**
 * Connects to the service that the environment describes: LATCHKEY_URL (https://localhost:8443 unless given), the
 * secrets from LATCHKEY_ADMIN_SECRET and LATCHKEY_WEBHOOK_SECRET, else from the data directory, whose certificate is
 * trusted, too.
 */
export function connectToService(environment: Readonly<Record<string, string | undefined>>): ServiceClient {
  const directory = resolve(environment.INIT_CWD ?? '.', environment.LATCHKEY_DATA_DIR || 'data');
  const kept = (name: string) => readFileSync(join(directory, name), 'utf8').trim();
  return createServiceClient({
    url: environment.LATCHKEY_URL || 'https://localhost:8443',
    adminSecret: environment.LATCHKEY_ADMIN_SECRET || kept('admin-secret'),
    webhookSecret: environment.LATCHKEY_WEBHOOK_SECRET || kept('webhook-secret'),
    certificate: environment.LATCHKEY_URL === undefined ? kept('tls-cert.pem') : undefined,
  });
}

/** A client of the service at `url`; `certificate` is trusted besides the usual ones. */
export function createServiceClient(options: {
  readonly url: string;
  readonly adminSecret: string;
  readonly webhookSecret: string;
  readonly certificate?: string | undefined;
}): ServiceClient {
  const { url, adminSecret, webhookSecret, certificate } = options;
  const agent = new Agent({ keepAlive: true, ...(certificate === undefined ? {} : { ca: certificate }) });
  return {
    url,
    adminSecret,
    webhookSecret,
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
            response.on('error', fail);
            response.on('end', () => succeed({ status: response.statusCode ?? 0, body: JSON.parse(answered) }));
          },
        );
        sent.on('error', fail);
        sent.end(text);
      });
    },
    close: () => agent.destroy(),
  };
}
