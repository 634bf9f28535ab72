/** Asks the API of a seller, in the thread of the sender of look-ups. */
import { SECOND_MS } from '../../ground/base/clock.ts';
import type { SellerRequest } from './sources/source.ts';
import type { SourceName } from './sources/source-list.ts';

const TIMEOUT_MS = 10 * SECOND_MS;
const DENIED: readonly number[] = [401, 403];

/** A request with its seller. Plain data, because the sender runs in its own thread. */
export interface RequestToSeller extends SellerRequest {
  readonly source: SourceName;
  /** The fixed address of the seller's API. */
  readonly origin: string;
}

/** Addresses of the APIs of sellers in place of the real ones, by the name of the seller. */
export type Origins = Readonly<Record<string, string>>;

/** The JSON of an answer; or why there is none: it is not there, the key is refused, or a later attempt may succeed. */
export type SellerAnswer =
  | { readonly value: unknown }
  | { readonly failure: 'absent' | 'denied' | 'later'; readonly detail: string };

/**
 * Asks once, at the fixed address; a redirect is not followed, because it would carry the key elsewhere.
 *
 * @param maxBytes greatest size of an answer
 */
export async function askSeller(
  { source, origin, path, headers }: RequestToSeller,
  origins: Origins,
  maxBytes: number,
): Promise<SellerAnswer> {
  try {
    const answer = await fetch(`${origins[source] ?? origin}${path}`, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await boundedText(answer, maxBytes);
    const { status } = answer;
    const detail = `The seller answered ${status}`;
    if (status === 404) return { failure: 'absent', detail };
    if (DENIED.includes(status)) return { failure: 'denied', detail };
    if (status !== 200) return { failure: 'later', detail };
    return text === null
      ? { failure: 'later', detail: `The answer is larger than ${maxBytes / 2 ** 20} MiB` }
      : { value: JSON.parse(text) };
  } catch (error) {
    return { failure: 'later', detail: error instanceof Error ? error.name : 'The seller did not answer' };
  }
}

/** The text of an answer; null beyond the bound. */
async function boundedText({ body }: Response, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
