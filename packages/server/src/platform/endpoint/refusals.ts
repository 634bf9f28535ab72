/**
 * Refusals: every status and error text that the service returns on purpose (rules 4, 7). A refusal is a value that an
 * action returns; changes that must survive it (an activation attempt, a violation) commit with it.
 *
 * Each slice declares its own refusals in its refusals.ts; those that every request can meet are here. One entry holds
 * everything about a refusal: docs/apps/errors.md, the reference and the words of the console are made from it.
 *
 * Clients identify a refusal by its published code, in the header `Latchkey-Code`. The code is the name of the entry,
 * unless `code` gives another: refusals that mean the same to a client share one published code, and so does every
 * text. Refusals with one code may have different statuses, where endpoints word or rank the same error differently.
 */

/** The explanation of a published code. Texts may contain `code` between backticks. */
export interface Advice {
  /** The cause. */
  readonly means: string;
  /** The remedy for the caller or the operator. */
  readonly remedy: string;
  /** The reaction of an application on a customer's machine; present for the codes of the client endpoints. */
  readonly app?: string;
  /** The title in the console, null to show the text of the answer, and the next step. */
  readonly console: readonly [title: string | null, advice: string];
}

/** Everything about a refusal. Of several with one published code, the first has the advice. */
export interface Entry {
  readonly status: number;
  /** `{name}` stands for a value. */
  readonly text: string;
  /** The published code, if it is not the name of the entry. */
  readonly code?: string;
  /** The text for documentation, if each request or endpoint has its own. */
  readonly shown?: string;
}

/** An entry, with the code that it shares or with its advice. */
export function refusal<const More extends Omit<Entry, 'status' | 'text'> & (Advice | { readonly code: string })>(
  status: number,
  text: string,
  more: More,
): Entry & More {
  return { status, text, ...more };
}

/** The order of refusals in documents. */
const CHAPTERS = [
  ...[
    'caller',
    'request',
    'licenses',
    'reach of a caller',
    'reply templates',
    'searches',
    'customers',
    'license files',
    'mails',
    'mail templates',
    'catalogue',
    'API keys',
  ],
  ...[
    'console',
    'destinations',
    'self-service',
    'discount codes',
    'trials',
    'storefront',
    'connectors',
    'studio orders',
    'safe retries',
  ],
  'transport',
] as const;
type Chapter = (typeof CHAPTERS)[number];

/** Every refusal; each slice adds its own with `declare module`, beside its entries. */
export interface Refusals
  extends CodesOf<typeof ofCaller>,
    CodesOf<typeof ofRequest>,
    CodesOf<typeof ofRetries>,
    CodesOf<typeof ofTransport> {}

/** The published code of each entry. */
export type CodesOf<Entries> = {
  readonly [Name in keyof Entries]: Entries[Name] extends { readonly code: infer Code } ? Code : Name;
};

/** Refusals that stand in no document, see {@link innerRefusals}; slices add theirs as to {@link Refusals}. */
// biome-ignore lint/suspicious/noEmptyInterface: slices add to it
export interface InnerRefusals {}

/** The name of a refusal in the service's own code. Clients see its {@link PublishedCode}. */
export type RefusalCode = keyof Refusals | keyof InnerRefusals;

/** A code as clients see it, in the header `Latchkey-Code`. */
export type PublishedCode = Refusals[keyof Refusals];

const known = new Map<RefusalCode, Entry & { readonly chapter: Chapter | null }>();

/** The names of all refusals, in the order of documents. */
export const refusalCodes: RefusalCode[] = [];

/** Every published code, in the order of documents. */
export const publishedCodes: PublishedCode[] = [];

/** Declares refusals, at module level. @throws when a name is taken */
export function refusals<const Entries extends Readonly<Record<string, Entry>>>(
  chapter: Chapter,
  entries: Entries,
): Entries {
  declare(chapter, entries);
  const place = (code: RefusalCode) => CHAPTERS.indexOf(entryOf(code).chapter as Chapter);
  const documented = [...known.keys()].filter((code) => entryOf(code).chapter !== null);
  refusalCodes.splice(0, Infinity, ...documented.sort((one, other) => place(one) - place(other)));
  publishedCodes.splice(0, Infinity, ...new Set(refusalCodes.map(codeOf)));
  return entries;
}

/**
 * Declares refusals of endpoints that no request from outside reaches. They stand in no document: the pages at /my say
 * them in the customer's language. @throws when a name is taken
 */
