/** Reads the query of a URL: 8 KiB and 50 parameters at most, so that short requests cannot cause much work. */
import { type Refusal, refuse } from '../refusals.ts';

/** Query parameters by name; one that is given twice is a list, which no field and no credential takes for a text. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

const MAXIMUM_BYTES = 8 * 1024;
const MAXIMUM_PARAMETERS = 50;
const NO_QUERY: { query: Query } = Object.freeze({ query: Object.freeze({}) });

/**
 * The parameters of a URL, or why they are refused.
 *
 * @param url as the request line has it; node lets only single-byte characters through, so that its length is in bytes
 * @param mark where the question mark stands, -1 for a URL without one
 */
export function readQuery(url: string, mark: number): { query: Query } | Refusal {
  if (mark === -1) return NO_QUERY;
  if (isTooLarge(url, mark + 1)) return refuse('query_too_large');
  const parameters = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(url.slice(mark + 1))) {
    const given = parameters.get(name);
    if (given === undefined) parameters.set(name, value);
    else if (typeof given === 'string') parameters.set(name, [given, value]);
    else given.push(value);
  }
  return { query: Object.fromEntries(parameters) };
}

/** Counts what stands between ampersands before anything is taken apart; nothing between two of them is no parameter. */
function isTooLarge(url: string, start: number): boolean {
  if (url.length - start > MAXIMUM_BYTES) return true;
  let parameters = 0;
  for (let from = start; from < url.length; ) {
    const ampersand = url.indexOf('&', from);
    const end = ampersand === -1 ? url.length : ampersand;
    if (end > from) parameters += 1;
    from = end + 1;
  }
  return parameters > MAXIMUM_PARAMETERS;
}
