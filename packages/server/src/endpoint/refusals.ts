/**
 * The closed list of refusals: every status and error text that the service returns on purpose (rules 4, 7). A refusal
 * is a value that an action returns; changes that must survive it (an activation attempt, a violation) commit with it.
 *
 * Clients identify a refusal by its published code, in the header `Latchkey-Code`. The code is the name in this list,
 * unless `code` gives another: refusals that mean the same to a client share one published code, and so does every
 * text. Refusals with one code may have different statuses, where endpoints word or rank the same error differently.
 */
const LIST = {
  // the caller
  unauthorized: { status: 401, text: 'Unauthorized' },
  wrong_secret_rate: { status: 429, text: 'Too many wrong credentials from your network. Try again later.' },
  role_not_allowed: { status: 403, text: 'Your role does not allow this. Ask an owner.' },
  creator_mismatch: { status: 403, text: 'An API key cannot act for another creator' },
  // the request: the text is the endpoint's own or names the field
  missing_fields: { status: 400, text: '{message}' },
  invalid_field: { status: 400, text: '{message}' },
  // licenses
  license_not_found: { status: 404, text: 'License not found' },
  license_revoked: { status: 403, text: 'License has been revoked' },
  license_expired: { status: 403, text: 'License has expired' },
  wrong_product: { status: 403, text: 'License is for a different product' },
  machine_limit: { status: 403, text: 'Machine limit reached ({limit}). Deactivate another machine first.' },
  machine_not_activated: { status: 403, text: 'Machine not activated' },
  machine_not_found: { status: 404, text: 'Machine not activated', code: 'machine_not_activated' },
  no_live_session: { status: 409, text: 'Machine has no live session' },
  activation_rate: { status: 429, text: 'Too many activation attempts. Try again later.' },
  invalid_token: { status: 401, text: 'Invalid or expired token' },
  token_mismatch: { status: 401, text: 'Token mismatch' },
  invalid_heartbeat_token: { status: 401, text: 'Invalid token', code: 'invalid_token' },
  chargeback_revocation: {
    status: 409,
    text: 'License was revoked by a chargeback. Only /reinstateLicense undoes it.',
  },
  violation_not_found: { status: 404, text: 'Violation not found' },
  too_many_products: { status: 400, text: 'You own more than {limit} products: provide a productId' },
  query_is_secret: {
    status: 400,
    text: 'This looks like a credential. Search for what it belongs to; /listApiKeys finds an API key by its hash.',
  },
  // license files
  license_files_not_offered: { status: 403, text: 'License files are not offered for this license' },
  too_many_license_files: { status: 403, text: 'Too many license files are in use. Try again after {time}' },
  license_file_rate: { status: 429, text: 'Too many license files for this machine. Try again later.' },
  // catalogue
  product_not_found: { status: 404, text: 'Product not found' },
  product_archived: { status: 409, text: 'Product is archived' },
  operator_creates_products: { status: 403, text: 'Only the operator creates products here' },
  slug_taken: { status: 409, text: 'Slug already exists' },
  variant_not_found: { status: 404, text: 'Variant not found' },
  variant_ambiguous: { status: 409, text: 'variantId is ambiguous: {variants}' },
  // API keys
  api_key_not_found: { status: 404, text: 'API key not found' },
  // the console
  sign_in_rate: { status: 429, text: 'Too many sign-ins with this key. Try again later.' },
  console_session_not_found: { status: 404, text: 'Console session not found' },
  operator_key_not_found: { status: 404, text: 'Operator key not found' },
  // destinations of events
  destination_not_found: { status: 404, text: 'Destination not found' },
  too_many_destinations: { status: 409, text: 'Too many destinations ({limit}). Delete one first.' },
  operator_creates_destinations: { status: 403, text: 'Only the operator creates destinations here' },
  secrets_key_missing: { status: 409, text: 'The service has no LATCHKEY_SECRETS_KEY, so it cannot keep secrets' },
  destination_inactive: { status: 409, text: 'Destination is paused or disabled. Resume it first.' },
  test_rate: { status: 429, text: 'Too many tests. Try again later.' },
  // discount codes
  discount_code_not_found: { status: 404, text: 'Discount code not found' },
  discount_code_taken: { status: 409, text: 'Discount code already exists' },
  code_unknown: { status: 404, text: 'invalid', code: 'code_invalid' },
  code_deactivated: { status: 400, text: 'invalid', code: 'code_invalid' },
  code_expired: { status: 400, text: 'expired' },
  code_max_uses: { status: 400, text: 'max_uses' },
  code_not_applicable: { status: 400, text: 'not_applicable' },
  code_already_redeemed: { status: 409, text: 'already_redeemed' },
  redemption_rate: { status: 429, text: 'Too many redemption attempts. Try again later.' },
  trial_rate: { status: 429, text: 'Too many trials from your network. Try again later.' },
  // storefront
  duration_missing: { status: 400, text: 'durationDays is required: neither the event nor the variant gives a period' },
  event_id_reused: { status: 409, text: 'eventId was already used for another purchase or product' },
  // studio orders
  seat_code_not_found: { status: 404, text: 'Code not found' },
  seat_code_redeemed: { status: 409, text: 'Code already redeemed' },
  seat_already_held: { status: 409, text: 'User already has a seat in this studio order' },
  studio_order_not_found: { status: 404, text: 'Studio order not found' },
  // safe retries
  idempotency_key_reused: { status: 422, text: 'Idempotency-Key was already used with a different request' },
  idempotent_reply_lost: {
    status: 409,
    text: 'This Idempotency-Key was used and its first answer cannot be shown any more',
  },
  // the transport
  malformed_http: { status: 400, text: 'Request is not valid HTTP' },
  headers_too_large: { status: 431, text: 'Request line and headers are larger than 16 KiB or 100 headers' },
  request_timeout: { status: 408, text: 'Request took too long to arrive' },
  bad_json: { status: 400, text: 'Body is not valid JSON' },
  body_not_object: { status: 400, text: 'Body must be a JSON object' },
  not_found: { status: 404, text: 'Not found' },
  method_not_allowed: { status: 405, text: 'Method not allowed' },
  query_too_large: { status: 400, text: 'Query has more than 50 parameters or 8 KiB' },
  body_too_large: { status: 413, text: 'Body is larger than 64 KiB' },
  https_required: { status: 426, text: 'HTTPS is required' },
  forwarded_proto_missing: { status: 426, text: 'HTTPS is required: the proxy sent no X-Forwarded-Proto header' },
  forbidden_peer: { status: 403, text: 'Plain HTTP is served to trusted proxies only' },
  metrics_host: { status: 403, text: 'Metrics are not answered under this host name, nor to pages of other sites' },
  network_busy: { status: 503, text: 'Too many calls from your network are under way. Try again shortly.' },
  database_away: { status: 503, text: 'The database cannot be reached. Try again shortly.' },
  overloaded: { status: 503, text: 'The service is overloaded. Try again shortly.' },
  not_ready: { status: 503, text: 'Not ready' },
  unexpected: { status: 500, text: 'Unexpected server failure' },
} as const satisfies Record<string, { status: number; text: string; code?: string }>;