export function innerRefusals<const Entries extends Readonly<Record<string, Entry>>>(entries: Entries): Entries {
  declare(null, entries);
  return entries;
}

function declare(chapter: Chapter | null, entries: Readonly<Record<string, Entry>>): void {
  for (const [name, entry] of Object.entries(entries)) {
    if (known.has(name as RefusalCode)) throw new Error(`the refusal ${name} is declared twice`);
    known.set(name as RefusalCode, { ...entry, chapter });
  }
}

function entryOf(code: RefusalCode): Entry & { readonly chapter: Chapter | null } {
  return known.get(code) as Entry & { readonly chapter: Chapter | null };
}

/** For lists of what a caller may see, in the console. */
export const NOT_YOURS = 'It does not exist, or it belongs to somebody else.';

const FIX_THE_PROGRAM = 'Correct the calling program; repeating the call does not help.';
const KEEP_RUNNING = 'Keeps running as after its last good answer, and retries later.';
const FIX_AND_KEEP_RUNNING = 'Keeps running as after its last good answer, and reports the mistake to its developer.';

const ofCaller = refusals('caller', {
  unauthorized: refusal(401, 'Unauthorized', {
    means: 'The credential is missing or wrong.',
    remedy: 'Send a valid one; "Credentials" on the reference page says where.',
    console: ['You are not signed in.', 'Sign in again. What you typed is still there.'],
  }),
  wrong_secret_rate: refusal(429, 'Too many wrong credentials from your network. Try again later.', {
    means: 'Too many wrong credentials came from this network; valid ones that are new there are refused, too.',
    remedy: 'Wait for `Retry-After`, and find the job that sends an old credential.',
    console: ['Too many wrong secrets came from your network.', 'Wait, then try again.'],
  }),
  role_not_allowed: refusal(403, 'Your role does not allow this. Ask an owner.', {
    means: 'The role of this console session does not allow the call.',
    remedy: 'Ask an owner to make the call, or to give you an operator key with another role.',
    console: ['Your role does not allow this.', 'Ask an owner. Nothing was changed.'],
  }),
  creator_mismatch: refusal(403, 'An API key cannot act for another creator', {
    means: 'An API key named a `creatorId` that is not its own.',
    remedy: 'Leave `creatorId` out, or use the key of that creator.',
    console: ['This belongs to another creator.', 'Sign in with a key of that creator.'],
  }),
});

const ofRequest = refusals('request', {
  quota_used: refusal(429, 'This creator has used its quota of {max} {quota} a day. Try again later.', {
    means:
      'A creator has made as many changes, products, variants, codes, licenses or notes on a license within 24 hours as the operator allows.',
    remedy: 'Wait for `Retry-After`, or ask the operator to raise the quota.',
    console: [null, 'Wait, or ask the operator to raise the quota. Nothing was changed.'],
  }),
  missing_fields: refusal(400, '{message}', {
    shown: 'A required field is absent, null or empty; the text names the missing fields',
    means: 'A required field is absent, null or empty; the text names it.',
    remedy: FIX_THE_PROGRAM,
    app: 'Asks for a missing license key; activates without a token; otherwise reports the mistake to its developer.',
    console: [null, 'Fill in the missing fields. Nothing was changed.'],
  }),
  invalid_field: refusal(400, '{message}', {
    shown: 'A field does not fit; the text names it',
    means: 'A field has a wrong type or value; the text names it and the valid values.',
    remedy: FIX_THE_PROGRAM,
    app: FIX_AND_KEEP_RUNNING,
    console: [null, 'Change that field. Nothing was changed.'],
  }),
  secrets_key_missing: refusal(409, 'The service has no LATCHKEY_SECRETS_KEY, so it cannot keep secrets', {
    means:
      'A service on PostgreSQL keeps secrets of destinations and connectors under LATCHKEY_SECRETS_KEY, which is not set.',
    remedy: 'Ask the operator to set the same LATCHKEY_SECRETS_KEY on every node.',
    console: ['The service has no key for secrets.', 'Set LATCHKEY_SECRETS_KEY on every node.'],
  }),
});

const ofRetries = refusals('safe retries', {
  idempotency_key_reused: refusal(422, 'Idempotency-Key was already used with a different request', {
    means: 'The `Idempotency-Key` came with another request within 24 hours.',
    remedy: 'Use a new key for each new request.',
    console: ['This was sent before with other values.', 'Close the dialog and begin again.'],
  }),
  idempotent_reply_lost: refusal(
    409,
    'This Idempotency-Key was used before, and its first answer is no longer available',
    {
      means:
        'The request succeeded the first time. Its answer was not stored, because it was longer than 1 MiB or the caller had used up its space for the answers of that day; or it cannot be decrypted since the admin secret was changed.',
      remedy: 'Read the state of the object. With this key the request is not executed again.',
      console: ['This was done before; its answer cannot be shown again.', 'Check the present state.'],
    },
  ),
});

