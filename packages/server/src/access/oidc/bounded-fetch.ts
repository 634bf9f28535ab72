/** Requests to the provider, with bounds on time and size. The address is the operator's own, so it may be private. */
import { request as requestTls } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { CustomFetch } from 'openid-client';
import { SECOND_MS } from '../../ground/base/clock.ts';
import { request as requestPlain } from '../../ground/base/node-http.ts';

/** Time for connecting, sending and reading the whole answer. */
const TIMEOUT_MS = 8 * SECOND_MS;
/** More than any document with keys or claims of a person. */
export const MAX_ANSWER_BYTES = 512 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

/** There is no whole answer: the provider is away, too slow, or says too much. */
export class NoAnswer extends Error {}

/**
 * A `fetch` that follows no redirect.
 *
 * @param additionalCa certificates, as PEM, that are trusted besides the usual ones; null: none
 */
export function boundedFetch(additionalCa: string | null): CustomFetch {
  const ca = additionalCa === null ? undefined : [...rootCertificates, additionalCa];
  return (address, { method, headers, body }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const tls = address.startsWith('http:') ? {} : { ca, minVersion: 'TLSv1.2' as const };
    const send = address.startsWith('http:') ? requestPlain : requestTls;
    const request = send(address, {
      ...{ method, headers, ...tls },
      maxHeaderSize: MAX_HEADER_BYTES,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const fail = (error: Error) => reject(new NoAnswer(`${new URL(address).host}: ${error.message || error.name}`));
    request.on('error', fail);
    request.on('response', (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) request.destroy(new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`));
        else chunks.push(chunk);
      });
      answer.on('error', fail);
      answer.on('end', () => {
        const status = answer.statusCode ?? 0;
        const given = Object.entries(answer.headers).flatMap(([name, value]) =>
          typeof value === 'string' ? [[name, value] as const] : [],
        );
        try {
          const content = WITHOUT_BODY.includes(status) ? null : Buffer.concat(chunks);
          resolve(new Response(content, { status, headers: [...given] as [string, string][] }));
        } catch (error) {
          fail(error as Error);
        }
      });
    });
    request.end(body === null || body === undefined ? undefined : String(body));
    return promise;
  };
}
