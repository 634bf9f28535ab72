/** The meaning and remedy of each code, for docs/errors.md and the page at /docs. */
import type { PublishedCode } from '../endpoint/refusals.ts';

/** The explanation of one code. Texts may contain `code` between backticks. */
export interface Advice {
  /** The cause. */
  readonly means: string;
  /** The remedy for the caller or the operator. */
  readonly remedy: string;
  /** The reaction of an application on a customer's machine; present for the codes of the client endpoints. */
  readonly app?: string;
}

const FIX_THE_PROGRAM = 'Correct the calling program; repeating the call does not help.';
const KEEP_RUNNING = 'Keeps running as after its last good answer, and retries later.';
const FIX_AND_KEEP_RUNNING = 'Keeps running as after its last good answer, and reports the mistake to its developer.';

/** Every code, in the order of endpoint/refusals.ts. */
export const ADVICE: Readonly<Record<PublishedCode, Advice>> = {
  unauthorized: {
    means: 'The credential is missing or wrong.',
    remedy: 'Send a valid one; "Credentials" on the reference page says where.',
  },
  wrong_secret_rate: {
    means: 'Too many wrong credentials came from this network; valid ones that are new there are refused, too.',
    remedy: 'Wait for `Retry-After`, and find the job that sends an old credential.',
  },
  role_not_allowed: {
    means: 'The role of this console session does not allow the call.',
    remedy: 'Ask an owner to make the call, or to give you an operator key with another role.',
  },
  creator_mismatch: {
    means: 'An API key named a `creatorId` that is not its own.',
    remedy: 'Leave `creatorId` out, or use the key of that creator.',
  },
  missing_fields: {
    means: 'A required field is absent, null or empty; the text names it.',
    remedy: FIX_THE_PROGRAM,
    app: 'Asks for a missing license key; activates without a token; otherwise reports the mistake to its developer.',
  },
  invalid_field: {
    means: 'A field has a wrong type or value; the text names it and the valid values.',
    remedy: FIX_THE_PROGRAM,
    app: FIX_AND_KEEP_RUNNING,
  },
  license_not_found: {
    means: 'No license has this key; for an API key, no license of its creator.',
    remedy: 'Look for a typing mistake. Support finds licenses by e-mail address with /listLicenses.',
    app: 'Reports that the key is unknown, and asks for it again; stays locked until a key is accepted.',
  },
  license_revoked: {
    means: 'The license was revoked: by an operator, or after a refund, a chargeback or fraud.',
    remedy: 'Read the reason in /getLicense; /reinstateLicense lifts the revocation.',
    app: 'Locks, and tells the user to write to support.',
  },
  license_expired: {
    means: 'The license has expired and was not renewed.',
    remedy: 'A renewal or /updateLicense extends it; the same key then works again at once.',
    app: 'Locks, or runs without its licensed functions, and offers renewal. Keeps the key.',
  },
  wrong_product: {
    means: 'The license is for another product.',
    remedy: 'Compare the `productId` in the program with the product of the license.',
    app: 'Reports that the key is for another product, and asks for another key.',
  },
  machine_limit: {
    means: 'Every slot is taken: machines of a per-machine license, sessions of a floating one.',
    remedy:
      'Free one (/deactivate, /releaseActivation, /endSession, /resetActivations), or raise the limit with /updateLicense.',
    app: 'Tells the user to deactivate another machine or close the program there, and lets them try again.',
  },
  machine_not_activated: {
    means: 'The machine is not bound to the license, or its floating session is over and no slot is free.',
    remedy: 'Activate the machine.',
    app: 'Calls /activate once by itself. Asks the user if that is refused.',
  },
  no_live_session: {
    means: 'There is nothing to end: the license is not floating, or the session of the machine is over.',
    remedy: 'Look at `sessionActive` in /getLicense. /releaseActivation unbinds a machine with or without a session.',
  },
  activation_rate: {
    means: 'More than 15 attempts to activate this license within an hour.',
    remedy: 'Wait for `Retry-After`, or use /liftActivationLimit.',
    app: 'Does not lock active machines. Retries after `Retry-After`, not before.',
  },
  invalid_token: {
    means: 'The session token is malformed or expired, or its activation has ended.',
    remedy: 'Activate again: a machine that is already bound takes no further slot.',
    app: 'Calls /activate once by itself, and stores the new token.',
  },
  token_mismatch: {
    means: 'The token belongs to another license key or another machine; the service records a violation.',
    remedy: 'Check whether the token was copied between machines, for example with a disk image.',
    app: 'Deletes the token and calls /activate once by itself.',
  },
  chargeback_revocation: {
    means: 'Only /reinstateLicense lifts a revocation by a chargeback.',
    remedy: 'Call /reinstateLicense if the license should work again.',
  },
  violation_not_found: {
    means: 'One of the `violationIds` belongs to another license; nothing was changed.',
    remedy: 'Take the ids from /getLicense.',
  },
  too_many_products: {
    means: 'The creator has too many products to list the licenses of all of them together.',
    remedy: 'Name a `productId`.',
  },
  query_is_secret: {
    means: 'The query looks like a secret, an API key or a session token. It is neither searched for nor stored.',
    remedy: 'Search for its owner. /listApiKeys finds the owner of an API key by the `hash`, its SHA-256.',
  },
  license_files_not_offered: {
    means: 'The operator has switched off the files that apps fetch, for licenses of this type.',
    remedy: 'To offer them, set LATCHKEY_LICENSE_FILE_LIFETIME or LATCHKEY_FLOATING_FILE_LIFETIME.',
    app: 'Runs without a file while the service answers.',
  },
  too_many_license_files: {
    means: 'Too many machines hold a file of this license; another is issued when the first of them expires.',
    remedy: 'Wait. Released machines keep their file until it expires; /listLicenseFiles shows them.',
    app: 'Runs without a file while the service answers, and asks again after `Retry-After`.',
  },
  license_file_rate: {
    means: 'The machine has fetched 10 license files within an hour.',
    remedy: 'Wait for `Retry-After`. An app fetches a file after `renewAfter`, not at every start.',
    app: 'Keeps running as after its last good answer, with its present file, and asks again after `Retry-After`.',
  },
  product_not_found: {
    means: 'The product does not exist, or belongs to another creator.',
    remedy: 'Read the ids from /listProducts.',
  },
  product_archived: {
    means: 'An archived product gets no new licenses, variants or codes, and its name and owner cannot change.',
    remedy: 'Make the product live again with /updateProduct first.',
  },
  operator_creates_products: {
    means: 'API keys may not create products in this service.',
    remedy: 'Ask the operator to create it, or to set `LATCHKEY_CREATORS_MAY_CREATE_PRODUCTS`.',
  },
  slug_taken: {
    means: 'The slug belongs to a product, or licenses were sold under it.',
    remedy: 'Choose another slug.',
  },
  variant_not_found: {
    means: 'The variant does not exist, or belongs to another creator.',
    remedy: 'Read the ids from /listVariants.',
  },
  variant_ambiguous: {
    means: 'Variants of several products have this `variantId`; the text names them.',
    remedy: 'Add the `productId`.',
  },
  api_key_not_found: {
    means: 'This API key does not exist.',
    remedy: 'Check whether it was shortened; /listApiKeys lists all keys.',
  },
  sign_in_rate: {
    means: 'The key has begun 30 console sessions within an hour.',
    remedy: 'Wait for `Retry-After`. If a program signs in instead of a person, revoke the key.',
  },
  console_session_not_found: {
    means: 'No console session has this id, or the caller may not end it.',
    remedy: 'It has probably ended; /listConsoleSessions lists the live sessions.',
  },
  operator_key_not_found: {
    means: 'No operator key has this hash.',
    remedy: 'Check whether it was shortened; /listOperatorKeys lists all keys.',
  },
  destination_not_found: {
    means: 'There is no such destination, or it belongs to another creator.',
    remedy: 'Take its id from /listDestinations.',
  },
  too_many_destinations: {
    means: 'The owner has the most destinations allowed: 20 for a creator, 100 for the operator.',
    remedy: 'Delete an unused destination, or name more types in one.',
  },
  operator_creates_destinations: {
    means: 'API keys may not create destinations in this service (LATCHKEY_CREATORS_MAY_CREATE_DESTINATIONS).',
    remedy: 'Ask the operator to create it.',
  },
  destination_inactive: {
    means: 'Nothing is sent to a destination that is paused or disabled.',
    remedy: 'Call /resumeDestination, then test it.',
  },
  test_rate: {
    means: 'This destination had ten tests within a minute.',
    remedy: 'Wait a minute.',
  },
  secrets_key_missing: {
    means: 'A service on PostgreSQL keeps secrets of destinations under LATCHKEY_SECRETS_KEY, which is not set.',
    remedy: 'Ask the operator to set the same LATCHKEY_SECRETS_KEY on every node.',
  },
  discount_code_not_found: {
    means: 'The code does not exist, or belongs to another creator.',
    remedy: 'Look for a typing mistake.',
  },
  discount_code_taken: {
    means: 'A code with this name exists, of this or of another creator.',
    remedy: 'Choose another name.',
  },
  code_invalid: {
    means: 'The code does not exist (404), or is inactive (400).',
    remedy: 'Ask the customer for another code.',
  },
  code_expired: { means: 'The code has expired.', remedy: 'Ask the customer for another code.' },
  code_max_uses: {
    means: 'The code has no uses left.',
    remedy: 'Ask the customer for another code, or raise `maxUses` with /updateDiscountCode.',
  },
  code_not_applicable: {
    means: 'The code is for another product, or gives no trial.',
    remedy: 'Check the `productId` and the `trialDays` of the code.',
  },
  code_already_redeemed: {
    means: 'This e-mail address has already redeemed the code.',
    remedy: 'Send the customer the key of their license again.',
  },
  redemption_rate: {
    means: 'Too many unknown codes came from this network within an hour.',
    remedy: 'Wait for `Retry-After`. A storefront that calls for its customers sends the webhook secret.',
  },
  trial_rate: {
    means: 'This network got too many trials within an hour.',
    remedy: 'Wait for `Retry-After`. A storefront that calls for its customers sends the webhook secret.',
  },
  duration_missing: {
    means: 'Neither the renewal nor the variant has a period.',
    remedy: 'Send `durationDays` or set it on the variant, and deliver the event again.',
  },
  event_id_reused: {
    means: 'An event of this type and `eventId` was applied to another `purchaseId` or `productId`.',
    remedy:
      'Use an `eventId` for one event only. If one event is about several purchases, add the `purchaseId` to its id.',
  },
  seat_code_not_found: { means: 'No seat has this code.', remedy: 'Look for a typing mistake.' },
  seat_code_redeemed: {
    means: 'The seat is taken; the answer names the user and the time.',
    remedy: 'Use another code of the order.',
  },
  seat_already_held: {
    means: 'The user already has a seat of this order.',
    remedy: 'Give the code to another user.',
  },
  studio_order_not_found: {
    means: 'The order does not exist, or belongs to another creator.',
    remedy: 'Check the `studioOrderId`.',
  },
  idempotency_key_reused: {
    means: 'The `Idempotency-Key` came with another request within 24 hours.',
    remedy: 'Use a new key for each new request.',
  },
  idempotent_reply_lost: {
    means:
      'The request succeeded the first time. Its answer was not stored, because it was longer than 1 MiB or the caller had ' +
      'used up its space for the answers of that day; or it cannot be decrypted since the admin secret was changed.',
    remedy: 'Read the state of the object. With this key the request is not executed again.',
  },
  malformed_http: {
    means: 'The request is not HTTP, or has no `Host`.',
    remedy: 'Check the sending program. Port scanners cause this, too: ignore them.',
    app: FIX_AND_KEEP_RUNNING,
  },
  headers_too_large: {
    means: 'The request line and headers are too large or too many.',
    remedy: 'Look for large cookies, and for proxies that add headers.',
    app: FIX_AND_KEEP_RUNNING,
  },
  request_timeout: {
    means: 'The request did not arrive in time.',
    remedy: 'Send it again. On slow networks raise `LATCHKEY_REQUEST_TIMEOUT`.',
    app: KEEP_RUNNING,
  },
  bad_json: { means: 'The body is not JSON in UTF-8.', remedy: FIX_THE_PROGRAM, app: FIX_AND_KEEP_RUNNING },
  body_not_object: {
    means: 'The body is JSON, but not an object.',
    remedy: FIX_THE_PROGRAM,
    app: FIX_AND_KEEP_RUNNING,
  },
  not_found: {
    means: 'No endpoint has this path. Paths are compared exactly.',
    remedy: 'Check the path, and whether a proxy changes it.',
    app: FIX_AND_KEEP_RUNNING,
  },
  method_not_allowed: {
    means: 'The path exists, but not with this method; `Allow` names the accepted methods.',
    remedy: FIX_THE_PROGRAM,
    app: FIX_AND_KEEP_RUNNING,
  },
  query_too_large: {
    means: 'The query string is too large, or has too many parameters.',
    remedy: 'Send the fields in the body of a POST.',
    app: FIX_AND_KEEP_RUNNING,
  },
  body_too_large: { means: 'The body is larger than 64 KiB.', remedy: FIX_THE_PROGRAM, app: FIX_AND_KEEP_RUNNING },
  https_required: {
    means: 'The request came without TLS.',
    remedy: 'Use `https://`.',
    app: FIX_AND_KEEP_RUNNING,
  },
  forwarded_proto_missing: {
    means: 'A proxy of `LATCHKEY_TRUST_PROXY` does not state whether the request reached it by HTTPS.',
    remedy: 'Let the proxy set `X-Forwarded-Proto`.',
    app: FIX_AND_KEEP_RUNNING,
  },
  forbidden_peer: {
    means: 'Plain HTTP came from a machine that is not in `LATCHKEY_TRUST_PROXY`.',
    remedy: 'Call through the proxy, or add the address of the machine.',
    app: FIX_AND_KEEP_RUNNING,
  },
  metrics_host: {
    means: 'The metrics port was called under a name that is not its own, as by a web page through a browser.',
    remedy: 'Add the name to `LATCHKEY_METRICS_NAMES`, or call the IP address.',
  },
  network_busy: {
    means: 'Too many calls of this network are in progress at once.',
    remedy: 'Wait for `Retry-After`, and send fewer calls at once. See `LATCHKEY_NETWORK_CALLS`.',
    app: KEEP_RUNNING,
  },
  database_away: {
    means: 'The database cannot be reached. Without `Retry-After` the outcome of the request is unknown.',
    remedy: 'Retry. Operators find `database.away` in the log.',
    app: KEEP_RUNNING,
  },
  overloaded: {
    means: 'The service has more work than it can finish in time.',
    remedy: 'Wait for `Retry-After`; without it, some seconds.',
    app: KEEP_RUNNING,
  },
  not_ready: {
    means: 'This process cannot serve: the database cannot be read, or the process is stopping.',
    remedy: 'Let the load balancer send requests to other nodes meanwhile.',
  },
  unexpected: {
    means: 'A mistake in the service.',
    remedy: 'Find the failure in the log by the `X-Request-Id`, and report it.',
    app: KEEP_RUNNING,
  },
};

/** General rules for an application's reaction to refusals, one per paragraph. */
export const APP_RULES: readonly string[] = [
  'Decide by the code, or by the status of an unknown code; never by the text.',
  'Only an answer about the license itself is a reason to lock: `license_not_found`, `license_revoked`, ' +
    '`license_expired`, `wrong_product`, and `machine_limit` or a refused /activate on a machine that was not active.',
  'Never lock a paying customer out because of 429, any 5xx, 408, a network failure, or an unknown code: keep ' +
    'running as after the last good answer, and retry. A token lasts 30 days unless configured.',
  'Retry after `Retry-After`; without it after a minute, and after twice as long each time up to an hour, with some ' +
    'random time added, so that machines do not call together. Every call to the client endpoints may be repeated.',
  'Send heartbeats at a third of the session timeout, every 5 minutes with the usual 15, so that two may get lost before a ' +
    'floating session ends: wait a third of the time until `sessionExpiresAt` of the answer.',
];