const ofTransport = refusals('transport', {
  malformed_http: refusal(400, 'Request is not valid HTTP', {
    means: 'The request is not HTTP, or has no `Host`, or two.',
    remedy: 'Check the sending program. Port scanners cause this, too: ignore them.',
    app: FIX_AND_KEEP_RUNNING,
    console: ['Something between you and the service broke the request.', 'Nothing was changed. Try again.'],
  }),
  headers_too_large: refusal(431, 'Request line and headers are larger than 16 KiB or 100 headers', {
    means: 'The request line and headers are too large or too many.',
    remedy: 'Look for large cookies, and for proxies that add headers.',
    app: FIX_AND_KEEP_RUNNING,
    console: ['The browser sent too much with the request.', 'Delete the cookies of this site, then sign in again.'],
  }),
  request_timeout: refusal(408, 'Request took too long to arrive', {
    means: 'The request did not arrive in time.',
    remedy: 'Send it again. On slow networks raise `LATCHKEY_REQUEST_TIMEOUT`.',
    app: KEEP_RUNNING,
    console: ['The request took too long to arrive.', 'Nothing was changed. Try again.'],
  }),
  bad_json: refusal(400, 'Body is not valid JSON', {
    means: 'The body is not JSON in UTF-8.',
    remedy: FIX_THE_PROGRAM,
    app: FIX_AND_KEEP_RUNNING,
    console: ['The request arrived damaged.', 'Nothing was changed. Reload the page.'],
  }),
  body_not_object: refusal(400, 'Body must be a JSON object', {
    means: 'The body is JSON, but not an object.',
    remedy: FIX_THE_PROGRAM,
    app: FIX_AND_KEEP_RUNNING,
    console: ['The request arrived damaged.', 'Nothing was changed. Reload the page.'],
  }),
  not_found: refusal(404, 'Not found', {
    means: 'No endpoint has this path. Paths are compared exactly.',
    remedy: 'Check the path, and whether a proxy changes it.',
    app: FIX_AND_KEEP_RUNNING,
    console: ['The service does not know this.', 'Reload the page: it may be older than the service.'],
  }),
  method_not_allowed: refusal(405, 'Method not allowed', {
    means: 'The path exists, but not with this method; `Allow` names the accepted methods.',
    remedy: FIX_THE_PROGRAM,
    app: FIX_AND_KEEP_RUNNING,
    console: ['The service does not take this.', 'Reload the page: it may be older than the service.'],
  }),
  query_too_large: refusal(400, 'Query has more than 50 parameters or 8 KiB', {
    means: 'The query string is too large, or has too many parameters.',
    remedy: 'Send the fields in the body of a POST.',
    app: FIX_AND_KEEP_RUNNING,
    console: ['This is too much at once.', 'Send less. Nothing was changed.'],
  }),
  body_too_large: refusal(413, 'Body is larger than 64 KiB', {
    means: 'The body is larger than 64 KiB.',
    remedy: FIX_THE_PROGRAM,
    app: FIX_AND_KEEP_RUNNING,
    console: ['This is too much at once.', 'Send less than 64 KiB. Nothing was changed.'],
  }),
  https_required: refusal(426, 'HTTPS is required', {
    means: 'The request came without TLS.',
    remedy: 'Use `https://`.',
    app: FIX_AND_KEEP_RUNNING,
    console: ['The service must be reached by HTTPS.', 'Open the console with https:// in its address.'],
  }),
  forwarded_proto_missing: refusal(426, 'HTTPS is required: the proxy sent no X-Forwarded-Proto header', {
    means: 'A proxy of `LATCHKEY_TRUST_PROXY` does not state whether the request reached it by HTTPS.',
    remedy: 'Let the proxy set `X-Forwarded-Proto`.',
    app: FIX_AND_KEEP_RUNNING,
    console: [
      'The proxy does not say that it was reached by HTTPS.',
      'The operator of the proxy must set X-Forwarded-Proto.',
    ],
  }),
  forbidden_peer: refusal(403, 'Plain HTTP is served to trusted proxies only', {
    means: 'Plain HTTP came from a machine that is not in `LATCHKEY_TRUST_PROXY`.',
    remedy: 'Call through the proxy, or add the address of the machine.',
    app: FIX_AND_KEEP_RUNNING,
    console: ['The service takes this only from its proxy.', 'Open the console at its public address.'],
  }),
  metrics_host: refusal(403, 'Metrics are not answered under this host name, nor to pages of other sites', {
    means: 'The metrics port was called under a name that is not its own, as by a web page through a browser.',
    remedy: 'Add the name to `LATCHKEY_METRICS_NAMES`, or call the IP address.',
    console: ['Metrics are not answered under this name.', 'Nothing was changed.'],
  }),
  network_busy: refusal(503, 'Too many calls from your network are under way. Try again shortly.', {
    means: 'Too many calls of this network are in progress at once.',
    remedy: 'Wait for `Retry-After`, and send fewer calls at once. See `LATCHKEY_NETWORK_CALLS`.',
    app: KEEP_RUNNING,
    console: ['Too many calls from your network are under way.', 'Nothing was changed.'],
  }),
  database_away: refusal(503, 'The database cannot be reached. Try again shortly.', {
    means: 'The database cannot be reached. Without `Retry-After` the outcome of the request is unknown.',
    remedy: 'Retry. Operators find `database.away` in the log.',
    app: KEEP_RUNNING,
    console: ['The service cannot reach its database.', 'Nothing was changed.'],
  }),
  overloaded: refusal(503, 'The service is overloaded. Try again shortly.', {
    means: 'The service has more work than it can finish in time.',
    remedy: 'Wait for `Retry-After`; without it, some seconds.',
    app: KEEP_RUNNING,
    console: ['The service has too much to do at the moment.', 'Nothing was changed.'],
  }),
  not_ready: refusal(503, 'Not ready', {
    means: 'This process cannot serve: the database cannot be read, or the process is stopping.',
    remedy: 'Let the load balancer send requests to other nodes meanwhile.',
    console: ['The service is starting or stopping.', 'Nothing was changed.'],
  }),
  unexpected: refusal(500, 'Unexpected server failure', {
    means: 'A mistake in the service.',
    remedy: 'Find the failure in the log by the `X-Request-Id`, and report it.',
    app: KEEP_RUNNING,
    console: ['The service failed.', "We can't tell whether the change was made. Check before you retry."],
  }),
});

