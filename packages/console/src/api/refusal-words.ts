/** The texts of refusals for the person at the console: the cause, whether anything was changed, and the next step. */
import type { FailureCode, Refusal } from './refusal.ts';

/** The text of a refusal. */
export interface RefusalWords {
  readonly title: string;
  /** The next step. */
  readonly advice: string;
}

/** Stands for the service's own message, which names the fault, for example the field. */
const ITS_OWN = Symbol('the text of the service');

type Entry = readonly [title: string | typeof ITS_OWN, advice: string];

const NOT_YOURS = 'It does not exist, or it belongs to somebody else.';
const CLIENT_ONLY = 'Only apps should get this answer, not the console.';

const WORDS: Readonly<Record<FailureCode, Entry>> = {
  unauthorized: ['You are not signed in.', 'Sign in again. What you typed is still there.'],
  wrong_secret_rate: ['Too many wrong secrets came from your network.', 'Wait, then try again.'],
  role_not_allowed: ['Your role does not allow this.', 'Ask an owner. Nothing was changed.'],
  creator_mismatch: ['This belongs to another creator.', 'Sign in with a key of that creator.'],
  missing_fields: [ITS_OWN, 'Fill in the missing fields. Nothing was changed.'],
  invalid_field: [ITS_OWN, 'Change that field. Nothing was changed.'],
  license_not_found: ['There is no such license.', NOT_YOURS],
  license_revoked: ['The license is revoked.', 'Reinstate it first.'],
  license_expired: ['The license has expired.', 'Extend it first.'],
  wrong_product: ['The license is for a different product.', 'Look for the license of this product.'],
  machine_limit: ['All machines of the license are in use.', 'Free one, or allow more.'],
  machine_not_activated: ['This machine is not bound to the license.', 'It may have been removed already.'],
  no_live_session: ['This machine has no session at the moment.', 'It may have ended already.'],
  activation_rate: ['The license was activated too often within an hour.', 'Lift the limit, or wait.'],
  invalid_token: ['The token is not good.', CLIENT_ONLY],
  token_mismatch: ['The token belongs to another machine.', CLIENT_ONLY],
  chargeback_revocation: ['A chargeback revoked this license.', 'Only "Reinstate" undoes that. Nothing was changed.'],
  violation_not_found: ['There is no such violation on this license.', 'It may have been resolved already.'],
  too_many_products: ['You own many products.', 'Choose one of them in the filter.'],
  query_is_secret: ['This looks like a secret.', 'Do not search for secrets. Search for the owner or the license.'],
  license_files_not_offered: [
    'License files are not offered for this license.',
    'Its expiry or its type does not allow them.',
  ],
  too_many_license_files: [ITS_OWN, 'Nothing was changed.'],
  license_file_rate: [ITS_OWN, 'Nothing was changed.'],
  product_not_found: ['There is no such product.', NOT_YOURS],
  product_archived: ['The product is archived.', 'Put it on sale again first. Nothing was changed.'],
  operator_creates_products: ['Only the operator creates products here.', 'Ask the operator.'],
  slug_taken: ['A product with this identifier exists already.', 'Choose another one. Nothing was changed.'],
  variant_not_found: ['There is no such variant.', NOT_YOURS],
  variant_ambiguous: ['Several variants have this name.', 'Choose one of them. Nothing was changed.'],
  api_key_not_found: ['There is no such key.', 'It may have been revoked already.'],
  operator_key_not_found: ['There is no such operator key.', 'It may have been revoked already.'],
  sign_in_rate: [
    'This key has signed in 30 times within an hour.',
    'Wait a while. If that was not you, ask an owner to revoke the key.',
  ],
  console_session_not_found: ['There is no such session.', 'It may have ended already.'],
  destination_not_found: ['There is no such destination.', NOT_YOURS],
  too_many_destinations: ['There are as many destinations as one owner may have.', 'Delete one first.'],
  operator_creates_destinations: ['Only the operator creates destinations here.', 'Ask the operator.'],
  secrets_key_missing: ['The service has no key for secrets.', 'Set LATCHKEY_SECRETS_KEY on every node.'],
  destination_inactive: ['The destination is paused or disabled.', 'Resume it first.'],
  test_rate: ['Too many tests were sent.', 'Wait a minute, then try again.'],
  discount_code_not_found: ['There is no such code.', NOT_YOURS],
  discount_code_taken: ['This code exists already.', 'Choose another one. Nothing was changed.'],
  code_invalid: ['The code is not valid.', 'It does not exist, or it was switched off.'],
  code_expired: ['The code has expired.', 'Give it a later day.'],
  code_max_uses: ['The code was used as often as it may be.', 'Allow more uses.'],
  code_not_applicable: ['The code is not for this product.', 'Choose a code of this product.'],
  code_already_redeemed: ['This customer has redeemed the code already.', 'Nothing was changed.'],
  redemption_rate: ['Codes were tried too often from this network.', 'Wait, then try again.'],
  trial_rate: ['Too many trials came from this network.', 'Wait, then try again.'],
  duration_missing: ['It is not said how long the license is to last.', 'Give the variant a duration.'],
  event_id_reused: ['The event id belongs to another purchase.', 'Nothing was changed.'],
  seat_code_not_found: ['There is no such seat code.', NOT_YOURS],
  seat_code_redeemed: ['The seat code was redeemed already.', 'Nothing was changed.'],
  seat_already_held: ['This person has a seat in the order already.', 'Nothing was changed.'],
  studio_order_not_found: ['There is no such order.', NOT_YOURS],
  idempotency_key_reused: ['This was sent before with other values.', 'Close the dialog and begin again.'],
  idempotent_reply_lost: ['This was done before; its answer cannot be shown again.', 'Check the present state.'],
  malformed_http: ['Something between you and the service broke the request.', 'Nothing was changed. Try again.'],
  headers_too_large: [
    'The browser sent too much with the request.',
    'Delete the cookies of this site, then sign in again.',
  ],
  request_timeout: ['The request took too long to arrive.', 'Nothing was changed. Try again.'],
  bad_json: ['The request arrived damaged.', 'Nothing was changed. Reload the page.'],
  body_not_object: ['The request arrived damaged.', 'Nothing was changed. Reload the page.'],
  not_found: ['The service does not know this.', 'Reload the page: it may be older than the service.'],
  method_not_allowed: ['The service does not take this.', 'Reload the page: it may be older than the service.'],
  query_too_large: ['This is too much at once.', 'Send less. Nothing was changed.'],
  body_too_large: ['This is too much at once.', 'Send less than 64 KiB. Nothing was changed.'],
  https_required: ['The service must be reached by HTTPS.', 'Open the console with https:// in its address.'],
  forwarded_proto_missing: [
    'The proxy does not say that it was reached by HTTPS.',
    'The operator of the proxy must set X-Forwarded-Proto.',
  ],
  forbidden_peer: ['The service takes this only from its proxy.', 'Open the console at its public address.'],
  metrics_host: ['Metrics are not answered under this name.', 'Nothing was changed.'],
  network_busy: ['Too many calls from your network are under way.', 'Nothing was changed.'],
  database_away: ['The service cannot reach its database.', 'Nothing was changed.'],
  overloaded: ['The service has too much to do at the moment.', 'Nothing was changed.'],
  not_ready: ['The service is starting or stopping.', 'Nothing was changed.'],
  unexpected: ['The service failed.', 'Whether anything was changed is not certain: look before you try again.'],
  unreachable: ['The service did not answer.', 'Check the connection. Trying again changes nothing twice.'],
};

/** For codes that this page has no text for, as from a newer service. */
const UNKNOWN: Entry = [ITS_OWN, 'Nothing was changed.'];

/** The text of a refusal. */
export function wordsFor(refusal: Pick<Refusal, 'code' | 'message'>): RefusalWords {
  const [title, advice] = WORDS[refusal.code] ?? UNKNOWN;
  return { title: title === ITS_OWN ? sentence(refusal.message) : title, advice };
}

/** All codes that have a text. */
export const codesWithWords = Object.keys(WORDS) as readonly FailureCode[];

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
