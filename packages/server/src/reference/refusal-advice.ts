/** The meaning and remedy of each code, for docs/errors.md and the page at /docs. */
import type { PublishedCode } from '../refusals.ts';

/** The explanation of one code. Texts may contain `code` between backticks. */
export interface Advice {
  /** The cause. */
  readonly means: string;
  /** The remedy for the caller or the operator. */
  readonly remedy: string;
  /** The reaction of an application on a customer's machine; present for the codes of the client endpoints. */
  readonly app?: string;
}

const FIX_THE_PROGRAM = 'A mistake of the program that asks; repeating it does not help.';
const KEEP_RUNNING = 'Goes on as after its last good answer, and tries again later.';
const FIX_AND_KEEP_RUNNING = 'Goes on as after its last good answer, and reports the mistake to its developer.';

/** Every code, in the order of refusals.ts. */
export const ADVICE: Readonly<Record<PublishedCode, Advice>> = {
  unauthorized: {
    means: 'No credential was shown, or one that is wrong.',
    remedy: 'Show a right one; see "Credentials" on the reference page for where it goes.',
  },
  wrong_secret_rate: {
    means: 'Too many wrong credentials came from this network; right ones that are new there wait, too.',
    remedy: 'Wait as long as `Retry-After` says, and find the job that shows an old credential.',
  },
  role_not_allowed: {
    means: 'Somebody is signed in to the console with a role that does not reach this.',
    remedy: 'Ask an owner to do it, or for an operator key with another role.',
  },
  creator_mismatch: {
    means: 'An API key named a `creatorId` that is not its own.',
    remedy: 'Leave `creatorId` out, or ask with the key of that creator.',
  },
  missing_fields: {
    means: 'A required field is absent, null or empty; the text names what is missing.',
    remedy: FIX_THE_PROGRAM,
    app: 'Asks for the license key or activates, if that is what is missing; otherwise it has a mistake.',
  },
  invalid_field: {
    means: 'A field does not fit; the text names it and says what fits.',
    remedy: FIX_THE_PROGRAM,
    app: FIX_AND_KEEP_RUNNING,
  },
  license_not_found: {
    means: 'No license has this key; to an API key, none of its creator.',
    remedy: 'Look for a typing mistake. Support finds licenses by e-mail with /listLicenses.',
    app: 'Says that the key is not known and asks for it again; stays locked until one is accepted.',
  },
  license_revoked: {
    means: 'The license was revoked: by an operator, or after a refund, a chargeback or fraud.',
    remedy: 'Operators see why in /getLicense, and may lift it with /reinstateLicense.',
    app: 'Locks, and tells the user to write to support.',
  },
  license_expired: {
    means: 'The license has lapsed, or was not renewed.',
    remedy: 'A renewal or /updateLicense extends it; the same key then works again at once.',
    app: 'Locks or falls back to what works without a license, and offers renewal. Keeps the key.',
  },
  wrong_product: {
    means: 'The key is right, but for another product.',
    remedy: 'Look whether the `productId` in the program is the one that the license was sold for.',
    app: 'Says that the key is for another product, and asks for another key.',
  },
  machine_limit: {
    means: 'Every slot is taken: machines of a per-machine license, sessions of a floating one.',
    remedy:
      'Free one (/deactivate, /releaseActivation, /endSession, /resetActivations), or raise the limit with /updateLicense.',
    app: 'Tells the user to deactivate another machine or close the program there, and lets them try again.',
  },
  machine_not_activated: {
    means: 'The machine is not bound to the license, or its floating session is over and no slot is free.',
    remedy: 'Activate the machine (again).',
    app: 'Calls /activate once by itself. Asks the user if that is refused.',
  },
  no_live_session: {
    means: 'The license is not a floating one, or the session of the machine is over already: there is nothing to end.',
    remedy: 'Look at `sessionActive` in /getLicense. /releaseActivation unbinds a machine with or without a session.',
  },
  activation_rate: {
    means: 'More than 15 attempts to activate this license within an hour.',
    remedy: 'Wait as long as `Retry-After` says, or use /liftActivationLimit.',
    app: 'Does not lock machines that were active. Tries again after `Retry-After`, not before.',
  },
  invalid_token: {
    means: 'The session token is malformed, has expired, or is of an activation that no longer is.',
    remedy: 'Activate again: that takes no further slot on a machine which is bound.',
    app: 'Calls /activate once by itself, and keeps the new token.',
  },
  token_mismatch: {
    means: 'The token is of another license key or another machine; it is recorded as a violation.',
    remedy: 'Look whether the token was copied between machines, as with a disk image.',
    app: 'Throws the token away and calls /activate once by itself.',
  },
  chargeback_revocation: {
    means: 'Only /reinstateLicense undoes a revocation by a chargeback.',
    remedy: 'Use /reinstateLicense, if that is what you want.',
  },
  violation_not_found: {
    means: 'One of the `violationIds` is not of this license; nothing was changed.',
    remedy: 'Read the ids from /getLicense.',
  },
  too_many_products: {
    means: 'The creator has too many products to list the licenses of all of them together.',
    remedy: 'Name a `productId`.',
  },
  query_is_secret: {
    means:
      'What was searched for looks like a secret, an API key or a session token. It is neither looked up nor kept.',
    remedy: 'Search for what it belongs to. Whose an API key is, /listApiKeys tells by its SHA-256, as `hash`.',
  },
  license_files_not_offered: {
    means: 'The operator has switched off the files that apps fetch, for licenses of this type.',
    remedy: 'Set LATCHKEY_LICENSE_FILE_LIFETIME or LATCHKEY_FLOATING_FILE_LIFETIME, if apps should get them.',
    app: 'Goes on without a file, as long as the service answers.',
  },
  too_many_license_files: {
    means:
      'So many machines hold a file of this license that no further one gets one before the first of them expires.',
    remedy: 'Wait; machines that were released keep their file until it expires. /listLicenseFiles shows them.',
    app: 'Goes on without a file, as long as the service answers, and asks again after `Retry-After`.',
  },
  license_file_rate: {
    means: 'The machine has fetched 10 license files within an hour.',
    remedy:
      'Wait as long as `Retry-After` says. An app fetches a file when `renewAfter` has passed, not with every start.',
    app: 'Goes on as after its last good answer, with the file that it has, and asks again after `Retry-After`.',
  },
  product_not_found: { means: 'There is no such product in reach.', remedy: 'Read the ids from /listProducts.' },
  product_archived: {
    means: 'Archived products take no new licenses, variants or codes, and no new name or owner.',
    remedy: 'Make the product live again with /updateProduct first.',
  },
  operator_creates_products: {
    means: 'This service does not let API keys create products.',
    remedy: 'Ask the operator, who may also set `LATCHKEY_CREATORS_MAY_CREATE_PRODUCTS`.',
  },
  slug_taken: {
    means: 'The slug belongs to a product, or licenses were sold under it.',
    remedy: 'Choose another.',
  },
  variant_not_found: { means: 'There is no such variant in reach.', remedy: 'Read the ids from /listVariants.' },
  variant_ambiguous: {
    means: 'Variants of several products have this `variantId`; the text names them.',
    remedy: 'Name the `productId`, too.',
  },
  api_key_not_found: {
    means: 'No API key is this one.',
    remedy: 'Look whether it was cut; /listApiKeys shows what there is.',
  },
  sign_in_rate: {
    means: 'The key has begun 30 console sessions within an hour.',
    remedy: 'Wait as long as `Retry-After` says. If nobody signs in so often, a program does: revoke the key.',
  },
  console_session_not_found: {
    means: 'No console session with this id is there, or it is not one that the caller may end.',
    remedy: 'It is over already, most likely; /listConsoleSessions shows those that are not.',
  },
  operator_key_not_found: {
    means: 'No operator key has this hash.',
    remedy: 'Look whether it was cut; /listOperatorKeys shows what there is.',
  },
  discount_code_not_found: { means: 'There is no such code in reach.', remedy: 'Look for a typing mistake.' },
  discount_code_taken: {
    means: 'There is a code of this name, of this or of another creator.',
    remedy: 'Choose another name.',
  },
  code_invalid: {
    means: 'The code does not exist (404), or is switched off (400).',
    remedy: 'Ask the customer for another code.',
  },
  code_expired: { means: 'The code has expired.', remedy: 'Ask the customer for another code.' },
  code_max_uses: {
    means: 'The code was used as often as it may be.',
    remedy: 'Ask the customer for another code, or raise `maxUses` with /updateDiscountCode.',
  },
  code_not_applicable: {
    means: 'The code does not fit the product, or gives no trial there.',
    remedy: 'Look at the `productId` and the `trialDays` of the code.',
  },
  code_already_redeemed: {
    means: 'This e-mail address has redeemed the code.',
    remedy: 'The customer has a license already: send its key again.',
  },
  redemption_rate: {
    means: 'Too many unknown codes came from this network within an hour.',
    remedy: 'Wait as long as `Retry-After` says. A storefront that asks for its customers shows the webhook secret.',
  },
  trial_rate: {
    means: 'Too many trials were given to this network within an hour.',
    remedy: 'Wait as long as `Retry-After` says. A storefront that asks for its customers shows the webhook secret.',
  },
  duration_missing: {
    means: 'A renewal gives no period, and its variant has none.',
    remedy: 'Send `durationDays`, or give it to the variant; then deliver the event again.',
  },
  seat_code_not_found: { means: 'No seat has this code.', remedy: 'Look for a typing mistake.' },
  seat_code_redeemed: {
    means: 'The seat is taken; the answer says by whom and since when.',
    remedy: 'Use another code of the order.',
  },
  seat_already_held: {
    means: 'The user has a seat of this order.',
    remedy: 'Nothing is to be done: give the code to somebody else.',
  },
  studio_order_not_found: { means: 'There is no such order in reach.', remedy: 'Look at the `studioOrderId`.' },
  idempotency_key_reused: {
    means: 'The `Idempotency-Key` came with another request within 24 hours.',
    remedy: 'Use a new key for each request that is not a repetition.',
  },
  idempotent_reply_lost: {
    means:
      'The request succeeded the first time. Its answer was not kept, because it was longer than 1 MiB or the caller had ' +
      'as many answers kept that day as are kept; or it cannot be opened since the admin secret was changed.',
    remedy: 'Look up what the request did. It is not acted on again with this key.',
  },
  malformed_http: {
    means: 'What arrived is not HTTP, or has no `Host`.',
    remedy: 'Look at the program that sends it. Scanners cause this as well: nothing is to be done about those.',
    app: FIX_AND_KEEP_RUNNING,
  },
  headers_too_large: {
    means: 'The request line and headers are too large or too many.',
    remedy: 'Look for cookies or proxies that add to each request.',
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
    remedy: 'Look at the path, and at what a proxy adds to it or takes away.',
    app: FIX_AND_KEEP_RUNNING,
  },
  method_not_allowed: {
    means: 'The path is right and the method is not; `Allow` names those there are.',
    remedy: FIX_THE_PROGRAM,
    app: FIX_AND_KEEP_RUNNING,
  },
  query_too_large: {
    means: 'The query string is too large, or has too many parameters.',
    remedy: 'Send the fields as the body of a POST.',
    app: FIX_AND_KEEP_RUNNING,
  },
  body_too_large: { means: 'The body is larger than 64 KiB.', remedy: FIX_THE_PROGRAM, app: FIX_AND_KEEP_RUNNING },
  https_required: {
    means: 'The request came without TLS.',
    remedy: 'Use `https://`.',
    app: FIX_AND_KEEP_RUNNING,
  },
  forwarded_proto_missing: {
    means: 'A proxy of `LATCHKEY_TRUST_PROXY` does not say whether the request reached it by HTTPS.',
    remedy: 'Let the proxy set `X-Forwarded-Proto`.',
    app: FIX_AND_KEEP_RUNNING,
  },
  forbidden_peer: {
    means: 'Plain HTTP came from a machine that is not in `LATCHKEY_TRUST_PROXY`.',
    remedy: 'Ask through the proxy, or add its address.',
    app: FIX_AND_KEEP_RUNNING,
  },
  metrics_host: {
    means:
      'The port of the metrics was asked under a name that is not its own, as a foreign page would ask it through a browser.',
    remedy: 'Name the host in `LATCHKEY_METRICS_NAMES`, or ask by its address.',
  },
  network_busy: {
    means: 'Too many calls of this network are under way at once.',
    remedy: 'Wait as long as `Retry-After` says, and ask less at once. See `LATCHKEY_NETWORK_CALLS`.',
    app: KEEP_RUNNING,
  },
  database_away: {
    means: 'The database cannot be reached. Without `Retry-After` it is not known whether the request was acted on.',
    remedy: 'Try again. Operators look for `database.away` in the log.',
    app: KEEP_RUNNING,
  },
  overloaded: {
    means: 'There is more work than can be done in time.',
    remedy: 'Wait as long as `Retry-After` says, where it is there, else some seconds.',
    app: KEEP_RUNNING,
  },
  not_ready: {
    means: 'This process cannot do its work: the database cannot be read, or the process is about to stop.',
    remedy: 'Load balancers send requests elsewhere meanwhile.',
  },
  unexpected: {
    means: 'A mistake in the service.',
    remedy: 'Find the `X-Request-Id` in the log, where the failure stands with it, and report it.',
    app: KEEP_RUNNING,
  },
};

/** General rules for an application's reaction to refusals, one per paragraph. */
export const APP_RULES: readonly string[] = [
  'Decide by the code, and by the status where the code is new to the application; never by the text.',
  'Only an answer about the license itself is a reason to lock: `license_not_found`, `license_revoked`, ' +
    '`license_expired`, `wrong_product`, and `machine_limit` or a refused /activate on a machine that was not active.',
  'Never lock a paying customer out because of 429, any 5xx, 408, a network that fails, or a code that is new to the ' +
    'application: go on as after the last good answer, and try again. A token is good for 30 days unless configured.',
  'Try again after `Retry-After` where it is there; else after a minute, and after twice as long each time up to an ' +
    'hour, with some chance added, so that not all machines ask at once. Every call to the client endpoints may be repeated.',
  'Send heartbeats at a third of the session timeout, every 5 minutes with the usual 15: two may then get lost before a ' +
    'floating session ends. An answer has `sessionExpiresAt`; a third of the time until then is the pause.',
];
