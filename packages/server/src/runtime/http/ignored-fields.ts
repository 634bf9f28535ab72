/**
 * Names the fields of a request that nothing reads, so that a mistyped or newer field is noticed (rules 1.3). Only
 * callers with a credential are told: for strangers and apps it would be work without a use.
 */
import type { Endpoint, Method } from '../../platform/endpoint/endpoint.ts';

/** The header with the names, separated by commas. */
export const IGNORED_FIELDS_HEADER = 'Latchkey-Ignored-Fields';
const MAX_BYTES = 1024;

/** Credentials are read beside the fields of an endpoint. */
const CREDENTIAL_FIELDS = ['adminSecret', 'webhookSecret', 'apiKey'];
const SIGN_IN_FIELDS = ['secret', 'code'];

/** The names that a request to an endpoint may have. */
export function readNamesOf({ fields, access }: Endpoint): ReadonlySet<string> {
  const ofSignIn = access === 'signIn' ? SIGN_IN_FIELDS : [];
  return new Set([...Object.keys(fields.properties), ...CREDENTIAL_FIELDS, ...ofSignIn]);
}

/** The parts of a request that can have fields. */
interface FieldSources {
  readonly method: Method;
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/**
 * The value of {@link IGNORED_FIELDS_HEADER}: as many names as fit, each as `encodeURIComponent` writes it; null if all
 * are read. A POST has its fields in the body, and in the query its API key alone.
 */
export function ignoredFields({ method, body, query }: FieldSources, readNames: ReadonlySet<string>): string | null {
  const isRead = (name: string) => (method === 'POST' ? name === 'apiKey' : readNames.has(name));
  const ignored = new Set([
    ...Object.keys(query).filter((name) => !isRead(name)),
    ...Object.keys(method === 'GET' ? {} : body).filter((name) => !readNames.has(name)),
  ]);
  let value = '';
  for (const name of ignored) {
    if (name === '' || name.length > MAX_BYTES) continue;
    // Only well-formed text can be encoded.
    const shown = encodeURIComponent(name.toWellFormed());
    const longer = value === '' ? shown : `${value},${shown}`;
    if (longer.length > MAX_BYTES) break;
    value = longer;
  }
  return value === '' ? null : value;
}
