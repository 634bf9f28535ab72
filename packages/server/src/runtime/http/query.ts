/** Reads the query of a URL: at most 8 KiB and 50 parameters, so that short requests cannot cause much work. */
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Query } from '../../platform/sites/site.ts';

const MAX_BYTES = 8 * 1024;
const MAX_PARAMETERS = 50;
const NO_QUERY: { query: Query } = Object.freeze({ query: Object.freeze({}) });

/**
 * Parses the parameters of a URL, or refuses them.
 *
 * @param url as in the request line; node allows only single-byte characters, so its length is in bytes
 * @param mark index of the question mark; the length of a URL without one
 */
export function readQuery(url: string, mark: number): { query: Query } | Refusal {
  if (mark >= url.length) return NO_QUERY;
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

/** Counts the parameters between ampersands before any parsing; empty parts do not count. */
function isTooLarge(url: string, start: number): boolean {
  if (url.length - start > MAX_BYTES) return true;
  let parameters = 0;
  for (let from = start; from < url.length; ) {
    const ampersand = url.indexOf('&', from);
    const end = ampersand === -1 ? url.length : ampersand;
    if (end > from) parameters += 1;
    from = end + 1;
  }
  return parameters > MAX_PARAMETERS;
}
