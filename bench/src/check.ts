/** Checks responses. A fast wrong response is worth nothing, so a single one fails the whole run. */
import type { ExpectedFields } from './pool.ts';

/** The required response: a whole body, compared to the byte, or fields of a JSON object. */
export type Expectation = string | ExpectedFields;

/**
 * Compares a response with the expectation; the status must be 200.
 *
 * @returns the difference, without the values of tokens and keys; null for a match
 */
export function errorOf(expected: Expectation, status: number, body: string): string | null {
  if (status !== 200) return `status ${status}${errorTextIn(body)}`;
  if (typeof expected === 'string') return body === expected ? null : 'another body than the fixed one';
  const answer = parsed(body);
  if (typeof answer !== 'object' || answer === null) return 'the body is not a JSON object';
  for (const [name, value] of Object.entries(expected)) {
    const given = Reflect.get(answer, name);
    if (given !== value) return `${name} is ${shown(name, given)} instead of ${shown(name, value)}`;
  }
  return null;
}

/** The `error` field of a refusal, as the end of a sentence. */
function errorTextIn(body: string): string {
  const answer = parsed(body);
  const error = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'error') : undefined;
  return typeof error === 'string' ? `: ${error}` : '';
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function shown(name: string, value: unknown): string {
  return /token|key/i.test(name) && typeof value === 'string' ? 'another text' : String(JSON.stringify(value));
}
