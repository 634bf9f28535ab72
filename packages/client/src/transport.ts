/** Transport of requests to the server. Any function that fulfils {@link Transport} can replace `fetch`. */

/** One request with its complete address; `body` is JSON, or null for a GET. */
export interface TransportRequest {
  readonly url: string;
  readonly body: string | null;
  /** Milliseconds until the whole answer must have arrived. */
  readonly timeoutMs: number;
}

/** An answer of any server. Header names are in lower case. */
export interface TransportReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/**
 * Sends a request. Rejects without a complete answer: with a {@link TransportFailure}, or with any other error, which
 * counts as a network failure. It must check TLS certificates and must not follow redirects.
 */
export type Transport = (request: TransportRequest) => Promise<TransportReply>;

/** The kind of a failure below HTTP. */
export type TransportFailureKind = 'network' | 'tls' | 'timeout';

/** The cause of a missing answer. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly kind: TransportFailureKind;

  constructor(kind: TransportFailureKind, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}

/** Maximum size of an answer in bytes. The service's answers are below 4 KiB. */
export const MAX_ANSWER_BYTES = 65_536;

/** The function `fetch` of a platform. Its types are no part of this package, so that apps need none of a platform. */
export type Fetch = (url: string, options: object) => Promise<unknown>;

/** Sends requests with the platform's `fetch`. */
export const fetchTransport: Transport = transportBy((url, options) => fetch(url, options));

/** Sends requests with a `fetch`. */
export function transportBy(send: Fetch): Transport {
  return async ({ url, body, timeoutMs }) => {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = (await send(url, {
        method: body === null ? 'GET' : 'POST',
        ...(body === null ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
        redirect: 'error',
        credentials: 'omit',
        cache: 'no-store',
        signal: limit,
      })) as Response;
      return { status: response.status, headers: Object.fromEntries(response.headers), text: await textOf(response) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const kind = limit.aborted ? 'timeout' : CHROMIUM_TLS.test(message) ? 'tls' : 'network';
      throw new TransportFailure(kind, message, { cause: error });
    }
  };
}

/** Failures of TLS by the names of Chromium, which Electron tells; pages are not told why a request fails. */
const CHROMIUM_TLS = /\bERR_(?:CERT|SSL|TLS)_/;

/** Reads the text of an answer up to the maximum size. */
async function textOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      await reader.cancel();
      throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