type List = typeof LIST;

/** The name of a refusal in the service's own code. Clients see its {@link PublishedCode}. */
export type RefusalCode = keyof List;

/** A code as clients see it, in the header `Latchkey-Code`. */
export type PublishedCode = {
  [Name in RefusalCode]: List[Name] extends { readonly code: infer Code } ? Code : Name;
}[RefusalCode];

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
  return LIST[code].status;
}

/** The error text of a refusal, its placeholders filled. */
export function textOf(refusal: Refusal): string {
  return LIST[refusal.refused].text.replace(/\{(\w+)\}/g, (_, name: string) => String(refusal.details?.[name]));
}

/** The text of a refusal as documentation shows it: placeholders as `{name}`. */
export function textPattern(code: RefusalCode): string {
  return LIST[code].text;
}

/** Every refusal there is, for the tests and the reference page. */
export const refusalCodes = Object.keys(LIST) as RefusalCode[];

const PUBLISHED = new Map<RefusalCode, PublishedCode>(
  refusalCodes.map((name) => {
    const entry: { readonly status: number; readonly code?: string } = LIST[name];
    return [name, (entry.code ?? name) as PublishedCode];
  }),
);

/** The code by which clients know a refusal. */
export function codeOf(refused: RefusalCode): PublishedCode {
  return PUBLISHED.get(refused) as PublishedCode;
}

/** Every published code, in the order of the list. */
export const publishedCodes: readonly PublishedCode[] = [...new Set(PUBLISHED.values())];

/** The statuses with which a published code is answered, each once, in ascending order. */
export function statusesOf(code: PublishedCode): readonly number[] {
  const statuses = refusalCodes.filter((name) => codeOf(name) === code).map(statusOf);
  return [...new Set(statuses)].sort((one, other) => one - other);
}