/** An error that answers a request on purpose; `Code` lists the possible errors. */
export interface Refusal<Code extends RefusalCode = RefusalCode> {
  readonly refused: Code;
  /** Fills the `{name}` placeholders of the text. */
  readonly details?: Readonly<Record<string, string | number>>;
  /** Further fields of the error body, as for a seat code that is redeemed already. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Whole seconds until it makes sense to try again: the `Retry-After` header. */
  readonly retryAfterSeconds?: number;
}

/** Makes a refusal. */
export function refuse<Code extends RefusalCode>(refused: Code, more: Omit<Refusal, 'refused'> = {}): Refusal<Code> {
  return { refused, ...more };
}

/** Whether a result is a refusal. */
export function isRefusal<Code extends RefusalCode>(result: object | Refusal<Code>): result is Refusal<Code> {
  return 'refused' in result;
}

/** The HTTP status of a refusal. */
export function statusOf(code: RefusalCode): number {
  return entryOf(code).status;
}

/** The error text of a refusal, its placeholders filled. */
export function textOf(refusal: Refusal): string {
  return textPattern(refusal.refused).replace(/\{(\w+)\}/g, (_, name: string) => String(refusal.details?.[name]));
}

/** The text of a refusal with placeholders as `{name}`. */
export function textPattern(code: RefusalCode): string {
  return entryOf(code).text;
}

/** The text of a refusal as documentation shows it. */
export function shownText(code: RefusalCode): string {
  return entryOf(code).shown ?? textPattern(code);
}

/** The code by which clients know a refusal. */
export function codeOf(refused: RefusalCode): PublishedCode {
  return (entryOf(refused).code ?? refused) as PublishedCode;
}

/** The explanation of a published code. */
export function adviceOf(code: PublishedCode): Advice {
  const entry: object = entryOf(refusalCodes.find((name) => codeOf(name) === code) as RefusalCode);
  return entry as Advice;
}

/** The statuses with which a published code is answered, each once, in ascending order. */
export function statusesOf(code: PublishedCode): readonly number[] {
  const statuses = refusalCodes.filter((name) => codeOf(name) === code).map(statusOf);
  return [...new Set(statuses)].sort((one, other) => one - other);
}
