/**
 * Requests and replies of the Latchkey service. Made from its endpoints by `npm run generate`; do not edit.
 *
 * Times are ISO 8601 text in UTC with milliseconds.
 */

/** Every endpoint by its path. */
export interface Endpoints {
  /**
   * Bind a license key to a machine. Binds a license key to a machine and returns a session token. A machine
   * that is already bound takes no further slot, gets a new token, and its hostname is updated. If no slot is
   * free and the license has `releaseIdleDays`, the machine seen the longest ago makes room. At most 15
   * attempts per hour and license, or user of a license with `maxUsers`. Repeating a call is safe: it counts
   * as another attempt and answers a new token; earlier tokens stay valid.
   */
  readonly '/activate': {
    readonly methods: 'POST';
    readonly access: 'client';
    readonly status: 200;
    readonly request: ActivateRequest;
    readonly reply: ActivateReply;
    readonly refusal: Error | (Error & UpdateNotCovered) | (Error & MachineLimit);
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'user_required'
      | 'bad_json'
      | 'body_not_object'
      | 'license_revoked'
      | 'license_replaced'
      | 'license_expired'
      | 'wrong_product'
      | 'update_not_covered'
      | 'machine_limit'
      | 'user_limit'
      | 'license_not_found'
      | 'activation_rate';
  };
  /**
   * Check a session token, for each application launch. Checks the session token of a machine and moves its
   * lastSeen. Within 7 days of its expiry the token is replaced: newToken is then present, and the previous
   * one stays good until it expires. A floating session lives on. Repeating a call is safe: it answers how
   * things are then. With `acceptsReplacement`, a machine whose key was replaced gets its new `licenseKey` and
   * `sessionToken`.
   */
  readonly '/validate': {
    readonly methods: 'POST';
    readonly access: 'client';
    readonly status: 200;
    readonly request: ValidateRequest;
    readonly reply: ValidateReply;
    readonly refusal: CheckError | (CheckError & UpdateNotCovered) | (CheckError & FeatureMissing);
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'invalid_token'
      | 'token_mismatch'
      | 'license_revoked'
      | 'license_replaced'
      | 'license_expired'
      | 'update_not_covered'
      | 'feature_missing'
      | 'machine_not_activated'
      | 'license_not_found';
  };
  /**
   * Check a license key against a product. Checks a license key against a product without binding a machine;
   * safe to call often and to repeat, it changes nothing. A bundle license answers for every product it
   * unlocks, under the productId that was asked for.
   */
  readonly '/verify': {
    readonly methods: 'POST';
    readonly access: 'client';
    readonly status: 200;
    readonly request: VerifyRequest;
    readonly reply: VerifyReply;
    readonly refusal: CheckError | (CheckError & UpdateNotCovered) | (CheckError & FeatureMissing);
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'license_revoked'
      | 'license_replaced'
      | 'license_expired'
      | 'wrong_product'
      | 'update_not_covered'
      | 'feature_missing'
      | 'license_not_found';
  };
  /**
   * Free the slot of this machine. Unbinds the machine; its slot is free at once and its tokens are invalid.
   * The token proves ownership of the slot, so one machine cannot free the slot of another. A floating session
   * that has lapsed can be ended, too. A repeat after a success is answered 404, which then says that the slot
   * is free. A machine with a file for work without a connection (/createLicenseFile) keeps its slot until the
   * file expires, because the file cannot be called back: the answer is a success and nothing changes.
   */
  readonly '/deactivate': {
    readonly methods: 'POST';
    readonly access: 'client';
    readonly status: 200;
    readonly request: MachineSession;
    readonly reply: DeactivateReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'invalid_token'
      | 'token_mismatch'
      | 'license_revoked'
      | 'license_replaced'
      | 'license_expired'
      | 'license_not_found'
      | 'machine_not_activated';
  };
  /**
   * Keep a floating session alive. Keeps a floating session alive; send it at a third of the session timeout,
   * every 5 minutes with the usual 15. A session without a sign of life for the timeout (15 minutes unless
   * configured) is over and its slot free; the next heartbeat resumes it if a slot is free then. For
   * per-machine and site licenses it checks the token and changes nothing. Repeating a call is safe: it is one
   * more sign of life.
   */
  readonly '/heartbeat': {
    readonly methods: 'POST';
    readonly access: 'client';
    readonly status: 200;
    readonly request: MachineSession;
    readonly reply: HeartbeatReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'invalid_token'
      | 'license_revoked'
      | 'license_replaced'
      | 'license_expired'
      | 'license_not_found'
      | 'machine_not_activated';
  };
  /**
   * Issue a license. Issues a license with a new key. Type and limits that the request leaves out come from
   * the catalogue variant of that name, otherwise from the defaults. The license is perpetual unless
   * `expiresAt` or `duration` is given, even if the variant has durationDays. An API key reaches only products
   * of its creator.
   */
  readonly '/createLicense': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: CreateLicenseRequest;
    readonly reply: CreateLicenseReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'product_not_found'
      | 'product_archived'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Read a license with its machines and violations. Answers every field of a license, its activations and its
   * violations. Activations come by fingerprint, at most 1000 unless `activationLimit` sets another number;
   * `nextActivationCursor` is present when there are more. `history` adds the history of the license, newest
   * first: changes and their authors, notes, refusals of calls, violations. Refusals appear within a second.
   * `countries` adds the countries that the license was used from, with numbers of its machines; at most 1000
   * machines are counted.
   */
  readonly '/getLicense': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: GetLicenseRequest;
    readonly reply: GetLicenseReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'license_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * List licenses, newest first or in another order. Lists licenses by product, purchase, e-mail, variant,
   * status and metadata; all given filters must match. `nextCursor` is present when there are more; give it as
   * `cursor` for the next page. The status is the present one. An API key whose creator owns more than 30
   * products must name a product. `view` lists the licenses that expire soon, soonest first, or those under
   * threat, most severe first. `country` lists the licenses that a machine was ever used from that country; a
   * new one appears within a minute. `beginning` lists the licenses whose addresses begin with it, in the
   * order of the addresses. `productId` is the only filter that `view` and `beginning` accept; `country` also
   * accepts `createdFrom` and `createdTo`. `sort` `expiry` lists the licenses that have an expiry, soonest
   * first, and accepts `productId`, `status`, `expiresFrom` and `expiresTo`. `detail` shows more of each
   * license.
   */
  readonly '/listLicenses': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListLicensesRequest;
    readonly reply: ListLicensesReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'too_many_products'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Change a license. Changes the given fields and leaves the others. `status` overrides directly: `active`
   * lifts any revocation except a chargeback's, `revoked` is a revocation without a reason. Bound machines
   * keep working when a limit is lowered; no further one fits until enough are gone. In the console, the role
   * support may only move `expiresAt`: by at most 30 days, counted from the end that the license had before
   * its first extension by support within 30 days. `wasExpiresAt` and the like are values that the caller saw:
   * if the license has another value by then, nothing is changed, and the answer is 409 with the author of
   * that change.
   */
  readonly '/updateLicense': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: UpdateLicenseRequest;
    readonly reply: ChangedLicense;
    readonly refusal: Error | (Error & LicenseAlreadyReplaced);
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'variant_not_found'
      | 'changed_meanwhile'
      | 'license_already_replaced'
      | 'chargeback_revocation'
      | 'product_archived'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Revoke a license. Denies the license at every client endpoint. A reason is recorded as a violation of
   * level 4; a refund or a chargeback also sets disputeReason. A chargeback is undone by /reinstateLicense
   * only. With `wasRevocation`, the revocation that the caller saw, a license that was revoked otherwise since
   * is left as it is: the answer is 409 with its author.
   */
  readonly '/revokeLicense': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: RevokeLicenseRequest;
    readonly reply: ChangedLicense;
    readonly refusal: Error | (Error & LicenseAlreadyReplaced);
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'changed_meanwhile'
      | 'license_already_replaced'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Undo a revocation. Lifts a revocation of any kind; the only way to undo a chargeback. Open violations of
   * level 4 are resolved and disputeReason is cleared. An expired license stays expired. With `wasRevocation`,
   * the revocation that the caller saw, another revocation is not lifted: the answer is 409 with its author.
   */
  readonly '/reinstateLicense': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ReinstateLicenseRequest;
    readonly reply: ChangedLicense;
    readonly refusal: Error | (Error & LicenseAlreadyReplaced);
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'changed_meanwhile'
      | 'license_already_replaced'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Resolve recorded violations. Marks violations as resolved and recalculates threat level and status. A
   * revocation for refund or fraud is lifted with the last open violation of level 4, unless `staysRevoked` is
   * true; one for a chargeback, or without a reason, is not. An id of another license changes nothing. With
   * `dryRun` the answer is the same and nothing changes; each dry run is computed again, also with an
   * `Idempotency-Key`.
   */
  readonly '/resolveLicense': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ResolveLicenseRequest;
    readonly reply: ResolveLicenseReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'violation_not_found'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Unbind every machine of a license. Removes all activations and invalidates their session tokens. Each
   * machine may activate again, and the attempts of the last hour are forgotten.
   */
  readonly '/resetActivations': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ResetActivationsRequest;
    readonly reply: ChangedLicense;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Let machines of a license activate again before the hour is over. Forgets the activation attempts of the
   * last hour, so that 15 more may be made at once, and changes nothing else. For licenses with many machines
   * that all have to activate again, and for customers who tried too often.
   */
  readonly '/liftActivationLimit': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: LiftActivationLimitRequest;
    readonly reply: ChangedLicense;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Unbind one machine of a license. Unbinds the machine, for customers whose computer is lost, broken or
   * reinstalled. Its slot is free at once and its session tokens are invalid. It may activate again if a slot
   * is free then, and gets new tokens. A repeat after a success is answered 404, which then says that the slot
   * is free.
   */
  readonly '/releaseActivation': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ReleaseActivationRequest;
    readonly reply: ReleaseActivationReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'machine_not_activated'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * End the live session of one machine of a floating license. Ends the floating session, for customers who
   * left the program open elsewhere. Its slot is free at once. The machine stays bound and its tokens stay
   * valid: the next heartbeat, validation or activation of its app starts another session if a slot is free
   * then. Answers 409 when there is no live session, for example for a license that is not floating.
   */
  readonly '/endSession': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: EndSessionRequest;
    readonly reply: EndSessionReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'machine_not_activated'
      | 'no_live_session'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * List the users who hold seats of a license. Lists the users of a license with `maxUsers`, by name, each
   * with the number of machines. A user keeps the seat until it is released, or until the last machine is gone
   * where `usersFloat` is set. The list of a license without `maxUsers` is empty: its activations name the
   * users that apps sent.
   */
  readonly '/listUsers': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListUsersRequest;
    readonly reply: ListUsersReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'license_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Free the seat of a user and unbind their machines. Frees the seat of a user who left, and unbinds the
   * machines of the user, whose session tokens become invalid. The user may come back with /activate if a seat
   * is free then. A repeat after a success is answered 404, which then says that the seat is free.
   */
  readonly '/releaseUser': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ReleaseUserRequest;
    readonly reply: ReleaseUserReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'user_not_found'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Write a note on a license. Stores a text with the license for the next reader: in its history and in
   * /listEvents, as an event of type `license.noted`. Notes are kept for ever, unless /deleteNote deletes one,
   * and nobody can change one; /forgetCustomer replaces an address in them. Customers do not see them. The
   * owner of the product also sees those of the operator.
   */
  readonly '/addNote': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: AddNoteRequest;
    readonly reply: AddNoteReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Delete a note on a license. Deletes the text of a note for good: it is in no list, export or event any
   * more, and events that are yet to be sent come without it. Receivers and backups keep the texts that they
   * have. The history still says that a note was written, and `license.note_deleted` says who deleted it. The
   * operator deletes any note, a creator those that the creator wrote. The same note on the replaced keys of
   * the license is deleted along.
   */
  readonly '/deleteNote': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: DeleteNoteRequest;
    readonly reply: DeleteNoteReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'note_not_found'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Give a license, or all licenses of an address, another e-mail address. Takes `newEmail` and exactly one of
   * `licenseKey` and `email`. With `email`, all licenses of that address are changed, 1000 in one call: repeat
   * the call until `remaining` is false. Who redeemed which trial code stays as it is: a new address neither
   * gives nor takes a trial. Studio orders keep the address that they were bought with. A storefront that
   * sends events without a purchaseId must name the new address from then on. With `licenseKey`, `wasEmail` is
   * the address that the caller saw: if the license has another one by then, nothing is changed, and the
   * answer is 409 with the author of that change.
   */
  readonly '/changeEmail': {
    readonly methods: 'POST';
    readonly access: 'superAdmin';
    readonly status: 200;
    readonly request: ChangeEmailRequest;
    readonly reply: ChangeEmailReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'changed_meanwhile'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'network_busy';
  };
  /**
   * List licenses with live floating sessions. Lists floating licenses that have live sessions, by license
   * key, each with its first sessions by fingerprint. A session is live until its deadline. `nextCursor` is
   * present when there are more licenses; a page may hold fewer than `limit`, even none, because one answer
   * examines at most 1000 licenses. `nextSessionCursor` is present when a license has more machines: give it
   * as `sessionCursor` with the `licenseKey`.
   */
  readonly '/listLiveSessions': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListLiveSessionsRequest;
    readonly reply: ListLiveSessionsReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'too_many_products'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * List violations, most severe or oldest first. Lists violations of all licenses by state, type, severity,
   * time, product and license; all given filters must match. Within one severity, the most recently opened
   * come first; `sort` `oldest` lists those opened first on top, of any severity. `nextCursor` is present when
   * there are more; give it as `cursor` for the next page. An API key whose creator owns more than 30 products
   * must name a product.
   */
  readonly '/listViolations': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListViolationsRequest;
    readonly reply: ListViolationsReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'too_many_products'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Find the licenses that the lines of a list name. Finds licenses for each of at most 200 lines. A line is a
   * license key, an e-mail address or the id of a purchase; case, spaces and marks around keys and addresses
   * do not matter. Lines come in their order, and a line that stands in the list again is left out. A line
   * without licenses and one with licenses of other creators look the same. An API key whose creator owns more
   * than 30 products must name a product.
   */
  readonly '/findLicenses': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: FindLicensesRequest;
    readonly reply: FindLicensesReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'too_many_products'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy';
  };
  /**
   * Find everything that a text names. Finds licenses by their key, its beginning (with any separators, in any
   * case) or its last one or two groups, by e-mail address, its domain or the last name in it, and by a value
   * of their metadata; purchases by their identifiers or the number at their end; studio orders, seats,
   * discount codes and requests by their identifiers; licenses of connected shops by the identifiers of their
   * sale at the seller; products by the beginning of slug or name. adminSecret also finds licenses by the
   * beginning of an address, a domain, a last name, a purchase or the number of an order, studio orders by the
   * beginning of their ids, users by the beginning of their name, and machines, including those that were only
   * refused, by fingerprint or the beginning of a hostname. The form of the text decides where it is searched.
   * A longer text, such as a mail, is searched for the names in it. A text that looks like a credential is
   * refused.
   */
  readonly '/searchEverything': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: SearchEverythingRequest;
    readonly reply: SearchEverythingReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'query_is_secret'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Explain why an app is refused, and what would help. Answers for each client endpoint the reply that a
   * machine would get now: ok, or the refusal with the text that the app gets, the facts behind it, and calls
   * that would change it, ready to send. The endpoints decide by the same rules, and asking changes nothing.
   * `verdict` says what the case looks like and what to do first; it is for support, not for customers. Calls
   * with a session token are assumed to show the machine's latest one. Without `machineFingerprint` the
   * machine that was refused last is explained. Without `buildDate` and `version` the build and the features
   * of the newest kept refusal are taken. Without `meter` the use of that refusal is taken, else one unit of
   * the meter that would refuse it.
   */
  readonly '/explainLicense': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ExplainLicenseRequest;
    readonly reply: ExplainLicenseReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'license_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * List recorded changes, newest first. Lists changes with their author, time and request; all given filters
   * must match. `nextCursor` is present when there may be more; give it as `cursor` for the next page. A page
   * may then hold fewer events than `limit`, even none, because it examines a bounded number of events. An API
   * key sees the events of the products that its creator owns today, and its creator's events without a
   * product: of API keys, studio orders and discount codes. One whose creator owns more than 30 products must
   * name a product or a license.
   */
  readonly '/listEvents': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListEventsRequest;
    readonly reply: ListEventsReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'too_many_products'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * List refused calls of apps, newest first. Lists refused calls of the client endpoints across licenses:
   * machine, code, number and times; all given filters must match. Calls of one machine and code within an
   * hour are one entry. Entries are ordered by the time of their first call, so repeats do not move them.
   * `nextCursor` is present when there may be more; give it as `cursor` for the next page. A page may then
   * hold fewer refusals than `limit`, even none, because it examines a bounded number of them. An API key sees
   * the refusals of the products that its creator owns today; one whose creator owns more than 30 products
   * must name a product or a license. Refusals are kept for 90 days, at most 50 entries per license.
   */
  readonly '/listRefusals': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListRefusalsRequest;
    readonly reply: ListRefusalsReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'too_many_products'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * List templates of replies to customers. Lists all templates of the operator, or of a creator, oldest
   * first. There are at most 50, so there are no pages.
   */
  readonly '/listReplyTemplates': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListReplyTemplatesRequest;
    readonly reply: ListReplyTemplatesReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'creator_mismatch'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object'
      | 'role_not_allowed';
  };
  /**
   * Make or change a template of a reply. Makes a template, or replaces the content of the one with
   * `templateId`, which keeps its owner. The operator and each creator have at most 50. The text has at most
   * 4096 bytes and no placeholders except {product}, {machine}, {email}, {end}, {limit}, {used}. Everybody in
   * support reads it, and forgetting a customer does not: it should name nobody. With `wasUpdatedAt`, a
   * template that was changed since is left as it is: the answer is 409 with the author of that change. Null
   * makes a deleted template again with its `templateId`.
   */
  readonly '/saveReplyTemplate': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: SaveReplyTemplateRequest;
    readonly reply: SaveReplyTemplateReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'creator_mismatch'
      | 'reply_template_not_found'
      | 'changed_meanwhile'
      | 'too_many_reply_templates'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Delete a template of a reply. Deletes a template. With `wasUpdatedAt`, a template that was changed since
   * is left as it is: the answer is 409 with the author of that change. DELETE takes its fields from the query
   * string or a body.
   */
  readonly '/deleteReplyTemplate': {
    readonly methods: 'DELETE' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: DeleteReplyTemplateRequest;
    readonly reply: DeleteReplyTemplateReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'reply_template_not_found'
      | 'changed_meanwhile'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy'
      | 'role_not_allowed'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused';
  };
  /**
   * List creators. Lists the owners of products, API keys, codes and studio orders, each once, in their order
   * as text. An API key sees its own creator only. `nextCursor` is present when there are more; give it as
   * `cursor` for the next page.
   */
  readonly '/listCreators': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListCreatorsRequest;
    readonly reply: ListCreatorsReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Make an API key for a creator. Creates a key that reads and manages the products, variants, licenses and
   * discount codes of one creator. Only this answer contains the raw key, because only its hash is stored.
   * Send an `Idempotency-Key`: if the answer gets lost, a retry within 24 hours shows it again, because only
   * you can open the sealed answer.
   */
  readonly '/createApiKey': {
    readonly methods: 'POST';
    readonly access: 'superAdmin';
    readonly status: 200;
    readonly request: CreateApiKeyRequest;
    readonly reply: CreateApiKeyReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'network_busy';
  };
  /**
   * List API keys, newest first. Lists API keys by their hashes, revoked ones too; raw keys are never shown.
   * `nextCursor` is present when there are more; give it as `cursor` for the next page. To find the owner of a
   * leaked key, send its `hash` instead of the key.
   */
  readonly '/listApiKeys': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'superAdmin';
    readonly status: 200;
    readonly request: ListApiKeysRequest;
    readonly reply: ListApiKeysReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object'
      | 'role_not_allowed';
  };
  /**
   * Revoke an API key, or all of a creator. Takes exactly one of `apiKeyToRevoke` and `creatorId`. A revoked
   * key is refused from the next request on and never becomes active again. Revoking a revoked key is not an
   * error: `revoked` is then 0. Revoking a key leaves its destinations of events active: `destinations` counts
   * those that it created or changed. After a leak, `pauseDestinations` pauses them, also with a second call.
   */
  readonly '/revokeApiKey': {
    readonly methods: 'POST';
    readonly access: 'superAdmin';
    readonly status: 200;
    readonly request: RevokeApiKeyRequest;
    readonly reply: RevokeApiKeyReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'api_key_not_found'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'network_busy';
  };
  /**
   * Add a product to the catalogue. Adds a product. adminSecret names its creator; an API key creates for its
   * own, unless the operator keeps that to itself, and cannot take a slug under which licenses exist already.
   */
  readonly '/createProduct': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: CreateProductRequest;
    readonly reply: CreateProductReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'creator_mismatch'
      | 'operator_creates_products'
      | 'slug_taken'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * List products, newest first. Lists products by status and, for adminSecret, by creator; an API key sees
   * those of its own creator only. `productId` selects a single one, if it matches the other filters.
   * `nextCursor` is present when there are more; give it as `cursor` for the next page.
   */
  readonly '/listProducts': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListProductsRequest;
    readonly reply: ListProductsReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Change a product. Changes the given fields and leaves the others. Any status may follow any other. An
   * archived product is read-only: its name and owner change only together with a status that brings it back.
   * `updatedAt` changes only with another field. `wasName`, `wasStatus` and `wasCreatorId` are values that the
   * caller saw: if one of them is not the stored one, nothing is changed, and the answer is 409 with the
   * author of that change.
   */
  readonly '/updateProduct': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: UpdateProductRequest;
    readonly reply: UpdateProductReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'creator_mismatch'
      | 'product_not_found'
      | 'changed_meanwhile'
      | 'product_archived'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Add or replace a variant of a product. Adds a variant, active from the start. An existing variant of that
   * name is replaced as a whole: fields that are not given get their defaults. Variants of other products stay
   * as they are, even with the same variantId (`a` + `b-c` and `a-b` + `c`). Licenses issued before keep their
   * values.
   */
  readonly '/createVariant': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: CreateVariantRequest;
    readonly reply: CreateVariantReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'product_not_found'
      | 'product_archived'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Change a variant. Changes the given fields and leaves the others; null clears a number that a variant may
   * lack. Licenses issued before keep their values. Products of the caller may have variants of one variantId
   * (`a` + `b-c` and `a-b` + `c`): then productId selects one; otherwise it is ignored. `wasPrice` and the
   * like are values that the caller saw: if one of them is not the stored one, nothing is changed, and the
   * answer is 409 with the author of that change.
   */
  readonly '/updateVariant': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: UpdateVariantRequest;
    readonly reply: UpdateVariantReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'variant_not_found'
      | 'changed_meanwhile'
      | 'product_archived'
      | 'variant_ambiguous'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * List the variants of a product, by name. Lists the active variants of a product, or all of them.
   * `nextCursor` is present when there are more; give it as `cursor` for the next page. A page has at most
   * about 8 MiB.
   */
  readonly '/listVariants': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListVariantsRequest;
    readonly reply: ListVariantsReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'product_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Make a discount or trial code. Creates a code that gives a trial. It is stored as written and compared
   * without case, among the codes of all creators. With productId it is for that product only; without, for
   * all products of its creator; without a creator either, for every product. A code for a product of the
   * catalogue belongs to the owner of that product. An API key creates codes of its creator only, for products
   * of its creator only. The existence of a code reveals something about other creators, so for an API key
   * each such 409 counts as a wrong credential: a network that gets too many in a minute is refused with 429.
   */
  readonly '/createDiscountCode': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: CreateDiscountCodeRequest;
    readonly reply: CreateDiscountCodeReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'creator_mismatch'
      | 'product_not_found'
      | 'product_archived'
      | 'discount_code_taken'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * List discount codes, newest first. Lists codes by owner and by the product they are restricted to. `code`
   * selects a single one, if it matches the other filters. An API key sees the codes of its creator; creatorId
   * is ignored. `nextCursor` is present when there are more; give it as `cursor` for the next page.
   */
  readonly '/listDiscountCodes': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListDiscountCodesRequest;
    readonly reply: ListDiscountCodesReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Change a discount code. Changes the given fields and leaves the others. A maxUses below the present number
   * of uses refuses every further one. `wasActive`, `wasMaxUses` and `wasExpiresAt` are values that the caller
   * saw: if one of them is not the stored one, nothing is changed, and the answer is 409 with the author of
   * that change.
   */
  readonly '/updateDiscountCode': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: UpdateDiscountCodeRequest;
    readonly reply: UpdateDiscountCodeReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'discount_code_not_found'
      | 'changed_meanwhile'
      | 'product_archived'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Delete a discount code for good. Deletes a code and the record of its redemptions. Licenses that it gave
   * stay. A new code of the same name starts unused. DELETE takes its fields from the query string or a body.
   */
  readonly '/deleteDiscountCode': {
    readonly methods: 'DELETE' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: DeleteDiscountCodeRequest;
    readonly reply: DeleteDiscountCodeReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'discount_code_not_found'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy'
      | 'role_not_allowed'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused';
  };
  /**
   * Redeem a trial code for a license. Issues a license that lasts the trial days of the code. Needs no
   * credential: the code is one. A code works once per e-mail address and at most maxUses times. An archived
   * product gives no trials: `not_applicable`. A network (an IPv4 address, an IPv6 /64) that named 30 codes
   * which do not exist within an hour is refused with 429 until that hour has passed; codes that exist never
   * count. The trials that one network redeems in an hour are limited, 60 unless the operator chose otherwise.
   * A storefront that redeems for its customers shows the webhook secret: neither limit holds for it nor for
   * the admin secret, and that of trials not for an API key that owns the code or its product. A wrong
   * credential counts as none.
   */
  readonly '/redeemTrialCode': {
    readonly methods: 'POST';
    readonly access: 'anyone';
    readonly status: 200;
    readonly request: RedeemTrialCodeRequest;
    readonly reply: RedeemTrialCodeReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'code_invalid'
      | 'code_expired'
      | 'code_max_uses'
      | 'code_not_applicable'
      | 'bad_json'
      | 'body_not_object'
      | 'code_already_redeemed'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'redemption_rate'
      | 'trial_rate'
      | 'network_busy';
  };
  /**
   * List who redeemed a discount code, newest first. Lists the redemptions of one code, each with the license
   * that it gave. `nextCursor` is present when there are more; give it as `cursor` for the next page.
   */
  readonly '/listRedemptions': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListRedemptionsRequest;
    readonly reply: ListRedemptionsReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'discount_code_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Report a purchase or subscription event. `purchase.completed` issues a license, once per purchaseId; it
   * lasts until expiresAt, else for durationDays or durationMonths, else trialDays, else the trial of a
   * redeemed discount code, else the length of the variant, else for ever. `subscription.renewed` extends the
   * license of the purchaseId, else the newest of this e-mail, product and variant. `purchase.refunded` and
   * `purchase.disputed` revoke the license of the purchaseId; without one, the newest of this e-mail, product
   * and variant; a refund with `partial` leaves it as it is. `subscription.cancelled` and
   * `subscription.payment_failed` change nothing. `subscription.updated` gives the license of the purchaseId
   * the terms of another variant, and `purchase.dispute_won` is noted for staff. An event with an eventId acts
   * once; without one, all but `purchase.completed` act on every delivery. An event for a license that does
   * not exist yet is answered 404: deliver it again later. A purchaseId names a license among the products of
   * the productId's creator only; products that the catalogue does not know are the operator's.
   */
  readonly '/storefrontWebhook': {
    readonly methods: 'POST';
    readonly access: 'webhook';
    readonly status: 200;
    readonly request: StorefrontWebhookRequest;
    readonly reply: StorefrontWebhookReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'duration_missing'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'license_not_found'
      | 'variant_not_found'
      | 'event_id_reused'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'network_busy';
  };
  /**
   * Create a studio order with its seat codes. Records a paid order for several seats of a course and answers
   * one code per seat, seat 1 first. Every call creates a separate order, even for the same externalOrderId:
   * send an `Idempotency-Key` to repeat a call safely.
   */
  readonly '/createStudioOrder': {
    readonly methods: 'POST';
    readonly access: 'webhook';
    readonly status: 201;
    readonly request: CreateStudioOrderRequest;
    readonly reply: CreateStudioOrderReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'network_busy';
  };
  /**
   * Check a seat code without redeeming it. Tells which course a code opens and whether it has been used.
   * `valid` says that the code exists; only `status` says whether it can still be redeemed.
   */
  readonly '/validateSeatCode': {
    readonly methods: 'POST';
    readonly access: 'webhook';
    readonly status: 200;
    readonly request: ValidateSeatCodeRequest;
    readonly reply: ValidateSeatCodeReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'seat_code_not_found'
      | 'wrong_secret_rate'
      | 'network_busy';
  };
  /**
   * Redeem a seat code. Binds a seat to its redeemer permanently. redeemerUserId alone identifies the user of
   * a seat: one user gets one seat of an order, under any e-mail address. For a used code the refusal names
   * its user and the time, also when the same user redeems it again. An error means that nothing was redeemed.
   */
  readonly '/redeemSeatCode': {
    readonly methods: 'POST';
    readonly access: 'webhook';
    readonly status: 200;
    readonly request: RedeemSeatCodeRequest;
    readonly reply: RedeemSeatCodeReply;
    readonly refusal: Error | (Error & Redemption);
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'seat_code_not_found'
      | 'seat_code_redeemed'
      | 'seat_already_held'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'network_busy';
  };
  /**
   * Read a studio order with its seats. Answers an order and its seats, seat 1 first. The webhook secret
   * reaches every order, an API key those of its creator; any other order is answered like one that does not
   * exist.
   */
  readonly '/getStudioOrder': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'webhookOrKey';
    readonly status: 200;
    readonly request: GetStudioOrderRequest;
    readonly reply: GetStudioOrderReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'studio_order_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * List studio orders, newest first. Lists the orders of one buyer, one course or one creator, without their
   * seat codes: exactly one of the three must be given. `nextCursor` is present when there are more; give it
   * as `cursor` for the next page.
   */
  readonly '/listStudioOrders': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'webhook';
    readonly status: 200;
    readonly request: ListStudioOrdersRequest;
    readonly reply: ListStudioOrdersReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * List and find studio orders, newest first. Lists all orders, or finds them by seat code, buyer, course,
   * creator and time; all given filters must match. adminSecret reaches every order; an API key reaches those
   * of its creator, and its creatorId is ignored. `nextCursor` is present when there are more; give it as
   * `cursor` for the next page.
   */
  readonly '/searchStudioOrders': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: SearchStudioOrdersRequest;
    readonly reply: SearchStudioOrdersReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Replace the e-mail address of a customer by a pseudonym everywhere. Replaces an address by a random
   * pseudonym, the same one everywhere, so that its licenses still belong together. The names of the machines
   * and users of its licenses are forgotten as well. Licenses keep working. Former addresses of the licenses,
   * which /getCustomer lists in `formerEmails`, are forgotten by calls of their own. One call does a bounded
   * amount of work: repeat it, without an `Idempotency-Key`, until `complete` is true. Names that machines
   * send afterwards are forgotten by a call with the pseudonym. docs/operators/security.md lists where data is
   * stored.
   */
  readonly '/forgetCustomer': {
    readonly methods: 'POST';
    readonly access: 'superAdmin';
    readonly status: 200;
    readonly request: ForgetCustomerRequest;
    readonly reply: ForgetCustomerReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'network_busy';
  };
  /**
   * Show the data of one customer. Shows what is stored for an address. Addresses are compared without case,
   * those of orders and seats without the case of A to Z. Machines, refusals and notes are those of the newest
   * 20 licenses. /listLicenses and /searchStudioOrders list licenses and orders of the address. `productId`
   * limits the data to that of the licenses for one product. An API key sees the data of its creator; one
   * whose creator owns more than 30 products must name a product.
   */
  readonly '/getCustomer': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: GetCustomerRequest;
    readonly reply: GetCustomerReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'too_many_products'
      | 'unauthorized'
      | 'customer_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * List customers by address. Lists the addresses that have licenses, each once, in their order as text.
   * `nextCursor` is present when there are more; give it as `cursor` for the next page. `beginning` lists the
   * addresses that begin with it. An API key lists the customers of the products that its creator owns today;
   * one whose creator owns more than 30 products must name a product. /getCustomer shows one customer.
   */
  readonly '/listCustomers': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListCustomersRequest;
    readonly reply: ListCustomersReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'too_many_products'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * The state of all licenses at a glance. Answers in one call everything on the first page of a console. All
   * figures are current below 10,000 licenses of the products in question. From there on `totals`,
   * `liveSessions` and the choice of `fullestPools` come from a count of all licenses that runs in the
   * background: every five minutes up to 100,000 licenses, otherwise every hour, the first time a minute after
   * the start; until then `totals` and `liveSessions` are null. Without `productId` all products are added up;
   * an API key whose creator owns more than 30 products must name one.
   */
  readonly '/getOverview': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: GetOverviewRequest;
    readonly reply: GetOverviewReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'too_many_products'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * How often things happened, by hour or by day. Answers a series for each metric: how many calls of an
   * endpoint succeeded (`activate.ok`) or were refused with a code (`activate.machine_limit`), how often a
   * license, activation or other thing changed (by the type of its event, `license.created`), how many
   * violations of a type were opened. Steps are whole hours or days of UTC; one in which nothing happened is
   * 0. Hours are kept for 14 days, days for three years; before that everything is 0. Figures are written once
   * a minute, so a service that crashes loses a minute of them. Without `productId` the figures of all
   * products are added up; an API key whose creator owns more than 30 products must name one.
   */
  readonly '/getStatistics': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: GetStatisticsRequest;
    readonly reply: GetStatisticsReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'too_many_products'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Where machines are. Answers the countries from which machines called in a period: `machines` is the
   * largest number of machines that called on one day, `activations` the number that were newly bound to a
   * license. Days are UTC. Countries are known if LATCHKEY_GEOIP_FILE or LATCHKEY_COUNTRY_HEADER is set.
   * Without `productId` all products are added up; an API key whose creator owns more than 30 products must
   * name one. `country` limits the answer to one country. `overTime` adds the figures of each product by day;
   * without `productId` the operator gets those of the 30 newest products.
   */
  readonly '/getCountries': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: GetCountriesRequest;
    readonly reply: GetCountriesReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'too_many_products'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * What sells. Answers how many licenses were issued, bought, renewed, refunded and tried: in all, and by
   * product and variant, with the totals of the period before, which has as many days. Steps are whole days,
   * weeks from Monday on, or months, UTC. The 50 variants with the most purchases have figures of their own.
   * Figures are counted from the recorded events within a minute, exactly once, and kept for three years.
   * Licenses that were imported or got another key count as nothing new. Without `productId` all products are
   * added up; an API key whose creator owns more than 30 products must name one.
   */
  readonly '/getSales': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: GetSalesRequest;
    readonly reply: GetSalesReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'too_many_products'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Give a machine a signed file that lets its app run while the service is unreachable. For an activated
   * machine; for a floating license its session must be live. The file is valid for 30 days, for a floating
   * license one day, unless the operator configured another time; fetch the next one after `renewAfter`. It
   * does not change the session. Repeating a call is safe: within a minute it answers the same file, later a
   * new one, and earlier files stay valid until they expire. A machine gets at most 10 files an hour.
   */
  readonly '/issueLicenseFile': {
    readonly methods: 'POST';
    readonly access: 'client';
    readonly status: 200;
    readonly request: MachineSession;
    readonly reply: IssueLicenseFileReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'invalid_token'
      | 'token_mismatch'
      | 'license_revoked'
      | 'license_replaced'
      | 'license_expired'
      | 'machine_not_activated'
      | 'license_files_not_offered'
      | 'too_many_license_files'
      | 'license_not_found'
      | 'license_file_rate'
      | 'network_busy';
  };
  /**
   * Make a signed file for a machine without a connection. Binds the machine as /activate does, though it is
   * no activation attempt, and answers a file with which its app runs without ever asking the service. The
   * machine keeps its slot until the file expires, also a floating seat, unless it is released. Send the
   * `request` that the app wrote, or name the license and the machine. A file cannot be called back: it is
   * honoured until it expires, also after the machine was released or the license revoked.
   */
  readonly '/createLicenseFile': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: CreateLicenseFileRequest;
    readonly reply: CreateLicenseFileReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'user_required'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_revoked'
      | 'license_replaced'
      | 'license_expired'
      | 'wrong_product'
      | 'machine_limit'
      | 'user_limit'
      | 'license_not_found'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * List the signed files of a license, newest first. Lists the latest file of each machine, separately for
   * fetched files and for files made for it. Expired files are listed for 90 more days. `nextCursor` is
   * present when there are more; give it as `cursor`.
   */
  readonly '/listLicenseFiles': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListLicenseFilesRequest;
    readonly reply: ListLicenseFilesReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'license_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Sign in to the console. Exchanges a secret for a session: the answer sets the cookie `__Host-latchkey` of
   * the console. The `secret` is the admin secret (role owner), an operator key (its role) or an API key (its
   * creator). In its place, `code` is that of a sign-in link, which signs in the owner once. A session lasts
   * 24 hours at most and ends 12 hours after its last call; with `keep` it lasts 7 days. It also ends when the
   * key is revoked and, except for creators, when the admin secret changes. A key has 20 sessions at most: a
   * further one ends the one that was used longest ago. It signs in 30 times an hour at most; the admin secret
   * has no such limit. An `Idempotency-Key` has no effect here.
   */
  readonly '/createConsoleSession': {
    readonly methods: 'POST';
    readonly access: 'signIn';
    readonly status: 200;
    readonly request: CreateConsoleSessionRequest;
    readonly reply: CreateConsoleSessionReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'secret_sign_in_off'
      | 'wrong_secret_rate'
      | 'sign_in_rate'
      | 'network_busy';
  };
  /**
   * Who is signed in. Answers the owner of the cookie's session, the facts about the service that the console
   * shows, and in `can` the endpoints that the session may call. All others are refused with 401 or 403.
   * `limits` lists the endpoints that its role may not use in full.
   */
  readonly '/getConsoleSession': {
    readonly methods: 'POST';
    readonly access: 'console';
    readonly status: 200;
    readonly request: GetConsoleSessionRequest;
    readonly reply: GetConsoleSessionReply;
    readonly refusal: Error;
    readonly codes:
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy';
  };
  /**
   * Sign out of the console. Ends a console session: the next call with its cookie is refused. Without
   * `sessionId` it is the session of the caller, and the answer takes the cookie away. Owners end any session,
   * creators those of their own, everybody else those of their own key.
   */
  readonly '/endConsoleSession': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: EndConsoleSessionRequest;
    readonly reply: EndConsoleSessionReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'console_session_not_found'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'network_busy';
  };
  /**
   * List who is signed in to the console, newest first. Lists the sessions that are not over, of everybody. A
   * page may have fewer than `limit` of them and still be followed by others: go by `nextCursor`.
   */
  readonly '/listConsoleSessions': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'superAdmin';
    readonly status: 200;
    readonly request: ListConsoleSessionsRequest;
    readonly reply: ListConsoleSessionsReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object'
      | 'role_not_allowed';
  };
  /**
   * Make a key for one of the operator's people. Creates a key with which one person signs in to the console;
   * no other endpoint accepts it. Its `name` stands for the person in events, and its `role` sets the
   * permissions: `owner` everything; `support` reads all, frees machines, extends licenses by at most 30 days,
   * resolves violations, revokes, reinstates and writes notes; `viewer` reads. Only this answer contains the
   * raw key, because only its hash is stored.
   */
  readonly '/createOperatorKey': {
    readonly methods: 'POST';
    readonly access: 'superAdmin';
    readonly status: 200;
    readonly request: CreateOperatorKeyRequest;
    readonly reply: CreateOperatorKeyReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'network_busy';
  };
  /**
   * List the keys of the operator's people, newest first. Lists operator keys by their hashes, revoked ones
   * too; raw keys are never shown. To find the owner of a leaked key, send its `hash` instead of the key.
   */
  readonly '/listOperatorKeys': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'superAdmin';
    readonly status: 200;
    readonly request: ListOperatorKeysRequest;
    readonly reply: ListOperatorKeysReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object'
      | 'role_not_allowed';
  };
  /**
   * Revoke the key of one of the operator's people. Ends sign-ins with the key; sessions that began with it
   * are refused from the next call on. It never becomes active again. Revoking a revoked key is not an error:
   * `revoked` is then false.
   */
  readonly '/revokeOperatorKey': {
    readonly methods: 'POST';
    readonly access: 'superAdmin';
    readonly status: 200;
    readonly request: RevokeOperatorKeyRequest;
    readonly reply: RevokeOperatorKeyReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'operator_key_not_found'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'network_busy';
  };
  /**
   * The running version and its configuration. Answers the versions, the database and its size, the
   * certificate in use, the source of countries and the retention times. With several nodes, the facts are
   * those of the one that answers. None of them is secret. Act when `daysLeft` of the certificate is below 30
   * (renew it; restart the service to replace one that it created itself), when `time` of the service and of
   * the database are more than 5 seconds apart (synchronise the clocks), when `state` of the clock is not
   * `believed` (docs/operators/operations.md, "The clock was wrong"), when `validFrom` of the certificate is
   * in the future (correct the clock), when less than a tenth of the disk is free (make room: once it is full,
   * the service only reads), and when `state` of the migration is `ahead` (update this node) or `behind`
   * (restart it).
   */
  readonly '/getSystem': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'superAdmin';
    readonly status: 200;
    readonly request: GetSystemRequest;
    readonly reply: GetSystemReply;
    readonly refusal: Error;
    readonly codes:
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object'
      | 'role_not_allowed';
  };
  /**
   * Make a destination of events. Every change that begins after this answer and fits the destination is sent
   * to its address, signed as Standard Webhooks says. Only this answer contains the secret. Events contain
   * neither license keys nor personal data unless the destination asks for them. A creator has at most 20
   * destinations, the operator 100.
   */
  readonly '/createDestination': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: CreateDestinationRequest;
    readonly reply: CreateDestinationReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'creator_mismatch'
      | 'operator_creates_destinations'
      | 'secrets_key_missing'
      | 'too_many_destinations'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * List destinations of events, newest first. Lists destinations without their secrets. An API key sees those
   * of its creator. `nextCursor` is present when there are more; give it as `cursor` for the next page.
   */
  readonly '/listDestinations': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListDestinationsRequest;
    readonly reply: ListDestinationsReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Get a destination of events. Answers a destination without its secret, its replay under way, and how many
   * requests of the last 24 hours were delivered and failed.
   */
  readonly '/getDestination': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: GetDestinationRequest;
    readonly reply: GetDestinationReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'destination_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Change a destination of events. Changes the given fields and leaves the others. Events that wait are sent
   * as the destination then says. With `wasUpdatedAt`, a destination that was changed since is left as it is:
   * the answer is 409 with the author of that change.
   */
  readonly '/updateDestination': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: UpdateDestinationRequest;
    readonly reply: UpdateDestinationReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'destination_not_found'
      | 'changed_meanwhile'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Pause a destination of events. Sends nothing more until /resumeDestination; the events of the pause are
   * sent then. With `wasUpdatedAt`, a destination that was changed since is left as it is: the answer is 409
   * with the author of that change.
   */
  readonly '/pauseDestination': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: PauseDestinationRequest;
    readonly reply: PauseDestinationReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'destination_not_found'
      | 'changed_meanwhile'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Resume a destination of events. Sends events again: from where it stopped; with `from: now` only later
   * changes; with a timestamp all events since then, also those that were sent before, as for a receiver that
   * was restored from a backup. Events of the minutes before the timestamp may be sent, too. The service keeps
   * events for the time of LATCHKEY_EVENT_RETENTION, and from before the first destination it has none to
   * send. A destination that failed is tried as soon as its host may be asked again, at most 15 minutes later,
   * or at once after a test that was delivered. With `wasUpdatedAt`, a destination that was changed since is
   * left as it is: the answer is 409 with the author of that change.
   */
  readonly '/resumeDestination': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ResumeDestinationRequest;
    readonly reply: ResumeDestinationReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'destination_not_found'
      | 'changed_meanwhile'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Give a destination of events another secret. Makes a new secret, which only this answer contains. For
   * `overlapHours` the former one signs as well, so that the receiver can change over without a gap; a further
   * rotation ends it.
   */
  readonly '/rotateDestinationSecret': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: RotateDestinationSecretRequest;
    readonly reply: RotateDestinationSecretReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'destination_not_found'
      | 'secrets_key_missing'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Delete a destination of events. Deletes a destination. Events that wait for it are not sent. DELETE takes
   * its fields from the query string or a body.
   */
  readonly '/deleteDestination': {
    readonly methods: 'DELETE' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: DeleteDestinationRequest;
    readonly reply: DeleteDestinationReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'destination_not_found'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy'
      | 'role_not_allowed'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused';
  };
  /**
   * List the events that a destination has not accepted. Lists the events that were tried and wait for another
   * attempt, or that failed for good; of those that fail together because a receiver is away only a few are in
   * the list. `nextCursor` is present when there are more; give it as `cursor`.
   */
  readonly '/listDeliveries': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListDeliveriesRequest;
    readonly reply: ListDeliveriesReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'destination_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * List the requests that were made to a destination, or with an event, newest first. Name a destination, an
   * event, or both. Of each destination, lists the last 500 requests that were delivered and the last 500 that
   * were not, for up to 30 days. `nextCursor` is present when there are more; give it as `cursor`.
   */
  readonly '/listDeliveryAttempts': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListDeliveryAttemptsRequest;
    readonly reply: ListDeliveryAttemptsReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'destination_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Send a test event to a destination. Sends a signed event of type `ping`, or the example of another type,
   * with `data.isTest: true`, within a second, also while the destination fails; a success ends that.
   * /listDeliveryAttempts shows the attempt under its `eventId`.
   */
  readonly '/testDestination': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: TestDestinationRequest;
    readonly reply: TestDestinationReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'destination_not_found'
      | 'destination_inactive'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'test_rate'
      | 'network_busy';
  };
  /**
   * Send events to a destination again. Sends events that the receiver lost, or that were given up. All of
   * them must fit the destination, and may be older than it. An event that has yet to be sent is not sent
   * twice. They take at most a quarter of its requests, and a paused destination gets them when it is resumed.
   */
  readonly '/resendEvents': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ResendEventsRequest;
    readonly reply: ResendEventsReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'destination_not_found'
      | 'event_not_found'
      | 'destination_catching_up'
      | 'too_many_waiting'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Send past events to a destination again. Sends the events of a span of time again, or with `failedOnly`
   * those of them that were given up, beside the changes that happen meanwhile. Events that have yet to be
   * sent are left out, and so is what was recorded before the first destination. It takes at most a quarter of
   * the requests, goes on after a restart, and waits while the destination fails or is paused. A destination
   * has one replay at a time; `stop` ends it. /getDestination shows how far it is.
   */
  readonly '/replayEvents': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ReplayEventsRequest;
    readonly reply: ReplayEventsReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'destination_not_found'
      | 'replay_under_way'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Show an event as a destination would get it now. Answers the headers without the signature, and the exact
   * text of the body. Sends nothing.
   */
  readonly '/previewEvent': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: PreviewEventRequest;
    readonly reply: PreviewEventReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'destination_not_found'
      | 'event_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Mail the key of a license to its customer. Queues an e-mail with the key to the address of the license, or
   * with all keys of a purchase. `to` names another address, which a note on the license tells. `mailId` sends
   * a failed e-mail again, whatever its kind. The e-mail is sent within seconds and repeated for some hours
   * while the mail server is away; /listMails shows its state. At most 3 e-mails a day go to one address, over
   * all its licenses, and at most 100 are those of one creator.
   */
  readonly '/mailLicense': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: MailLicenseRequest;
    readonly reply: MailLicenseReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'mail_off'
      | 'address_not_mailable'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'mail_rate'
      | 'creator_mail_rate'
      | 'network_busy';
  };
  /**
   * List e-mails, newest first. Lists the e-mails of the last 30 days: all of them, those about one license,
   * those to one address, or those in one state; `to` goes with `createdFrom` and `createdTo` only. E-mails
   * with codes are deleted once they are sent. `nextCursor` is present when there are more; give it as
   * `cursor`.
   */
  readonly '/listMails': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListMailsRequest;
    readonly reply: ListMailsReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'license_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Send a reply to the customer of a license. Queues an e-mail with the given words to the address of the
   * license, in the name of the brand of its product; answers go to the support address of that brand. `to`
   * names another address, which a note on the license tells. The words of a creator have no addresses and no
   * links. Where the pages at /my are on, the e-mail ends with their address, in `language`. It counts as an
   * e-mail with keys does: see /mailLicense, whose `mailId` sends it again if it fails. The words are in no
   * list, event or log, and are deleted with the e-mail, after 30 days.
   */
  readonly '/sendReply': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: SendReplyRequest;
    readonly reply: SendReplyReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'mail_off'
      | 'address_not_mailable'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'mail_rate'
      | 'creator_mail_rate'
      | 'network_busy';
  };
  /**
   * Make a link with which a customer signs in once. The link leads to the pages at /my, where the customer
   * sees the licenses of the address, why a computer was refused, and frees one. It works once, and opening it
   * does not use it up: the page has a button. Name a license or an address. With an API key, or with
   * `creatorId`, the customer sees the licenses of that shop only. Give it to nobody but the customer. An
   * address has 20 unused links to a shop at most; a further one replaces the oldest.
   */
  readonly '/createCustomerLink': {
    readonly methods: 'POST';
    readonly access: 'adminOrWebhook';
    readonly status: 200;
    readonly request: CreateCustomerLinkRequest;
    readonly reply: CreateCustomerLinkReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'creator_mismatch'
      | 'license_not_found'
      | 'address_not_mailable'
      | 'self_service_off'
      | 'no_shop_named'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Show the brand of the pages for customers. Shows the operator's brand, or that of a creator's shop.
   * `brand` is null until /updateBrand made one; a shop without a brand shows the operator's.
   */
  readonly '/getBrand': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: GetBrandRequest;
    readonly reply: GetBrandReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'creator_mismatch'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Change the brand of the pages for customers. Changes the given fields of the operator's brand, or of that
   * of a creator's shop, and makes it where there is none; `name` is needed then. Null removes a value. The
   * accent is refused unless its contrast with white and with black is at least 3. The logo is a PNG, JPEG or
   * WebP picture of at most 32 KiB, in base64. `productLinks` lead from a license to its download, its renewal
   * and its receipt. `allowsNewKeys` lets customers give their licenses new keys at /my. With `wasUpdatedAt`,
   * a brand that was changed since is left as it is: the answer is 409 with the author of that change.
   */
  readonly '/updateBrand': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: UpdateBrandRequest;
    readonly reply: UpdateBrandReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'creator_mismatch'
      | 'changed_meanwhile'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Start the trial of a machine, without a key. Issues a license for the `defaultTrialDays` of a variant with
   * `trialWithoutKey`, binds the machine to it and answers as /activate does, with the key. A machine has one
   * trial of a product, for good: a repeated call answers the same key while the trial runs, and counts as an
   * attempt to activate it. The trials that start within an hour are limited for each network (an IPv4
   * address, an IPv6 /64) and each product.
   */
  readonly '/startTrial': {
    readonly methods: 'POST';
    readonly access: 'client';
    readonly status: 200;
    readonly request: StartTrialRequest;
    readonly reply: StartTrialReply;
    readonly refusal: Error | (Error & UpdateNotCovered) | (Error & MachineLimit);
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'user_required'
      | 'bad_json'
      | 'body_not_object'
      | 'license_revoked'
      | 'license_replaced'
      | 'license_expired'
      | 'wrong_product'
      | 'update_not_covered'
      | 'machine_limit'
      | 'user_limit'
      | 'trial_not_offered'
      | 'trial_over'
      | 'license_not_found'
      | 'product_not_found'
      | 'variant_not_found'
      | 'product_archived'
      | 'activation_rate'
      | 'trial_rate'
      | 'network_busy';
  };
  /**
   * Count units of a meter. Counts units of a meter of the license, all or none, and answers what is left; 0
   * units only ask. The same `requestId` of a license counts once within 48 hours and is answered as then, so
   * repeating a call is safe. A call is a sign of life, as /validate is.
   */
  readonly '/consume': {
    readonly methods: 'POST';
    readonly access: 'client';
    readonly status: 200;
    readonly request: ConsumeRequest;
    readonly reply: ConsumeReply;
    readonly refusal: Error | (Error & MeterLimit);
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'invalid_token'
      | 'token_mismatch'
      | 'license_revoked'
      | 'license_replaced'
      | 'license_expired'
      | 'meter_limit'
      | 'machine_not_activated'
      | 'license_not_found'
      | 'meter_not_found'
      | 'request_id_reused';
  };
  /**
   * Correct what a license used of a meter. Adds units to the use of the present period, or takes them away
   * with a negative number, never below 0 used. The limit does not hold: staff may count beyond it.
   */
  readonly '/adjustUsage': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: AdjustUsageRequest;
    readonly reply: AdjustUsageReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'meter_not_found'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Make a connector of a shop. Makes an address for the events of an account at a seller. `steps` says what
   * to set there. A new connector watches: it stores events, which /previewShopEvent shows, and changes
   * nothing until its state is `on`. `mappings` says which name of the seller's is which product; the most
   * exact one counts: price, variant, sku, payment_link, path, product, any. A creator's connector reaches the
   * products of the creator only. A creator has at most 20 connectors, the operator 100.
   */
  readonly '/createConnector': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: CreateConnectorRequest;
    readonly reply: CreateConnectorReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'creator_mismatch'
      | 'product_not_found'
      | 'secrets_key_missing'
      | 'connector_prefix_taken'
      | 'too_many_connectors'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * List connectors of shops. Lists connectors without their secrets: all of them, or with `creatorId` those
   * of a creator. An API key sees those of its creator.
   */
  readonly '/listConnectors': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListConnectorsRequest;
    readonly reply: ListConnectorsReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'creator_mismatch'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * List the events of shops, newest first. Lists what sellers delivered and what came of it, without the
   * bodies. `licenseKey` and `reference`, an id of the seller's such as that of an order, list the events of a
   * sale. `nextCursor` is present when there are more; give it as `cursor`.
   */
  readonly '/listShopEvents': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListShopEventsRequest;
    readonly reply: ListShopEventsReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'connector_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Show an event of a shop with its body. Shows what the seller delivered, as it came, and what can be done
   * about it. The body may hold personal data, so it is shown to owners only; it is null once a customer in it
   * was forgotten.
   */
  readonly '/getShopEvent': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: GetShopEventRequest;
    readonly reply: GetShopEventReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'shop_event_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object'
      | 'role_not_allowed';
  };
  /**
   * Show what an event of a shop would do. Applies an event, or a delivery that is pasted with its headers,
   * under the present mappings and takes everything back. The signature of a pasted delivery is not checked,
   * and nothing is asked of the seller.
   */
  readonly '/previewShopEvent': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: PreviewShopEventRequest;
    readonly reply: PreviewShopEventReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'connector_not_found'
      | 'shop_event_not_found'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Decide about an event of a shop. Does what a person decides about an event: one of its `remedies` of
   * /getShopEvent. `replay` applies it once more. `issue` gives a license in spite of its price, `issue_one`
   * one license whatever the quantity, `issue_own_key` a license with a key of this service. `revoke` and
   * `reinstate` act on the licenses of the sale, `set_end` gives them the end that the seller tells, and
   * `dismiss` leaves everything as it is.
   */
  readonly '/decideShopEvent': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: DecideShopEventRequest;
    readonly reply: DecideShopEventReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'connector_not_found'
      | 'shop_event_not_found'
      | 'remedy_not_offered'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Change a connector of a shop. Changes the given fields and leaves the others. A new `secret` is taken
   * besides the former ones for `overlapHours`. `mappings` are added, or replace those with the same name;
   * events that waited for one are applied at once. With `applyWatched`, the events that the connector only
   * watched are applied, the oldest first.
   */
  readonly '/updateConnector': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: UpdateConnectorRequest;
    readonly reply: UpdateConnectorReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'product_not_found'
      | 'connector_not_found'
      | 'secrets_key_missing'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Apply events of shops once more. Lets events be applied under the present mappings: named ones, or those
   * of a connector in one state, at most 20,000. What was carried out before is not carried out twice. Events
   * of a connector that is not `on` are left as they are.
   */
  readonly '/replayShopEvents': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ReplayShopEventsRequest;
    readonly reply: ReplayShopEventsReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'connector_not_found'
      | 'shop_event_not_found'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * Delete a connector of a shop. Ends the address of a connector, and deletes its events and what was told of
   * its sales within minutes. Licenses that it sold stay as they are, and nothing that the seller tells
   * reaches them any more. Refused while the service still works on its events.
   */
  readonly '/deleteConnector': {
    readonly methods: 'DELETE' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: DeleteConnectorRequest;
    readonly reply: DeleteConnectorReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'connector_not_found'
      | 'events_waiting'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy'
      | 'role_not_allowed'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused';
  };
  /**
   * Write the text of e-mails to buyers. Makes the text for a product or for all products of an owner, by kind
   * and language, or replaces it. An e-mail has the text of its product, else that of the owner, else the
   * built-in one. The text is plain; the service makes the HTML and escapes every value. It has at most 4096
   * bytes and no placeholders except {product}, {variant}, {keys}, {expires}, {shop}, {support}; those of keys
   * need {keys}, which no subject may have. {shop} is the name of the brand, and {support} its address of
   * support. Texts that a creator's API key or session saves have no addresses and no links. An owner has at
   * most 200. With `wasUpdatedAt`, a text that was changed since is left as it is: the answer is 409 with the
   * author of that change.
   */
  readonly '/saveMailTemplate': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: SaveMailTemplateRequest;
    readonly reply: SaveMailTemplateReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'creator_mismatch'
      | 'product_not_found'
      | 'changed_meanwhile'
      | 'too_many_mail_templates'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy';
  };
  /**
   * List the texts of e-mails to buyers. Lists all texts of the operator, or of a creator. There are at most
   * 200, so there are no pages. /previewMail shows the built-in texts.
   */
  readonly '/listMailTemplates': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ListMailTemplatesRequest;
    readonly reply: ListMailTemplatesReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'unauthorized'
      | 'creator_mismatch'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object';
  };
  /**
   * Show an e-mail to buyers. Shows an e-mail with the values of an example: with the given subject and text,
   * else with those that e-mails have at present. Nothing is stored or sent; /sendTestMail sends it.
   */
  readonly '/previewMail': {
    readonly methods: 'GET' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: PreviewMailRequest;
    readonly reply: PreviewMailReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'unauthorized'
      | 'creator_mismatch'
      | 'product_not_found'
      | 'wrong_secret_rate'
      | 'network_busy'
      | 'bad_json'
      | 'body_not_object'
      | 'role_not_allowed';
  };
  /**
   * Delete a text of e-mails to buyers. E-mails that wait have the text of the owner then, else the built-in
   * one. With `wasUpdatedAt`, a text that was changed since is left as it is. DELETE takes its fields from the
   * query string or a body.
   */
  readonly '/deleteMailTemplate': {
    readonly methods: 'DELETE' | 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: DeleteMailTemplateRequest;
    readonly reply: DeleteMailTemplateReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'creator_mismatch'
      | 'mail_template_not_found'
      | 'product_not_found'
      | 'changed_meanwhile'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'network_busy'
      | 'role_not_allowed'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused';
  };
  /**
   * Send an e-mail to buyers as a test. Sends what /previewMail shows to one address, once. It counts as an
   * e-mail with keys does: see /mailLicense. /listMails shows its state.
   */
  readonly '/sendTestMail': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: SendTestMailRequest;
    readonly reply: SendTestMailReply;
    readonly refusal: Error;
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'creator_mismatch'
      | 'product_not_found'
      | 'mail_off'
      | 'address_not_mailable'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'mail_rate'
      | 'creator_mail_rate'
      | 'network_busy';
  };
  /**
   * Give a license another key. Issues a license with a new key in the place of one whose key is known to
   * others. Terms, address, purchase, machines, users, use, files and notes go over to it, and later renewals
   * and refunds reach it. The old license stays as revoked for good. Apps that send `acceptsReplacement` to
   * /validate go on by themselves; others ask for the new key. `mail` sends it to the address of the license,
   * within the limits of /mailLicense; if that is refused, nothing is replaced.
   */
  readonly '/replaceLicense': {
    readonly methods: 'POST';
    readonly access: 'admin';
    readonly status: 200;
    readonly request: ReplaceLicenseRequest;
    readonly reply: ReplaceLicenseReply;
    readonly refusal: Error | (Error & LicenseAlreadyReplaced);
    readonly codes:
      | 'missing_fields'
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'license_not_found'
      | 'license_already_replaced'
      | 'revoked_not_replaceable'
      | 'mail_off'
      | 'address_not_mailable'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'quota_used'
      | 'mail_rate'
      | 'creator_mail_rate'
      | 'network_busy';
  };
  /**
   * Send a test e-mail to the operator. Sends the e-mail of `latchkey send-test-mail` to each address of
   * `LATCHKEY_OPERATOR_EMAIL`, or to one of them, by the running service and once, within seconds. /listMails
   * shows each under its `mailId`: as sent, or as failed with the answer of the mail server in `lastError`. At
   * most ten an hour go to an address.
   */
  readonly '/testOperatorMail': {
    readonly methods: 'POST';
    readonly access: 'superAdmin';
    readonly status: 200;
    readonly request: TestOperatorMailRequest;
    readonly reply: TestOperatorMailReply;
    readonly refusal: Error;
    readonly codes:
      | 'invalid_field'
      | 'bad_json'
      | 'body_not_object'
      | 'unauthorized'
      | 'role_not_allowed'
      | 'mail_off'
      | 'not_operator_address'
      | 'idempotent_reply_lost'
      | 'idempotency_key_reused'
      | 'wrong_secret_rate'
      | 'operator_test_rate'
      | 'network_busy';
  };
  /** The public keys of license files, for tools. A JSON Web Key Set. It may be kept for an hour. */
  readonly '/.well-known/jwks.json': {
    readonly methods: 'GET';
    readonly access: 'client';
    readonly status: 200;
    readonly request: WellKnownJwksJsonRequest;
    readonly reply: WellKnownJwksJsonReply;
    readonly refusal: Error;
    readonly codes: never;
  };
  /**
   * The same keys, signed by each of them, for apps. An app that carries one of the keys learns the others
   * from it; docs/apps/license-files.md says how. It may be kept for an hour.
   */
  readonly '/.well-known/latchkey-keys.json': {
    readonly methods: 'GET';
    readonly access: 'client';
    readonly status: 200;
    readonly request: WellKnownLatchkeyKeysJsonRequest;
    readonly reply: WellKnownLatchkeyKeysJsonReply;
    readonly refusal: Error;
    readonly codes: never;
  };
  /**
   * Say whether the process answers. Answers as long as the process does. Restart the process when it does
   * not.
   */
  readonly '/healthz': {
    readonly methods: 'GET';
    readonly access: 'client';
    readonly status: 200;
    readonly request: HealthzRequest;
    readonly reply: HealthzReply;
    readonly refusal: Error;
    readonly codes: never;
  };
  /**
   * Say whether the service can do its work. Asks the database. Send no further requests to this process while
   * the answer is 503: the database cannot be reached, or the process is about to stop.
   */
  readonly '/readyz': {
    readonly methods: 'GET';
    readonly access: 'client';
    readonly status: 200;
    readonly request: ReadyzRequest;
    readonly reply: ReadyzReply;
    readonly refusal: Error;
    readonly codes:
      | 'not_ready';
  };
}

/** The path of an endpoint. */
export type Path = keyof Endpoints;

/** The request of an endpoint: a JSON body, or a query for GET and DELETE. */
export type RequestOf<At extends Path> = Endpoints[At]['request'];

/** The body of an endpoint's success. */
export type ReplyOf<At extends Path> = Endpoints[At]['reply'];

/** The refusal codes of an endpoint, as in the header `Latchkey-Code`. */
export type CodeOf<At extends Path> = Endpoints[At]['codes'] | CommonCode;

/** Refusal codes that every endpoint can return. */
export type CommonCode =
  | 'malformed_http'
  | 'headers_too_large'
  | 'request_timeout'
  | 'method_not_allowed'
  | 'query_too_large'
  | 'body_too_large'
  | 'https_required'
  | 'forwarded_proto_missing'
  | 'forbidden_peer'
  | 'database_away'
  | 'overloaded'
  | 'unexpected';

/** Every refusal code. */
export type RefusalCode = keyof RefusalStatuses;

/** The statuses of every refusal by its code. */
export interface RefusalStatuses {
  /** Unauthorized */
  readonly unauthorized: 401;
  /** Too many wrong credentials from your network. Try again later. */
  readonly wrong_secret_rate: 429;
  /** Your role does not allow this. Ask an owner. */
  readonly role_not_allowed: 403;
  /** An API key cannot act for another creator */
  readonly creator_mismatch: 403;
  /** This creator has used its quota of {max} {quota} a day. Try again later. */
  readonly quota_used: 429;
  /** A required field is absent, null or empty; the text names the missing fields */
  readonly missing_fields: 400;
  /** A field does not fit; the text names it */
  readonly invalid_field: 400;
  /** The service has no LATCHKEY_SECRETS_KEY, so it cannot keep secrets */
  readonly secrets_key_missing: 409;
  /** {thing} was changed meanwhile by {author}: {field} from {shown} to {stored} */
  readonly changed_meanwhile: 409;
  /** License not found */
  readonly license_not_found: 404;
  /** License has been revoked */
  readonly license_revoked: 403;
  /** License was replaced by another key */
  readonly license_replaced: 403;
  /** License was replaced by another key already */
  readonly license_already_replaced: 409;
  /** License is revoked, so its key cannot be replaced */
  readonly revoked_not_replaceable: 409;
  /** License has expired */
  readonly license_expired: 403;
  /** License is for a different product */
  readonly wrong_product: 403;
  /** License does not cover this version */
  readonly update_not_covered: 403;
  /** Meter not found */
  readonly meter_not_found: 404;
  /** Usage limit reached */
  readonly meter_limit: 403;
  /** requestId was used for other units */
  readonly request_id_reused: 422;
  /** License does not include this feature */
  readonly feature_missing: 403;
  /** Machine limit reached ({limit}). Deactivate another machine first. */
  readonly machine_limit: 403;
  /** User required */
  readonly user_required: 400;
  /** User limit reached ({limit}) */
  readonly user_limit: 403;
  /** User not found */
  readonly user_not_found: 404;
  /** Machine not activated */
  readonly machine_not_activated: 403 | 404;
  /** Machine has no live session */
  readonly no_live_session: 409;
  /** Note not found */
  readonly note_not_found: 404;
  /** Too many activation attempts. Try again later. */
  readonly activation_rate: 429;
  /** Invalid or expired token / Invalid token */
  readonly invalid_token: 401;
  /** Token mismatch */
  readonly token_mismatch: 401;
  /** License was revoked by a chargeback. Only /reinstateLicense undoes it. */
  readonly chargeback_revocation: 409;
  /** Violation not found */
  readonly violation_not_found: 404;
  /** You own more than {limit} products: provide a productId */
  readonly too_many_products: 400;
  /** Reply template not found */
  readonly reply_template_not_found: 404;
  /** Too many reply templates ({limit}). Delete one first. */
  readonly too_many_reply_templates: 409;
  /**
   * This looks like a credential. Search for what it belongs to; /listApiKeys finds an API key by its hash.
   */
  readonly query_is_secret: 400;
  /** Customer not found */
  readonly customer_not_found: 404;
  /** License files are not offered for this license */
  readonly license_files_not_offered: 403;
  /** Too many license files are in use. Try again after {time} */
  readonly too_many_license_files: 403;
  /** Too many license files for this machine. Try again later. */
  readonly license_file_rate: 429;
  /** This service sends no mail */
  readonly mail_off: 409;
  /** The address of this license cannot receive mail */
  readonly address_not_mailable: 409;
  /** Keys were mailed to this address three times within a day. Try again later. */
  readonly mail_rate: 429;
  /** This creator has mailed 100 keys within a day. Try again later. */
  readonly creator_mail_rate: 429;
  /** LATCHKEY_OPERATOR_EMAIL does not name this address */
  readonly not_operator_address: 409;
  /** Too many test e-mails. Try again later. */
  readonly operator_test_rate: 429;
  /** E-mail template not found */
  readonly mail_template_not_found: 404;
  /** Too many e-mail templates ({limit}). Delete one first. */
  readonly too_many_mail_templates: 409;
  /** Product not found */
  readonly product_not_found: 404;
  /** Product is archived */
  readonly product_archived: 409;
  /** Only the operator creates products here */
  readonly operator_creates_products: 403;
  /** Slug already exists */
  readonly slug_taken: 409;
  /** Variant not found */
  readonly variant_not_found: 404;
  /** variantId is ambiguous: {variants} */
  readonly variant_ambiguous: 409;
  /** API key not found */
  readonly api_key_not_found: 404;
  /** Too many sign-ins with this key. Try again later. */
  readonly sign_in_rate: 429;
  /** The admin secret does not sign in to this console */
  readonly secret_sign_in_off: 403;
  /** Console session not found */
  readonly console_session_not_found: 404;
  /** Operator key not found */
  readonly operator_key_not_found: 404;
  /** Destination not found */
  readonly destination_not_found: 404;
  /** Too many destinations ({limit}). Delete one first. */
  readonly too_many_destinations: 409;
  /** Only the operator creates destinations here */
  readonly operator_creates_destinations: 403;
  /** Destination is paused or disabled. Resume it first. */
  readonly destination_inactive: 409;
  /** Event not found */
  readonly event_not_found: 404;
  /** Destination is too far behind for this. Try again later. */
  readonly destination_catching_up: 409;
  /** Too many events wait ({limit}). Try again later. */
  readonly too_many_waiting: 409;
  /** A replay is under way */
  readonly replay_under_way: 409;
  /** Too many tests. Try again later. */
  readonly test_rate: 429;
  /** Self-service is off */
  readonly self_service_off: 409;
  /** The pages show licenses by shop only, and no creatorId is given */
  readonly no_shop_named: 409;
  /** Discount code not found */
  readonly discount_code_not_found: 404;
  /** Discount code already exists */
  readonly discount_code_taken: 409;
  /** invalid */
  readonly code_invalid: 400 | 404;
  /** expired */
  readonly code_expired: 400;
  /** max_uses */
  readonly code_max_uses: 400;
  /** not_applicable */
  readonly code_not_applicable: 400;
  /** already_redeemed */
  readonly code_already_redeemed: 409;
  /** Too many redemption attempts. Try again later. */
  readonly redemption_rate: 429;
  /**
   * Too many trials from your network. Try again later. / Too many trials of this product. Try again later.
   */
  readonly trial_rate: 429;
  /** This product offers no trial */
  readonly trial_not_offered: 403;
  /** Trial has ended */
  readonly trial_over: 403;
  /** durationDays is required: neither the event nor the variant gives a period */
  readonly duration_missing: 400;
  /** eventId was already used for another purchase or product */
  readonly event_id_reused: 409;
  /** Connector not found */
  readonly connector_not_found: 404;
  /** Shop event not found */
  readonly shop_event_not_found: 404;
  /** Connector prefix already exists */
  readonly connector_prefix_taken: 409;
  /** Events are still waiting */
  readonly events_waiting: 409;
  /** Too many connectors ({limit}). Delete one first. */
  readonly too_many_connectors: 409;
  /** This event has no such remedy */
  readonly remedy_not_offered: 409;
  /** Code not found */
  readonly seat_code_not_found: 404;
  /** Code already redeemed */
  readonly seat_code_redeemed: 409;
  /** User already has a seat in this studio order */
  readonly seat_already_held: 409;
  /** Studio order not found */
  readonly studio_order_not_found: 404;
  /** Idempotency-Key was already used with a different request */
  readonly idempotency_key_reused: 422;
  /** This Idempotency-Key was used before, and its first answer is no longer available */
  readonly idempotent_reply_lost: 409;
  /** Request is not valid HTTP */
  readonly malformed_http: 400;
  /** Request line and headers are larger than 16 KiB or 100 headers */
  readonly headers_too_large: 431;
  /** Request took too long to arrive */
  readonly request_timeout: 408;
  /** Body is not valid JSON */
  readonly bad_json: 400;
  /** Body must be a JSON object */
  readonly body_not_object: 400;
  /** Not found */
  readonly not_found: 404;
  /** Method not allowed */
  readonly method_not_allowed: 405;
  /** Query has more than 50 parameters or 8 KiB */
  readonly query_too_large: 400;
  /** Body is larger than 64 KiB */
  readonly body_too_large: 413;
  /** HTTPS is required */
  readonly https_required: 426;
  /** HTTPS is required: the proxy sent no X-Forwarded-Proto header */
  readonly forwarded_proto_missing: 426;
  /** Plain HTTP is served to trusted proxies only */
  readonly forbidden_peer: 403;
  /** Metrics are not answered under this host name, nor to pages of other sites */
  readonly metrics_host: 403;
  /** Too many calls from your network are under way. Try again shortly. */
  readonly network_busy: 503;
  /** The database cannot be reached. Try again shortly. */
  readonly database_away: 503;
  /** The service is overloaded. Try again shortly. */
  readonly overloaded: 503;
  /** Not ready */
  readonly not_ready: 503;
  /** Unexpected server failure */
  readonly unexpected: 500;
}

export interface ActivateRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Stable identifier of the machine, made by the client. */
  readonly machineFingerprint: string;
  /** Human-readable machine name. */
  readonly hostname: string;
  /** Product identifier (its slug). */
  readonly productId: string;
  /**
   * The person who uses the machine: an e-mail address or another name, compared as addresses are. Required
   * where the license has `maxUsers`; a bound machine keeps its user without it.
   */
  readonly user?: string;
  /** When the build was made; compiled into the app. A day without a time is its first moment in UTC. */
  readonly buildDate?: string;
  /** Version of the build: whole numbers with dots. Text after `-` or `+` is ignored. */
  readonly version?: string;
}

export interface ActivateReply {
  readonly success: true;
  /** Session token; opaque. */
  readonly token: string;
  /** When the session token expires. */
  readonly expiresAt: string;
  /** Slots taken; live sessions for a floating license. */
  readonly machinesUsed: number;
  /** Number of slots; -1 is unlimited. */
  readonly maxMachines: number;
  /** Status at this moment. */
  readonly status: LicenseStatus;
  /** Name of the variant. */
  readonly variant: string;
  /** What happened, for people. */
  readonly message: string;
  /** When the license expires; null for a perpetual one. */
  readonly licenseExpiresAt: string | null;
  /** Type of the license. */
  readonly licenseType: LicenseType;
  /**
   * Floating licenses: until when the session lives without a sign of life. Send the next heartbeat when a
   * third of that time is over.
   */
  readonly sessionExpiresAt?: string;
  /** Floating licenses: after how many seconds to send the next heartbeat, a third of the timeout. */
  readonly heartbeatAfterSeconds?: number;
  /** Features of the license by name; absent without any. */
  readonly features?: Readonly<Record<string, FeatureValue>>;
  /** Present from licenseExpiresAt on, while the grace keeps the license active. */
  readonly graceUntil?: string;
  /** Until when released builds are covered; absent if all are. */
  readonly updatesUntil?: string;
  /** Newest covered version; absent if all are. */
  readonly maxVersion?: string;
}

export type LicenseStatus = 'active' | 'revoked' | 'expired';

export type LicenseType = 'per-machine' | 'floating' | 'site';

export type FeatureValue = boolean | number | string;

export interface UpdateNotCovered {
  /** Until when released builds are covered; null covers all. */
  readonly updatesUntil: string | null;
  /** Newest covered version; null covers all. */
  readonly maxVersion: string | null;
}

export interface MachineLimit {
  /** Type of the license. */
  readonly licenseType: LicenseType;
  /**
   * Floating licenses: until when the present sessions live at the longest without a further sign of life;
   * null for licenses of other types, whose slots do not become free by themselves.
   */
  readonly until: string | null;
}

export interface ValidateRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Stable identifier of the machine, made by the client. */
  readonly machineFingerprint: string;
  /** Session token of the last /activate or /validate. */
  readonly token: string;
  /** When the build was made; compiled into the app. A day without a time is its first moment in UTC. */
  readonly buildDate?: string;
  /** Version of the build: whole numbers with dots. Text after `-` or `+` is ignored. */
  readonly version?: string;
  /** Features that the license must include: 1 to 50 names. False, 0 and absent are missing. */
  readonly features?: readonly string[];
  /** Whether the app stores another key and token if its key was replaced. */
  readonly acceptsReplacement?: boolean;
}

export interface ValidateReply {
  readonly valid: true;
  /** Present only when the token was replaced. */
  readonly newToken?: string;
  /** The key to use from now on; present only when the given one was replaced. */
  readonly licenseKey?: string;
  /** The token for `licenseKey`; only with that. */
  readonly sessionToken?: string;
  /** When the token to use from now on expires. */
  readonly expiresAt: string;
  /** Status at this moment. */
  readonly status: LicenseStatus;
  /** E-mail address of the customer. */
  readonly email: string;
  /** Product of the license. */
  readonly productId: string;
  /** Name of the variant. */
  readonly variant: string;
  /** When the license expires; null for a perpetual one. */
  readonly licenseExpiresAt: string | null;
  /** Days until then; null for a perpetual license. */
  readonly daysRemaining: number | null;
  /** Type of the license. */
  readonly licenseType: LicenseType;
  /**
   * Floating licenses: until when the session lives without a sign of life. Send the next heartbeat when a
   * third of that time is over.
   */
  readonly sessionExpiresAt?: string;
  /** Floating licenses: after how many seconds to send the next heartbeat, a third of the timeout. */
  readonly heartbeatAfterSeconds?: number;
  /** Features of the license by name; absent without any. */
  readonly features?: Readonly<Record<string, FeatureValue>>;
  /** Present from licenseExpiresAt on, while the grace keeps the license active. */
  readonly graceUntil?: string;
  /** Until when released builds are covered; absent if all are. */
  readonly updatesUntil?: string;
  /** Newest covered version; absent if all are. */
  readonly maxVersion?: string;
}

export interface FeatureMissing {
  /** Features that the license lacks. */
  readonly missing: readonly string[];
}

export interface VerifyRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Product identifier (its slug). */
  readonly productId: string;
  /** When the build was made; compiled into the app. A day without a time is its first moment in UTC. */
  readonly buildDate?: string;
  /** Version of the build: whole numbers with dots. Text after `-` or `+` is ignored. */
  readonly version?: string;
  /** Features that the license must include: 1 to 50 names. False, 0 and absent are missing. */
  readonly features?: readonly string[];
}

export interface VerifyReply {
  readonly valid: true;
  /** E-mail address of the customer. */
  readonly email: string;
  /** The productId of the request. */
  readonly productId: string;
  /** Name of the variant. */
  readonly variant: string;
  /** Type of the license. */
  readonly licenseType: LicenseType;
  /** Status at this moment. */
  readonly status: LicenseStatus;
  /** Slots taken; live sessions for a floating license. */
  readonly machinesUsed: number;
  /** Number of slots; -1 is unlimited. */
  readonly maxMachines: number;
  /** When the license was created. */
  readonly createdAt: string;
  /** When it was bought. */
  readonly purchasedAt: string;
  /** When it expires; null for a perpetual one. */
  readonly licenseExpiresAt: string | null;
  /** Days until then; null for a perpetual license. */
  readonly daysRemaining: number | null;
  /** Features of the license by name; absent without any. */
  readonly features?: Readonly<Record<string, FeatureValue>>;
  /** Present from licenseExpiresAt on, while the grace keeps the license active. */
  readonly graceUntil?: string;
  /** Until when released builds are covered; absent if all are. */
  readonly updatesUntil?: string;
  /** Newest covered version; absent if all are. */
  readonly maxVersion?: string;
}

/** A machine that was activated, and its session token. */
export interface MachineSession {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Stable identifier of the machine, made by the client. */
  readonly machineFingerprint: string;
  /** Session token of the last /activate or /validate. */
  readonly token: string;
}

export interface DeactivateReply {
  readonly success: true;
  /** Slots taken now. */
  readonly machinesUsed: number;
  /** Number of slots; -1 is unlimited. */
  readonly maxMachines: number;
}

export interface HeartbeatReply {
  readonly success: true;
  /** When the session token expires. */
  readonly expiresAt: string;
  /**
   * Floating licenses: until when the session lives without a sign of life. Send the next heartbeat when a
   * third of that time is over.
   */
  readonly sessionExpiresAt?: string;
  /** Floating licenses: after how many seconds to send the next heartbeat, a third of the timeout. */
  readonly heartbeatAfterSeconds?: number;
  /** Features of the license by name; absent without any. */
  readonly features?: Readonly<Record<string, FeatureValue>>;
  /** Present from licenseExpiresAt on, while the grace keeps the license active. */
  readonly graceUntil?: string;
  /** Until when released builds are covered; absent if all are. */
  readonly updatesUntil?: string;
  /** Newest covered version; absent if all are. */
  readonly maxVersion?: string;
}

export interface CreateLicenseRequest {
  /** The customer. */
  readonly email: string;
  /** Product identifier (its slug). */
  readonly productId: string;
  /** Variant name; `indie` by default. */
  readonly variant?: string;
  /** Maximum number of machines; by default that of the variant, otherwise 2. -1 is unlimited. */
  readonly maxMachines?: number;
  /** Floating sessions at once. */
  readonly maxConcurrent?: number;
  /** The variant decides, else `per-machine`. */
  readonly licenseType?: LicenseType;
  /** Perpetual unless this or `duration` is given. */
  readonly expiresAt?: string | null;
  /**
   * `variant`: the license lasts for the durationDays or durationMonths of its variant. Not with `expiresAt`.
   */
  readonly duration?: 'variant';
  /** Code applied at purchase, stored as text. */
  readonly discountCode?: string;
  /** External transaction. */
  readonly purchaseId?: string;
  /** Bundle it belongs to. */
  readonly bundleId?: string;
  /** Further products that it opens. */
  readonly unlockedProducts?: readonly string[];
  /** Days after expiresAt in which the license stays active. */
  readonly graceDays?: number;
  /** Until when released builds are covered; a day without a time is its end in UTC. */
  readonly updatesUntil?: string;
  /** Newest covered version; `2` covers 2 and 2.x. All versions by default. */
  readonly maxVersion?: string;
  /** Days without a sign of life after which a machine makes room for another one; never by default. */
  readonly releaseIdleDays?: number;
  /** Named users who may hold a seat; no named users by default. */
  readonly maxUsers?: number;
  /** Machines of one named user; any number by default. */
  readonly maxMachinesPerUser?: number;
  /** Whether a user's seat is free with the last machine of the user; kept until released by default. */
  readonly usersFloat?: boolean;
  /**
   * When the time of a license and of its updates begins: with its `issue`, by default, or with its first
   * `activation`.
   */
  readonly durationStarts?: DurationStart;
  /**
   * Features of the license itself, laid over those of its variant: at most 50 names to true, false, a number,
   * a text, null (takes the feature of the variant away), or `{"value": …, "until": "…"}` for one with an end.
   */
  readonly features?: Readonly<Record<string, OwnFeature>>;
  /** Limits of the license itself, laid over those of its variant: names of its meters to `{"limit": …}`. */
  readonly meters?: Readonly<Record<string, {
    readonly limit: number;
  }>>;
  /** The vendor's own facts: at most 50 names to texts; never shown to the app. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export type DurationStart = 'issue' | 'activation';

export type OwnFeature = boolean | number | string | null | {
  readonly value: FeatureValue;
  readonly until: string;
};

export interface CreateLicenseReply {
  readonly success: true;
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  readonly license: License;
}

/** A license with all of its fields. */
export interface License {
  /** License key; one from elsewhere in the form in which it was issued. */
  readonly key: string;
  /** E-mail address of the customer. */
  readonly email: string;
  /** Product that it is for. */
  readonly productId: string;
  /** Name of the variant. */
  readonly variant: string;
  /** Type of the license. */
  readonly licenseType: LicenseType;
  /** Status at this moment. */
  readonly status: LicenseStatus;
  /** -1 is unlimited. */
  readonly maxMachines: number;
  /** Floating licenses only. */
  readonly maxConcurrent: number | null;
  /** When the license was created. */
  readonly createdAt: string;
  /** When it was bought; createdAt where nothing better is known. */
  readonly purchasedAt: string;
  /** Null is perpetual. */
  readonly expiresAt: string | null;
  /** Code applied at purchase. */
  readonly discountCode: string | null;
  /** The storefront's transaction. */
  readonly purchaseId: string | null;
  /** Bundle it belongs to. */
  readonly bundleId: string | null;
  /** Further products that it opens. */
  readonly unlockedProducts: readonly string[];
  /** 0 to 4: the highest severity among open violations. */
  readonly threatLevel: number;
  /** Set by a refund or chargeback. */
  readonly disputeReason: DisputeReason | null;
  /** Key whose place this one took; absent without one. */
  readonly replaces?: string;
  /** Key that took the place of this one; absent without one. */
  readonly replacedBy?: string;
  /** Days after expiresAt in which the license stays active. */
  readonly graceDays?: number | null;
  /** Until when released builds are covered; a day without a time is its end in UTC. */
  readonly updatesUntil?: string | null;
  /** Newest covered version; `2` covers 2 and 2.x. All versions by default. */
  readonly maxVersion?: string | null;
  /** Days without a sign of life after which a machine makes room for another one; never by default. */
  readonly releaseIdleDays?: number | null;
  /** Named users who may hold a seat; no named users by default. */
  readonly maxUsers?: number | null;
  /** Machines of one named user; any number by default. */
  readonly maxMachinesPerUser?: number | null;
  /** Whether a user's seat is free with the last machine of the user; kept until released by default. */
  readonly usersFloat?: boolean | null;
  /** `activation` while its time waits for the first activation. */
  readonly durationStarts?: DurationStart | null;
  /**
   * Lengths of time that begin with the first activation: `days` and `months` of the license, `updatesDays`
   * and `updatesMonths` of its updates. Absent once they have begun.
   */
  readonly waiting?: {
    readonly days?: number;
    readonly months?: number;
    readonly updatesDays?: number;
    readonly updatesMonths?: number;
  } | null;
  /** Features of the license at this moment by name. */
  readonly features?: Readonly<Record<string, FeatureValue>> | null;
  /**
   * Features of the license itself, laid over those of its variant: at most 50 names to true, false, a number,
   * a text, null (takes the feature of the variant away), or `{"value": …, "until": "…"}` for one with an end.
   */
  readonly ownFeatures?: Readonly<Record<string, OwnFeature>> | null;
  /** Limits of the license itself, laid over those of its variant: names of its meters to `{"limit": …}`. */
  readonly meters?: Readonly<Record<string, {
    readonly limit: number;
  }>> | null;
  /** The vendor's own facts: texts by name; absent without any. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export type DisputeReason = 'refund' | 'chargeback';

export interface GetLicenseRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Activations per answer. */
  readonly activationLimit?: number;
  /** The nextActivationCursor of the answer before. */
  readonly activationCursor?: string;
  /** Whether to include the countries of the license. */
  readonly countries?: boolean;
  /** Whether to include the history of the license. */
  readonly history?: boolean;
  /** Entries of the history; 100 by default. */
  readonly historyLimit?: number;
  /** The nextHistoryCursor of the answer before. */
  readonly historyCursor?: string;
}

export interface GetLicenseReply {
  readonly success: true;
  readonly license: License;
  readonly activations: readonly Activation[];
  /** Number of activations. */
  readonly activationCount: number;
  readonly violations: readonly Violation[];
  /** Present where the variant has meters. */
  readonly usage?: readonly MeterUsage[];
  /** Present when there are more: the activationCursor of the next page. */
  readonly nextActivationCursor?: string;
  /** Present where it was asked for: the one with most machines first. New ones appear within a minute. */
  readonly countries?: readonly LicenseCountry[];
  /** Present where it was asked for. */
  readonly history?: readonly HistoryEntry[];
  /** Present when there are more: the historyCursor of the next page. */
  readonly nextHistoryCursor?: string;
}

/** A machine that a license is bound to. */
export interface Activation {
  /** Identifier of the machine, made by the client. */
  readonly fingerprint: string;
  /** Human-readable machine name. */
  readonly hostname: string;
  /** When the machine was bound. */
  readonly firstSeen: string;
  /** Its last sign of life. */
  readonly lastSeen: string;
  /** Expiry of its current session token. */
  readonly tokenExpiry: string;
  /** When the live floating session began. */
  readonly sessionStarted: string | null;
  /** Whether a floating session is live. */
  readonly sessionActive: boolean;
  /** Country codes seen. */
  readonly countries: readonly string[];
  /** Country code of the last sign of life, where known. */
  readonly lastCountry: string | null;
  /** The user as the app named them first; absent without one. */
  readonly user?: string;
}

/** Misuse of a license, found by the service or reported to it. */
export interface Violation {
  /** For violationIds of /resolveLicense. */
  readonly id: string;
  /** What happened. */
  readonly type: ViolationType;
  /** 4 is the most severe. */
  readonly severity: number;
  /** How often it was seen while open. */
  readonly occurrences: number;
  /** First occurrence. */
  readonly firstSeen: string;
  /** Last occurrence. */
  readonly lastSeen: string;
  /** What happened; its fields depend on the type. */
  readonly evidence: Readonly<Record<string, unknown>>;
  /** Null while it is open. */
  readonly resolvedAt: string | null;
}

export type ViolationType = 'machine_limit' | 'activation_rate' | 'token_replay' | 'country_spread' | 'refund' | 'chargeback' | 'fraud';

/** A meter of a license in its present period. */
export interface MeterUsage {
  /** Name of the meter. */
  readonly meter: string;
  /** Units that are used in the present period. */
  readonly used: number;
  /** Units of a period; -1 is unlimited. */
  readonly limit: number;
  /** Units that are left, never below 0; null if unlimited. */
  readonly remaining: number | null;
  /** When the next period begins; null if none does. */
  readonly resetsAt: string | null;
}

/** A country that a license was used from. */
export interface LicenseCountry {
  /** Two letters, as in ISO 3166. */
  readonly code: string;
  /** Machines whose last call came from there. */
  readonly machines: number;
  /** Machines that called from there before, and last from elsewhere. */
  readonly machinesBefore: number;
}

/** Something that happened to a license. */
export interface HistoryEntry {
  /** The kind of entry; the field of that name holds its content, for a note the field `event`. */
  readonly kind: HistoryKind;
  /** When; of refusals and violations, the last time; of a note that was imported, when that was. */
  readonly at: string;
  readonly event?: Event;
  readonly refusal?: KeptRefusal;
  readonly violation?: Violation;
}

export type HistoryKind = 'event' | 'note' | 'refusal' | 'violation';

/** A change, recorded in its own transaction. */
export interface Event {
  /** Ids sort by time. */
  readonly id: string;
  /** When it was decided. */
  readonly at: string;
  /** What happened. */
  readonly type: EventType;
  readonly actor: Actor;
  /** License that was changed. */
  readonly licenseKey: string | null;
  /** Place of the change among all changes of the license, from 1 without gaps. */
  readonly licenseNumber: number | null;
  /** Product that it is about. */
  readonly productId: string | null;
  /** Owner of the product when it happened. */
  readonly creatorId: string | null;
  /**
   * The changed object if it is not the license or the product itself: a fingerprint, a violation, a variant,
   * a discount code, an order, the hash of an API key, the address that a license had before.
   */
  readonly subject: string | null;
  /**
   * The id of the request: Latchkey-Request-Id of its answer, else its X-Request-Id; null for commands and
   * jobs.
   */
  readonly requestId: string | null;
  /** The changed fields with their former values; null if it was created. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** The changed fields with their new values; null if it was removed. */
  readonly after: Readonly<Record<string, unknown>> | null;
}

export type EventType = 'license.created' | 'license.updated' | 'license.renewed' | 'license.expiring' | 'license.expired' | 'license.updates_expiring' | 'license.revoked' | 'license.replaced' | 'license.reinstated' | 'license.activation_limit_lifted' | 'license.noted' | 'license.note_deleted' | 'license.email_changed' | 'activation.created' | 'activation.deleted' | 'activation.moved' | 'user.released' | 'activations.reset' | 'session.ended' | 'usage.limit_reached' | 'usage.adjusted' | 'license_file.issued' | 'customer_link.created' | 'violation.opened' | 'violation.raised' | 'violation.resolved' | 'product.created' | 'product.updated' | 'variant.created' | 'variant.updated' | 'discount_code.created' | 'discount_code.updated' | 'discount_code.redeemed' | 'discount_code.deleted' | 'api_key.created' | 'api_key.revoked' | 'operator_key.created' | 'operator_key.revoked' | 'token_key.dropped' | 'console_session.created' | 'console_session.ended' | 'console_session.refused' | 'studio_order.created' | 'studio_seat.redeemed' | 'brand.updated' | 'mail_template.saved' | 'mail_template.deleted' | 'reply_template.saved' | 'reply_template.deleted' | 'destination.created' | 'destination.updated' | 'destination.secret_rotated' | 'destination.paused' | 'destination.resumed' | 'destination.failing' | 'destination.disabled' | 'destination.deleted' | 'connector.created' | 'connector.updated' | 'connector.deleted' | 'customer.forgotten';

/** Who caused a change. */
export interface Actor {
  /** The kind of caller. */
  readonly kind: ActorKind;
  /** The creator, or the name of the command or of the job; else null. */
  readonly id: string | null;
  /**
   * Name of the API key that was shown. In the console: name of the operator key, or `admin (Ada)` where Ada
   * signed in by the admin secret and gave that name herself. Of a customer, the person with whose link the
   * session began. Of the storefront, the connected shop. Else null, and for creators null in events of
   * others.
   */
  readonly keyName: string | null;
}

export type ActorKind = 'operator' | 'creator' | 'storefront' | 'client' | 'customer' | 'command' | 'service';

/**
 * A call of an app that was refused. Repeats of one machine and code within an hour are one entry, with the
 * values of the last repeat unless a field says otherwise.
 */
export interface KeptRefusal {
  /** Identifier of the refusal. */
  readonly id: string;
  /** The endpoint that refused. */
  readonly endpoint: ClientEndpoint;
  /** The code of the refusal. */
  readonly code: string;
  /** The text that the app received. */
  readonly error: string;
  /** The machine that was refused; null at /verify, which asks for none. */
  readonly machineFingerprint: string | null;
  /** Its name, where known. */
  readonly hostname: string | null;
  /** How often. */
  readonly count: number;
  /** The first time. */
  readonly firstAt: string;
  /** The last time. */
  readonly lastAt: string;
  /**
   * The facts behind it: `limit`, `retryAfterSeconds`, the requested `productId`, `expiresAt`, the `meter`
   * with `used` and `units`.
   */
  readonly details: Readonly<Record<string, string | number>>;
  /** Identifier of the request. */
  readonly requestId: string;
}

export type ClientEndpoint = '/verify' | '/activate' | '/validate' | '/heartbeat' | '/deactivate' | '/consume';

export interface ListLicensesRequest {
  /** Product identifier (its slug). */
  readonly productId?: string;
  /** The storefront's transaction; an exact match. */
  readonly purchaseId?: string;
  /** Customer e-mail, compared without case. */
  readonly email?: string;
  /** Name of the variant; an exact match. */
  readonly variant?: string;
  /** Status at this moment. */
  readonly status?: LicenseStatus;
  /** A country that a machine of the license has called from. Two letters, as in ISO 3166, in any case. */
  readonly country?: string;
  /** One name of the metadata with its value, an exact match; in a body only. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The beginning of the customer e-mail, compared without case. */
  readonly beginning?: string;
  /** Created at this time or later. */
  readonly createdFrom?: string;
  /** Created at this time or earlier; a day includes all of its time. */
  readonly createdTo?: string;
  /** For the order `expiry`: expiry at this time or later. */
  readonly expiresFrom?: string;
  /** For the order `expiry`: expiry at this time or earlier. */
  readonly expiresTo?: string;
  /** By creation, newest (the default) or oldest first; or by expiry, soonest first. */
  readonly sort?: 'newest' | 'oldest' | 'expiry';
  /** True shows more of each license. */
  readonly detail?: boolean;
  /**
   * Active licenses that expire soon, soonest first; or licenses whose threat level is not 0, highest first.
   */
  readonly view?: 'expiring' | 'threat';
  /** For the view `expiring`: expiry within this many days from now; 30 by default. */
  readonly withinDays?: number;
  /** For the view `threat`: the lowest threat level; 1 by default. */
  readonly minimum?: number;
  /** Licenses per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListLicensesReply {
  readonly success: true;
  readonly licenses: readonly LicenseSummary[];
  /** Licenses in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** A license as lists show it; /getLicense shows all fields. */
export interface LicenseSummary {
  /** License key. */
  readonly key: string;
  /** E-mail address of the customer. */
  readonly email: string;
  /** Product that it is for. */
  readonly productId: string;
  /** Name of the variant. */
  readonly variant: string;
  /** Status at this moment. */
  readonly status: LicenseStatus;
  /** -1 is unlimited. */
  readonly maxMachines: number;
  /** When the license was created. */
  readonly createdAt: string;
  /** Type of the license. */
  readonly licenseType?: LicenseType;
  /** With `detail`. Null is perpetual. */
  readonly expiresAt?: string | null;
  /** With `detail`: its length begins with the first activation. */
  readonly waiting?: true;
  /** With `detail`: machines that it is bound to. */
  readonly machinesUsed?: number;
  /** With `detail`. Floating licenses only. */
  readonly maxConcurrent?: number | null;
  /** With `detail`: 0 to 4. */
  readonly threatLevel?: number;
}

export interface UpdateLicenseRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Variant name. */
  readonly variant?: string;
  /**
   * `variant`: type, limits, grace, updates and unlocked products of the variant anew, as a new license would
   * get them, but for those that the request names. Its expiry and its own features stay.
   */
  readonly terms?: 'variant';
  /** Type of the license. */
  readonly licenseType?: LicenseType;
  /** Maximum number of machines; -1 is unlimited. */
  readonly maxMachines?: number;
  /** Floating sessions at once. */
  readonly maxConcurrent?: number;
  /** Null makes it perpetual. Wins over a time that waits for the first activation. */
  readonly expiresAt?: string | null;
  /** Direct override. */
  readonly status?: 'active' | 'revoked';
  /** Further products that it opens. */
  readonly unlockedProducts?: readonly string[];
  /** Days after expiresAt in which the license stays active. */
  readonly graceDays?: number | null;
  /** Until when released builds are covered; a day without a time is its end in UTC. */
  readonly updatesUntil?: string | null;
  /** Newest covered version; `2` covers 2 and 2.x. All versions by default. */
  readonly maxVersion?: string | null;
  /** Days without a sign of life after which a machine makes room for another one; never by default. */
  readonly releaseIdleDays?: number | null;
  /** Named users who may hold a seat; no named users by default. */
  readonly maxUsers?: number | null;
  /** Machines of one named user; any number by default. */
  readonly maxMachinesPerUser?: number | null;
  /** Whether a user's seat is free with the last machine of the user; kept until released by default. */
  readonly usersFloat?: boolean | null;
  /**
   * Features of the license itself, laid over those of its variant: at most 50 names to true, false, a number,
   * a text, null (takes the feature of the variant away), or `{"value": …, "until": "…"}` for one with an end.
   */
  readonly features?: Readonly<Record<string, OwnFeature>> | null;
  /** Limits of the license itself, laid over those of its variant: names of its meters to `{"limit": …}`. */
  readonly meters?: Readonly<Record<string, {
    readonly limit: number;
  }>> | null;
  /** Merged into the metadata of the license; null takes a name away. At most 50 names. */
  readonly metadata?: Readonly<Record<string, string | null>>;
  /** The variant that the caller saw. */
  readonly wasVariant?: string;
  /** The type that the caller saw. */
  readonly wasLicenseType?: LicenseType;
  /** The number of machines that the caller saw. */
  readonly wasMaxMachines?: number;
  /** The number of floating sessions that the caller saw. */
  readonly wasMaxConcurrent?: number | null;
  /** The expiry that the caller saw; null for a perpetual license. */
  readonly wasExpiresAt?: string | null;
  /** The `graceDays` that the caller saw. */
  readonly wasGraceDays?: number | null;
  /** The `updatesUntil` that the caller saw. */
  readonly wasUpdatesUntil?: string | null;
  /** The `maxVersion` that the caller saw. */
  readonly wasMaxVersion?: string | null;
  /** The `releaseIdleDays` that the caller saw. */
  readonly wasReleaseIdleDays?: number | null;
  /** The `maxUsers` that the caller saw. */
  readonly wasMaxUsers?: number | null;
  /** The `maxMachinesPerUser` that the caller saw. */
  readonly wasMaxMachinesPerUser?: number | null;
  /** The `usersFloat` that the caller saw. */
  readonly wasUsersFloat?: boolean | null;
  /** The `features` that the caller saw. */
  readonly wasFeatures?: Readonly<Record<string, OwnFeature>> | null;
  /** The `meters` that the caller saw. */
  readonly wasMeters?: Readonly<Record<string, {
    readonly limit: number;
  }>> | null;
  /** The `unlockedProducts` that the caller saw. */
  readonly wasUnlockedProducts?: readonly string[];
  /** The `metadata` that the caller saw. */
  readonly wasMetadata?: Readonly<Record<string, string | null>>;
  /**
   * The id of the event that the request undoes: 409 if a later event changed a field whose value the caller
   * saw.
   */
  readonly undoes?: string;
}

/** The license after the change. */
export interface ChangedLicense {
  readonly success: true;
  readonly license: License;
}

export interface LicenseAlreadyReplaced {
  /** Key of the license that took its place. */
  readonly replacedBy: string;
}

export interface RevokeLicenseRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Why. */
  readonly reason?: RevocationReason;
  /** The revocation that the caller saw; `plain` has no reason, null is none. */
  readonly wasRevocation?: Revocation | null;
  /**
   * The id of the event that the request undoes: 409 if a later event changed a field whose value the caller
   * saw.
   */
  readonly undoes?: string;
}

export type RevocationReason = 'refund' | 'chargeback' | 'fraud';

export type Revocation = 'refund' | 'fraud' | 'plain' | 'chargeback' | 'replaced';

export interface ReinstateLicenseRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** The revocation that the caller saw; `plain` has no reason, null is none. */
  readonly wasRevocation?: Revocation | null;
  /**
   * The id of the event that the request undoes: 409 if a later event changed a field whose value the caller
   * saw.
   */
  readonly undoes?: string;
}

export interface ResolveLicenseRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Identifiers from the violations of /getLicense. */
  readonly violationIds: readonly string[];
  /** Leaves a revoked license revoked until /reinstateLicense; its violations are resolved. */
  readonly staysRevoked?: boolean;
  /** Answers the result without changing or recording anything. */
  readonly dryRun?: boolean;
}

export interface ResolveLicenseReply {
  readonly success: true;
  /** The new level, 0 to 4. */
  readonly threatLevel: number;
  readonly license: License;
}

export interface ResetActivationsRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
}

export interface LiftActivationLimitRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
}

export interface ReleaseActivationRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Stable identifier of the machine, made by the client. */
  readonly machineFingerprint: string;
}

export interface ReleaseActivationReply {
  readonly success: true;
  /** Slots taken now. */
  readonly machinesUsed: number;
  /** Number of slots; -1 is unlimited. */
  readonly maxMachines: number;
  readonly license: License;
}

export interface EndSessionRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Stable identifier of the machine, made by the client. */
  readonly machineFingerprint: string;
}

export interface EndSessionReply {
  readonly success: true;
  /** Slots taken now. */
  readonly machinesUsed: number;
  /** Number of slots; -1 is unlimited. */
  readonly maxMachines: number;
  readonly license: License;
}

export interface ListUsersRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Users per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListUsersReply {
  readonly success: true;
  readonly users: readonly LicenseUser[];
  /** Users in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** A person who holds a seat of a license. */
export interface LicenseUser {
  /** As the app named the user first. */
  readonly user: string;
  /** Machines of the user at this moment. */
  readonly machines: number;
  /** When the user got the seat. */
  readonly since: string;
  /** The last sign of life of a machine of the user. */
  readonly lastSeen: string;
}

export interface ReleaseUserRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** The user, as /listUsers or the activation names them; compared as addresses are. */
  readonly user: string;
}

export interface ReleaseUserReply {
  readonly success: true;
  /** Machines that were unbound. */
  readonly machinesReleased: number;
}

export interface AddNoteRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** The note. */
  readonly text: string;
}

export interface AddNoteReply {
  readonly success: true;
  readonly note: Note;
}

/** A text that somebody wrote about a license. */
export interface Note {
  /** Identifier of the event that holds the note. */
  readonly id: string;
  /** When it was written. */
  readonly at: string;
  /** The note. */
  readonly text: string;
  /** Who wrote it: `operator`, or `creator:` and the id of the creator. */
  readonly by: string;
}

export interface DeleteNoteRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** The note, as /addNote answers it; in a history the id of its event. */
  readonly noteId: string;
}

export interface DeleteNoteReply {
  readonly success: true;
}

export interface ChangeEmailRequest {
  /** The address from now on. */
  readonly newEmail: string;
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey?: string;
  /** The address of the license that the caller saw. */
  readonly wasEmail?: string;
  /**
   * The id of the event that the request undoes: 409 if a later event changed a field whose value the caller
   * saw.
   */
  readonly undoes?: string;
  /** Changes all licenses of this address; compared without case. */
  readonly email?: string;
}

export interface ChangeEmailReply {
  readonly success: true;
  /** How many licenses got the address, replaced keys included; 0 where all had it already. */
  readonly changed: number;
  /** Whether the former address has further licenses: repeat the call. */
  readonly remaining: boolean;
}

export interface ListLiveSessionsRequest {
  /** Product identifier (its slug). */
  readonly productId?: string;
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey?: string;
  /**
   * Only licenses that use at least this share of their limit. 0 by default: all, including those without a
   * limit.
   */
  readonly minimumUsePercent?: number;
  /** Sessions per license; 10 by default. */
  readonly sessionLimit?: number;
  /** The nextSessionCursor of this license in the answer before. */
  readonly sessionCursor?: string;
  /** Licenses per answer; 25 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListLiveSessionsReply {
  readonly success: true;
  readonly pools: readonly SessionPool[];
  /** Licenses in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** A floating license and its live sessions. */
export interface SessionPool {
  /** License key. */
  readonly licenseKey: string;
  /** E-mail address of the customer. */
  readonly email: string;
  /** Product that the license is for. */
  readonly productId: string;
  /** Maximum number of live sessions; -1 is unlimited. */
  readonly limit: number;
  /** How many live. */
  readonly inUse: number;
  /** The most that lived at once in the last 30 days, as a look once a minute found it. */
  readonly peak: number;
  /**
   * Calls of apps that were refused in the last hour. Repeats that share an entry count if the last one was in
   * that hour.
   */
  readonly refusedLastHour: number;
  readonly sessions: readonly LiveSession[];
  /** Present when there are more machines: the sessionCursor of the next page. */
  readonly nextSessionCursor?: string;
}

/** A machine that holds a slot of a floating license. */
export interface LiveSession {
  /** Identifier of the machine. */
  readonly fingerprint: string;
  /** Human-readable machine name. */
  readonly hostname: string;
  /** Where it was seen last; null where that is unknown. */
  readonly country: string | null;
  /** When the session began. */
  readonly startedAt: string;
  /** Its last sign of life. */
  readonly lastSeen: string;
  /** When it ends without a further one. */
  readonly endsAt: string;
}

export interface ListViolationsRequest {
  /** True lists open violations only, false resolved ones only. */
  readonly open?: boolean;
  /** What happened. */
  readonly type?: ViolationType;
  /**
   * True lists refunds and chargebacks only, which revoked their licenses when they were reported; false all
   * other types, which somebody has to decide about.
   */
  readonly disputes?: boolean;
  /** Adds `total` to the answer. */
  readonly withTotal?: boolean;
  /** The lowest severity that is listed. */
  readonly minimumSeverity?: number;
  /** Product identifier (its slug). */
  readonly productId?: string;
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey?: string;
  /** First seen at this time or later. */
  readonly firstSeenFrom?: string;
  /** First seen at this time or earlier; a day includes all of its time. */
  readonly firstSeenTo?: string;
  /** The most severe (the default) or the oldest first. */
  readonly sort?: 'gravest' | 'oldest';
  /** Violations per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListViolationsReply {
  readonly success: true;
  readonly violations: readonly ViolationOfLicense[];
  /** Violations in this answer. */
  readonly count: number;
  /** Present with `withTotal`. */
  readonly total?: {
    /** Violations that fit the filters, on all pages. */
    readonly count: number;
    /** True when there are more: counting ends at 1000. */
    readonly isAtLeast: boolean;
  };
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** A violation, and the license that it is of. */
export interface ViolationOfLicense {
  /** For violationIds of /resolveLicense. */
  readonly id: string;
  /** What happened. */
  readonly type: ViolationType;
  /** 4 is the most severe. */
  readonly severity: number;
  /** How often it was seen while open. */
  readonly occurrences: number;
  /** First occurrence. */
  readonly firstSeen: string;
  /** Last occurrence. */
  readonly lastSeen: string;
  /** What happened; its fields depend on the type. */
  readonly evidence: Readonly<Record<string, unknown>>;
  /** Null while it is open. */
  readonly resolvedAt: string | null;
  /** License that it is of. */
  readonly licenseKey: string;
  /** E-mail address of the customer. */
  readonly email: string;
  /** Product that the license is for. */
  readonly productId: string;
  /** Status at this moment. */
  readonly licenseStatus: LicenseStatus;
}

export interface FindLicensesRequest {
  /** Lines that name licenses: keys in any form, e-mail addresses, ids of purchases. */
  readonly names: readonly string[];
  /** Product identifier (its slug). */
  readonly productId?: string;
}

export interface FindLicensesReply {
  readonly success: true;
  /** The distinct lines. */
  readonly lines: readonly LineOfLicenses[];
}

/** A line of a list, and the licenses that it names. */
export interface LineOfLicenses {
  /** The line as it was sent. */
  readonly name: string;
  /**
   * The licenses with the fields of `detail`, newest first, at most 20; none for a line that names nothing
   * within reach.
   */
  readonly licenses: readonly LicenseSummary[];
  /** Present if the line names more than 20. */
  readonly isMore?: true;
}

export interface SearchEverythingRequest {
  /** The text to search for: a name, or a text that holds names. */
  readonly query: string;
  /** Hits per answer; 20 by default. */
  readonly limit?: number;
}

export interface SearchEverythingReply {
  readonly success: true;
  readonly hits: readonly SearchHit[];
  /** Hits in this answer. */
  readonly count: number;
  /** Whether there are more hits than this answer shows. */
  readonly isMore: boolean;
  /**
   * The names in a longer text that were looked for, at most 20, fewer for a creator of more than 250
   * products; empty if the text is one.
   */
  readonly searchedFor: readonly string[];
}

/** Something that a search found. */
export interface SearchHit {
  /** The kind of hit. */
  readonly kind: SearchHitKind;
  /** The field that matches the query. */
  readonly matchedBy: SearchMatch;
  /** Its name for people: an address, a name, a hostname, a type of event. */
  readonly title: string;
  /** License that it is, or is of; null where it is of none. */
  readonly licenseKey: string | null;
  /**
   * What names it where a license key does not: fingerprint, user, productId, code, studioOrderId (of a seat,
   * too), purchaseId, id of a sale at its seller, request id.
   */
  readonly id: string | null;
  /** Its status, where such a thing has one; of a machine, refused where it is not bound and was refused. */
  readonly status: string | null;
  /** When it was created, last seen or refused, redeemed, or done. */
  readonly at: string;
  /** Customer of the license, buyer of the order, user of the seat; null where there is none. */
  readonly email: string | null;
  /** Product of the license, the code or the change, or itself; null where there is none. */
  readonly productId: string | null;
  /**
   * Last sign of life of the machine, or of the license's machines, of which 50 are read; null where there is
   * none.
   */
  readonly lastSeenAt: string | null;
}

export type SearchHitKind = 'license' | 'machine' | 'user' | 'product' | 'code' | 'order' | 'seat' | 'purchase' | 'request';

export type SearchMatch = 'key' | 'keyEnd' | 'email' | 'domain' | 'lastName' | 'purchaseId' | 'orderNumber' | 'sellerId' | 'orderId' | 'seatCode' | 'slug' | 'name' | 'code' | 'requestId' | 'hostname' | 'fingerprint' | 'user' | 'metadata';

export interface ExplainLicenseRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** The product that the app names; by default that of the license. */
  readonly productId?: string;
  /** The machine; else the one that was refused last. */
  readonly machineFingerprint?: string;
  /** The user whose call is explained; by default that of the machine. */
  readonly user?: string;
  /** When the build was made; compiled into the app. A day without a time is its first moment in UTC. */
  readonly buildDate?: string;
  /** Version of the build: whole numbers with dots. Text after `-` or `+` is ignored. */
  readonly version?: string;
  /** The meter that the app uses. */
  readonly meter?: string;
  /** The units that it uses; 1 by default. */
  readonly units?: number;
}

export interface ExplainLicenseReply {
  readonly success: true;
  readonly license: License;
  /** The product that the app is taken to ask for. */
  readonly productId: string;
  readonly machine: ExplainedMachine;
  readonly verdict: Verdict;
  /**
   * One for each client endpoint, in the order in which an app calls them, and one for /consume if the license
   * has meters.
   */
  readonly checks: readonly EndpointCheck[];
  /** The last ten refusals of the license, the newest first. */
  readonly lastRefusals: readonly KeptRefusal[];
  /**
   * Of a license that does not work: the key of the newest active license of the customer for the product.
   */
  readonly otherKey: string | null;
}

/** The machine whose calls are explained. */
export interface ExplainedMachine {
  /** Identifier of the machine; null where none is known: a machine that is not bound. */
  readonly fingerprint: string | null;
  /** Name of the machine, where known. */
  readonly hostname: string | null;
  /** Whether the license is bound to it. */
  readonly bound: boolean;
  /**
   * Why this machine: the request names it, it was refused last, or it was seen last; `none_known` if there is
   * none.
   */
  readonly chosen: MachineChoice;
  /** Its last sign of life; null for one that is not bound. */
  readonly lastSeen: string | null;
  /**
   * Expiry of its latest session token, with which its calls are explained; null for a machine that is not
   * bound, which is taken to show an earlier token that has not expired.
   */
  readonly tokenExpiry: string | null;
  /** Until when its floating session lives; null without one. */
  readonly sessionExpiresAt: string | null;
}

export type MachineChoice = 'given' | 'refused_last' | 'seen_last' | 'none_known';

/** What the case looks like. It states nothing beyond the evidence. */
export interface Verdict {
  /** The case. */
  readonly code: VerdictCode;
  /** The evidence in words, for support. Not for customers. */
  readonly sentence: string;
  readonly evidence: VerdictEvidence;
  /**
   * The first thing to do: `review` the violations and the history, `decline`, take the first `remedy` of the
   * first refused call, `reply` to the customer, or `none`.
   */
  readonly firstStep: FirstStep;
}

export type VerdictCode = 'replaced' | 'charged_back' | 'refunded' | 'fraud_reported' | 'revoked' | 'shared' | 'wrong_product' | 'other_license' | 'expired' | 'build_not_covered' | 'attempts_used_up' | 'no_seat' | 'no_user' | 'user_has_machines' | 'seats_in_use' | 'reinstalled' | 'dead_machine' | 'new_computer' | 'feature_not_included' | 'usage_used_up' | 'activate_again' | 'works';

/** The numbers that a verdict rests on; each where it has to do with it. */
export interface VerdictEvidence {
  /** Number of slots, or of machines of a user. */
  readonly limit?: number;
  /** Slots that are taken, or machines of the user. */
  readonly used?: number;
  /** Full days since the machine in the way was seen, or the explained one. */
  readonly idleDays?: number;
  /** Different machines that were refused, as far as the open violation names them; it names 20 at most. */
  readonly machines?: number;
  /** Different hostnames of these machines. */
  readonly names?: number;
  /** Hours from the first to the last of these refusals, rounded up. */
  readonly withinHours?: number;
  /** Refused calls. */
  readonly refusals?: number;
  /** Countries that machines of the license called from within the last day, where known. */
  readonly countries?: number;
  /** Attempts to activate in the last hour, 15 at most. */
  readonly attempts?: number;
  /** Open violations of this kind. */
  readonly reports?: number;
  /** Full days since the last report, or since the expiry. */
  readonly daysSince?: number;
  /** Other active licenses of the customer for the product; counting ends at 20. */
  readonly otherLicenses?: number;
}

export type FirstStep = 'review' | 'decline' | 'remedy' | 'reply' | 'none';

/** The present answer of a client endpoint. */
export interface EndpointCheck {
  /** The endpoint. */
  readonly endpoint: ClientEndpoint;
  /** The outcome of its call: `ok`, or the code of the refusal. */
  readonly outcome: CheckOutcome;
  /** Status of the answer. */
  readonly status: number;
  /** The error text, exactly as the app gets it; null where the call succeeds. */
  readonly error: string | null;
  /** The facts that a refusal rests on; each where it has to do with it. */
  readonly because: RefusalReason | null;
  /** The same in words, for support. */
  readonly sentence: string;
  /** Actions that change the outcome, mildest first. */
  readonly remedies: readonly Remedy[];
}

export type CheckOutcome = 'ok' | 'license_replaced' | 'license_revoked' | 'license_expired' | 'wrong_product' | 'machine_limit' | 'user_required' | 'user_limit' | 'machine_not_activated' | 'activation_rate' | 'invalid_token' | 'update_not_covered' | 'feature_missing' | 'meter_limit' | 'meter_not_found';

/** The facts that a refusal rests on; each where it has to do with it. */
export interface RefusalReason {
  /** Number of slots, of users or of machines of a user, of attempts in an hour, or of units. */
  readonly limit?: number;
  /** Slots that are taken, or seats, or machines of the user, or units that are used. */
  readonly used?: number;
  /** Name of the meter. */
  readonly meter?: string;
  /** Units of the explained use. */
  readonly units?: number;
  /** When the next period of the meter begins; null if none does. */
  readonly resetsAt?: string | null;
  /** Machines that take slots, 10 at most, those first that were not seen for longest. */
  readonly usedBy?: readonly SlotHolder[];
  /** The user of the call or of the machine. */
  readonly user?: string;
  /** Users who hold the seats, 10 at most, those first that were not seen for longest. */
  readonly users?: readonly SeatHolder[];
  /** Attempts to activate in the last hour. */
  readonly attempts?: number;
  /**
   * When this ends: the next attempt is allowed if none is made before; or the first session of `usedBy` ends
   * without a further sign of life.
   */
  readonly until?: string;
  /** The value of `Retry-After` for an attempt now. */
  readonly retryAfterSeconds?: number;
  /** When the license expired. */
  readonly expiresAt?: string;
  /** Until when released builds are covered; null covers all. */
  readonly updatesUntil?: string | null;
  /** Newest covered version; null covers all. */
  readonly maxVersion?: string | null;
  /** When the build of the app was made, where the app says so. */
  readonly buildDate?: string;
  /** Version of the app, where the app says so. */
  readonly version?: string;
  /** Features that the license lacks. */
  readonly missing?: readonly string[];
  /** Why the license is revoked; `plain` is without a reason. */
  readonly revocation?: Revocation;
  /** Set by a refund or chargeback. */
  readonly disputeReason?: DisputeReason | null;
  /** The product that was asked for. */
  readonly productId?: string;
  /** The product that the license is for. */
  readonly licenseProductId?: string;
  /** Further products that it opens. */
  readonly unlockedProducts?: readonly string[];
  /** When the latest session token expired. */
  readonly tokenExpiry?: string;
  /** Whether the floating session of the machine lives. */
  readonly sessionActive?: boolean;
}

/** A machine that takes a slot. */
export interface SlotHolder {
  /** Identifier of the machine. */
  readonly fingerprint: string;
  /** Name of the machine. */
  readonly hostname: string;
  /** Its last sign of life. */
  readonly lastSeen: string;
  /** Until when its floating session lives without a further sign of life. */
  readonly sessionExpiresAt: string | null;
}

/** A user who holds a seat. */
export interface SeatHolder {
  /** As the app named the user first. */
  readonly user: string;
  /** Machines of the user. */
  readonly machines: number;
  /** The last sign of life of a machine of the user. */
  readonly lastSeen: string;
}

/** Something that changes the outcome of a call. */
export interface Remedy {
  /** The kind of action. */
  readonly action: RemedyAction;
  /** The endpoint to call; null for waiting. /activate is called by the app. */
  readonly endpoint: string | null;
  /** The fields to send, besides the credential. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Its effect, in words. */
  readonly effect: string;
  /** The outcome of the explained call afterwards, if nothing else changes. */
  readonly outcome: CheckOutcome;
}

export type RemedyAction = 'resolve_violations' | 'reinstate' | 'activate_license' | 'extend_license' | 'extend_updates' | 'release_activation' | 'end_session' | 'release_user' | 'raise_limit' | 'adjust_usage' | 'reset_activations' | 'lift_activation_limit' | 'wait' | 'activate_machine';

export interface ListEventsRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey?: string;
  /** Product identifier (its slug). */
  readonly productId?: string;
  /** Only events of these types, at most 10. */
  readonly types?: readonly EventType[];
  /** Who caused the change: operator, storefront, client, creator:ID, command:NAME or service:NAME. */
  readonly actor?: string;
  /**
   * The id of the request that made the change: Latchkey-Request-Id of its answer, else its X-Request-Id.
   */
  readonly requestId?: string;
  /** Only events of this moment and later. */
  readonly since?: string;
  /** Only events before this moment. */
  readonly until?: string;
  /** Events per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListEventsReply {
  readonly success: true;
  readonly events: readonly Event[];
  /** Events in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

export interface ListRefusalsRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey?: string;
  /** Product identifier (its slug). */
  readonly productId?: string;
  /** The products' owner of today; for adminSecret, ignored for API keys. */
  readonly creatorId?: string;
  /**
   * Only refusals with one of these codes: a comma-separated list of machine_limit, activation_rate,
   * license_expired, license_replaced, license_revoked, wrong_product, machine_not_activated, invalid_token,
   * token_mismatch, update_not_covered, feature_missing, user_required, user_limit, meter_limit,
   * meter_not_found, request_id_reused.
   */
  readonly code?: string;
  /** Only refusals of this machine. */
  readonly machineFingerprint?: string;
  /** Only refusals whose last call was at this moment or later. */
  readonly since?: string;
  /** Only refusals whose first call was before this moment. */
  readonly until?: string;
  /** Refusals per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListRefusalsReply {
  readonly success: true;
  readonly refusals: readonly RefusalOfLicense[];
  /** Refusals in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** A call of an app that was refused, and the license that it was for. */
export interface RefusalOfLicense {
  /** Identifier of the refusal. */
  readonly id: string;
  /** The endpoint that refused. */
  readonly endpoint: ClientEndpoint;
  /** The code of the refusal. */
  readonly code: string;
  /** The text that the app received. */
  readonly error: string;
  /** The machine that was refused; null at /verify, which asks for none. */
  readonly machineFingerprint: string | null;
  /** Its name, where known. */
  readonly hostname: string | null;
  /** How often. */
  readonly count: number;
  /** The first time. */
  readonly firstAt: string;
  /** The last time. */
  readonly lastAt: string;
  /**
   * The facts behind it: `limit`, `retryAfterSeconds`, the requested `productId`, `expiresAt`, the `meter`
   * with `used` and `units`.
   */
  readonly details: Readonly<Record<string, string | number>>;
  /** Identifier of the request. */
  readonly requestId: string;
  /** License that it was for. */
  readonly licenseKey: string;
  /** E-mail address of the customer. */
  readonly email: string;
  /** Product that the license is for. */
  readonly productId: string;
}

export interface ListReplyTemplatesRequest {
  /**
   * Whose templates: a creator's id. The operator's own without it. An API key reaches those of its creator
   * only.
   */
  readonly creatorId?: string;
}

export interface ListReplyTemplatesReply {
  readonly success: true;
  readonly templates: readonly ReplyTemplate[];
  /** Templates in this answer. */
  readonly count: number;
}

/** A template of a reply to a customer. */
export interface ReplyTemplate {
  /** Its identifier. */
  readonly templateId: string;
  /** The creator; null: the operator's. */
  readonly creatorId: string | null;
  /** Its name in lists. */
  readonly name: string;
  /** The reply. The console fills in {product}, {machine}, {email}, {end}, {limit}, {used}. */
  readonly text: string;
  /** The verdict that it is for; null: any. */
  readonly verdict: VerdictCode | null;
  /** When it was made. */
  readonly createdAt: string;
  /** When it was changed last. */
  readonly updatedAt: string;
}

export interface SaveReplyTemplateRequest {
  /** Identifier of the template. */
  readonly templateId?: string;
  /**
   * Whose templates: a creator's id. The operator's own without it. An API key reaches those of its creator
   * only.
   */
  readonly creatorId?: string;
  /** Its name in lists. */
  readonly name: string;
  /** The reply. */
  readonly text: string;
  /** The verdict that it is for; null: any. */
  readonly verdict?: VerdictCode | null;
  /** `updatedAt` of the template that the caller saw; null: it was deleted. */
  readonly wasUpdatedAt?: string | null;
}

export interface SaveReplyTemplateReply {
  readonly success: true;
  readonly template: ReplyTemplate;
}

export interface DeleteReplyTemplateRequest {
  /** Identifier of the template. */
  readonly templateId: string;
  /** `updatedAt` of the template that the caller saw. */
  readonly wasUpdatedAt?: string;
}

export interface DeleteReplyTemplateReply {
  readonly success: true;
}

export interface ListCreatorsRequest {
  /** Only creators that begin so, in the same case. */
  readonly beginning?: string;
  /** Creators per answer; 1000 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListCreatorsReply {
  readonly success: true;
  readonly creators: readonly string[];
  /** Creators in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

export interface CreateApiKeyRequest {
  /** The creator it is bound to, for good. */
  readonly creatorId: string;
  /** Human-readable label. */
  readonly name: string;
}

export interface CreateApiKeyReply {
  readonly success: true;
  /** The raw key, shown this once. */
  readonly apiKey: string;
  /** Human-readable label. */
  readonly name: string;
  /** The creator it is bound to. */
  readonly creatorId: string;
}

export interface ListApiKeysRequest {
  /** Only the keys of this creator. */
  readonly creatorId?: string;
  /** Only the key with this hash: the SHA-256 of the raw key. */
  readonly hash?: string;
  /** Keys per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListApiKeysReply {
  readonly success: true;
  readonly keys: readonly ApiKey[];
  /** Keys in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** An API key, known by its hash. */
export interface ApiKey {
  /** SHA-256 of the raw key, as hexadecimal digits. */
  readonly hash: string;
  /** Human-readable label. */
  readonly name: string;
  /** The creator it is bound to. */
  readonly creatorId: string;
  /** False once it is revoked. */
  readonly active: boolean;
  /** When the key was created. */
  readonly createdAt: string;
  /** When it was revoked; null while it is active, or if the time was not stored. */
  readonly revokedAt: string | null;
}

export interface RevokeApiKeyRequest {
  /** The raw key; or its hash, as /listApiKeys shows it, where the key is lost. */
  readonly apiKeyToRevoke?: string;
  /** Revokes every active key of this creator. */
  readonly creatorId?: string;
  /**
   * Pauses the destinations of events that the key created or changed; with `creatorId`, any key of the
   * creator.
   */
  readonly pauseDestinations?: boolean;
}

export interface RevokeApiKeyReply {
  readonly success: true;
  /** How many active keys were revoked. */
  readonly revoked: number;
  /** Destinations of events that the revoked keys created or changed. */
  readonly destinations: number;
}

export interface CreateProductRequest {
  /** Its name for people. */
  readonly name: string;
  /** Unique; becomes the productId. Case matters. */
  readonly slug: string;
  /** Owner; required with adminSecret. */
  readonly creatorId?: string;
  /** `live` by default. */
  readonly status?: ProductStatus;
}

export type ProductStatus = 'live' | 'unlisted' | 'archived';

export interface CreateProductReply {
  readonly success: true;
  /** The slug. */
  readonly productId: string;
  /** Status of the new product. */
  readonly status: ProductStatus;
}

export interface ListProductsRequest {
  /** Comma-separated list of live, unlisted, archived; `live` by default. */
  readonly status?: string;
  /** Product identifier (its slug). */
  readonly productId?: string;
  /** All statuses; overrides `status`. */
  readonly includeAll?: boolean;
  /** Owner; for adminSecret, ignored for API keys. */
  readonly creatorId?: string;
  /** Products per answer; 1000 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListProductsReply {
  readonly success: true;
  readonly products: readonly Product[];
  /** Products in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** Something that licenses are sold for. */
export interface Product {
  /** Equals the slug. */
  readonly productId: string;
  /** Its name for people. */
  readonly name: string;
  /** Name of the product in addresses. */
  readonly slug: string;
  /** Owner. */
  readonly creatorId: string;
  /** On sale, removed from sale, or discontinued and read-only. */
  readonly status: ProductStatus;
  /** Legacy flag: false for `archived`, else true. */
  readonly active: boolean;
  /** When the product was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
}

export interface UpdateProductRequest {
  /** Product identifier (its slug). */
  readonly productId: string;
  /** Its name for people. */
  readonly name?: string;
  /** New status. */
  readonly status?: ProductStatus;
  /** Legacy, where no status is given: false archives, true brings an archived product back to `live`. */
  readonly active?: boolean;
  /** New owner; for adminSecret only. */
  readonly creatorId?: string;
  /** The name that the caller saw. */
  readonly wasName?: string;
  /** The status that the caller saw. */
  readonly wasStatus?: ProductStatus;
  /** The owner that the caller saw. */
  readonly wasCreatorId?: string;
  /**
   * The id of the event that the request undoes: 409 if a later event changed a field whose value the caller
   * saw.
   */
  readonly undoes?: string;
}

export interface UpdateProductReply {
  readonly success: true;
  readonly product: Product;
}

export interface CreateVariantRequest {
  /** Product identifier (its slug). */
  readonly productId: string;
  /** Any text, as the `variant` of a license; case matters. */
  readonly name: string;
  /** `per-machine` by default. */
  readonly licenseType?: LicenseType;
  /** Maximum number of machines; 2 by default, -1 is unlimited. */
  readonly maxMachines?: number;
  /** Floating sessions at once. */
  readonly maxConcurrent?: number;
  /** Trial length when no discount code is used. */
  readonly defaultTrialDays?: number;
  /** Duration of a license in days; perpetual by default. */
  readonly durationDays?: number;
  /** Smallest currency unit. */
  readonly price?: number;
  /** Calendar months that a license lasts; not with durationDays. */
  readonly durationMonths?: number;
  /** Days after expiresAt in which the license stays active. */
  readonly graceDays?: number;
  /** Days of updates that a new license gets. */
  readonly updatesDays?: number;
  /** Newest covered version; `2` covers 2 and 2.x. All versions by default. */
  readonly maxVersion?: string;
  /** Days without a sign of life after which a machine makes room for another one; never by default. */
  readonly releaseIdleDays?: number;
  /** Named users who may hold a seat; no named users by default. */
  readonly maxUsers?: number;
  /** Machines of one named user; any number by default. */
  readonly maxMachinesPerUser?: number;
  /** Whether a user's seat is free with the last machine of the user; kept until released by default. */
  readonly usersFloat?: boolean;
  /** Further products that it opens. */
  readonly unlockedProducts?: readonly string[];
  /**
   * When the time of a license and of its updates begins: with its `issue`, by default, or with its first
   * `activation`.
   */
  readonly durationStarts?: DurationStart;
  /**
   * What several copies in one sale are: `licenses`, a license for each; `scale`, one license whose limits are
   * multiplied. By default a subscription scales, and any other sale gives licenses.
   */
  readonly quantity?: QuantityRule;
  /** Whether a machine may start a trial without a key; needs defaultTrialDays. */
  readonly trialWithoutKey?: boolean;
  /** Features of its licenses, read live: at most 50 names to true, false, a number or a text. */
  readonly features?: Readonly<Record<string, FeatureValue>>;
  /** Features of its licenses that are counted, read live: at most 10 names to limit, period and overage. */
  readonly meters?: Readonly<Record<string, Meter>>;
}

export type QuantityRule = 'licenses' | 'scale';

export interface Meter {
  readonly limit: number;
  readonly period: 'none' | 'day' | 'month' | 'year' | 'term';
  readonly overage?: 'refuse' | 'count';
}

export interface CreateVariantReply {
  readonly success: true;
  /** The productId, a hyphen and the name. */
  readonly variantId: string;
}

export interface UpdateVariantRequest {
  /** The productId, a hyphen and the name. */
  readonly variantId: string;
  /** The product of the variant, if several variants have this variantId. */
  readonly productId?: string;
  /** Maximum number of machines; -1 is unlimited. */
  readonly maxMachines?: number;
  /** Floating sessions at once. */
  readonly maxConcurrent?: number | null;
  /** Trial length when no discount code is used. */
  readonly defaultTrialDays?: number | null;
  /** Days a license lasts; null is perpetual. */
  readonly durationDays?: number | null;
  /** Smallest currency unit. */
  readonly price?: number | null;
  /** Whether it is listed without asking for inactive ones. */
  readonly active?: boolean;
  /** Calendar months that a license lasts; not with durationDays. */
  readonly durationMonths?: number | null;
  /** Days after expiresAt in which the license stays active. */
  readonly graceDays?: number | null;
  /** Days of updates that a new license gets. */
  readonly updatesDays?: number | null;
  /** Newest covered version; `2` covers 2 and 2.x. All versions by default. */
  readonly maxVersion?: string | null;
  /** Days without a sign of life after which a machine makes room for another one; never by default. */
  readonly releaseIdleDays?: number | null;
  /** Named users who may hold a seat; no named users by default. */
  readonly maxUsers?: number | null;
  /** Machines of one named user; any number by default. */
  readonly maxMachinesPerUser?: number | null;
  /** Whether a user's seat is free with the last machine of the user; kept until released by default. */
  readonly usersFloat?: boolean | null;
  /** Further products that it opens. */
  readonly unlockedProducts?: readonly string[] | null;
  /**
   * When the time of a license and of its updates begins: with its `issue`, by default, or with its first
   * `activation`.
   */
  readonly durationStarts?: DurationStart | null;
  /**
   * What several copies in one sale are: `licenses`, a license for each; `scale`, one license whose limits are
   * multiplied. By default a subscription scales, and any other sale gives licenses.
   */
  readonly quantity?: QuantityRule | null;
  /** Whether a machine may start a trial without a key; needs defaultTrialDays. */
  readonly trialWithoutKey?: boolean | null;
  /** Features of its licenses, read live: at most 50 names to true, false, a number or a text. */
  readonly features?: Readonly<Record<string, FeatureValue>> | null;
  /** Features of its licenses that are counted, read live: at most 10 names to limit, period and overage. */
  readonly meters?: Readonly<Record<string, Meter>> | null;
  /** The number of machines that the caller saw. */
  readonly wasMaxMachines?: number;
  /** The number of floating sessions that the caller saw. */
  readonly wasMaxConcurrent?: number | null;
  /** The trial length that the caller saw. */
  readonly wasDefaultTrialDays?: number | null;
  /** The duration that the caller saw. */
  readonly wasDurationDays?: number | null;
  /** The price that the caller saw. */
  readonly wasPrice?: number | null;
  /** The value of `active` that the caller saw. */
  readonly wasActive?: boolean;
  /** The `durationMonths` that the caller saw. */
  readonly wasDurationMonths?: number | null;
  /** The `graceDays` that the caller saw. */
  readonly wasGraceDays?: number | null;
  /** The `updatesDays` that the caller saw. */
  readonly wasUpdatesDays?: number | null;
  /** The `maxVersion` that the caller saw. */
  readonly wasMaxVersion?: string | null;
  /** The `releaseIdleDays` that the caller saw. */
  readonly wasReleaseIdleDays?: number | null;
  /** The `maxUsers` that the caller saw. */
  readonly wasMaxUsers?: number | null;
  /** The `maxMachinesPerUser` that the caller saw. */
  readonly wasMaxMachinesPerUser?: number | null;
  /** The `usersFloat` that the caller saw. */
  readonly wasUsersFloat?: boolean | null;
  /** The `unlockedProducts` that the caller saw. */
  readonly wasUnlockedProducts?: readonly string[] | null;
  /** The `durationStarts` that the caller saw. */
  readonly wasDurationStarts?: DurationStart | null;
  /** The `quantity` that the caller saw. */
  readonly wasQuantity?: QuantityRule | null;
  /** The `trialWithoutKey` that the caller saw. */
  readonly wasTrialWithoutKey?: boolean | null;
  /** The `features` that the caller saw. */
  readonly wasFeatures?: Readonly<Record<string, FeatureValue>> | null;
  /** The `meters` that the caller saw. */
  readonly wasMeters?: Readonly<Record<string, Meter>> | null;
  /**
   * The id of the event that the request undoes: 409 if a later event changed a field whose value the caller
   * saw.
   */
  readonly undoes?: string;
}

export interface UpdateVariantReply {
  readonly success: true;
  readonly variant: Variant;
}

/** An edition of a product. */
export interface Variant {
  /** The productId, a hyphen and the name. */
  readonly variantId: string;
  /** Product that it belongs to. */
  readonly productId: string;
  /** Name within the product. */
  readonly name: string;
  /** Type of the licenses it gives. */
  readonly licenseType: LicenseType;
  /** -1 is unlimited. */
  readonly maxMachines: number;
  /** Floating sessions at once. */
  readonly maxConcurrent: number | null;
  /** Trial length when no discount code is used. */
  readonly defaultTrialDays: number | null;
  /** Days a license lasts; null is perpetual. */
  readonly durationDays: number | null;
  /** Smallest currency unit; null where none is stated. */
  readonly price: number | null;
  /** Whether it is listed without asking for inactive ones. */
  readonly active: boolean;
  /** Calendar months that a license lasts; not with durationDays. */
  readonly durationMonths?: number | null;
  /** Days after expiresAt in which the license stays active. */
  readonly graceDays?: number | null;
  /** Days of updates that a new license gets. */
  readonly updatesDays?: number | null;
  /** Newest covered version; `2` covers 2 and 2.x. All versions by default. */
  readonly maxVersion?: string | null;
  /** Days without a sign of life after which a machine makes room for another one; never by default. */
  readonly releaseIdleDays?: number | null;
  /** Named users who may hold a seat; no named users by default. */
  readonly maxUsers?: number | null;
  /** Machines of one named user; any number by default. */
  readonly maxMachinesPerUser?: number | null;
  /** Whether a user's seat is free with the last machine of the user; kept until released by default. */
  readonly usersFloat?: boolean | null;
  /** Further products that it opens. */
  readonly unlockedProducts?: readonly string[] | null;
  /**
   * When the time of a license and of its updates begins: with its `issue`, by default, or with its first
   * `activation`.
   */
  readonly durationStarts?: DurationStart | null;
  /**
   * What several copies in one sale are: `licenses`, a license for each; `scale`, one license whose limits are
   * multiplied. By default a subscription scales, and any other sale gives licenses.
   */
  readonly quantity?: QuantityRule | null;
  /** Whether a machine may start a trial without a key; needs defaultTrialDays. */
  readonly trialWithoutKey?: boolean | null;
  /** Features of its licenses, read live: at most 50 names to true, false, a number or a text. */
  readonly features?: Readonly<Record<string, FeatureValue>> | null;
  /** Features of its licenses that are counted, read live: at most 10 names to limit, period and overage. */
  readonly meters?: Readonly<Record<string, Meter>> | null;
}

export interface ListVariantsRequest {
  /** Product identifier (its slug). */
  readonly productId: string;
  /** Inactive ones as well. */
  readonly includeInactive?: boolean;
  /** Variants per answer; 1000 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListVariantsReply {
  readonly success: true;
  readonly variants: readonly Variant[];
  /** Variants in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

export interface CreateDiscountCodeRequest {
  /** The code. Case, spaces and marks around it do not matter. */
  readonly code: string;
  /** Length of the trial. */
  readonly trialDays: number;
  /** Product identifier (its slug). */
  readonly productId?: string;
  /** Owner; for adminSecret only, an API key has its own. */
  readonly creatorId?: string;
  /** Maximum number of redemptions; unlimited by default. */
  readonly maxUses?: number;
  /** When it stops working; never by default. */
  readonly expiresAt?: string;
}

export interface CreateDiscountCodeReply {
  readonly success: true;
  /** The code as written. */
  readonly code: string;
}

export interface ListDiscountCodesRequest {
  /** The code. Case, spaces and marks around it do not matter. */
  readonly code?: string;
  /** Only the codes of this creator. */
  readonly creatorId?: string;
  /** Product identifier (its slug). */
  readonly productId?: string;
  /** Codes per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListDiscountCodesReply {
  readonly success: true;
  readonly codes: readonly DiscountCode[];
  /** Codes in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** A code that gives a trial. */
export interface DiscountCode {
  /** As it was written when it was created; compared without case. */
  readonly code: string;
  /** Null is not restricted to one product. */
  readonly productId: string | null;
  /** Null is a code of the operator. */
  readonly creatorId: string | null;
  /** Length of the trial. */
  readonly trialDays: number;
  /** Null is unlimited. */
  readonly maxUses: number | null;
  /** Redemptions so far. */
  readonly usedCount: number;
  /** False refuses every redemption. */
  readonly active: boolean;
  /** When the code was created. */
  readonly createdAt: string;
  /** Null never expires. */
  readonly expiresAt: string | null;
}

export interface UpdateDiscountCodeRequest {
  /** The code. Case, spaces and marks around it do not matter. */
  readonly code: string;
  /** False refuses every redemption until it is true again. */
  readonly active?: boolean;
  /** Redemptions in all; null is unlimited. */
  readonly maxUses?: number | null;
  /** When it stops working; null is never. */
  readonly expiresAt?: string | null;
  /** The value of `active` that the caller saw. */
  readonly wasActive?: boolean;
  /** The number of redemptions that the caller saw. */
  readonly wasMaxUses?: number | null;
  /** The end that the caller saw; null is never. */
  readonly wasExpiresAt?: string | null;
  /**
   * The id of the event that the request undoes: 409 if a later event changed a field whose value the caller
   * saw.
   */
  readonly undoes?: string;
}

export interface UpdateDiscountCodeReply {
  readonly success: true;
}

export interface DeleteDiscountCodeRequest {
  /** The code. Case, spaces and marks around it do not matter. */
  readonly code: string;
}

export interface DeleteDiscountCodeReply {
  readonly success: true;
}

export interface RedeemTrialCodeRequest {
  /** The code. Case, spaces and marks around it do not matter. */
  readonly code: string;
  /** Product identifier (its slug). */
  readonly productId: string;
  /** Who tries the product; compared without case. */
  readonly email: string;
}

export interface RedeemTrialCodeReply {
  readonly success: true;
  /** Key of the new license. */
  readonly licenseKey: string;
  /** Length of the trial. */
  readonly trialDays: number;
  /** When the trial ends. */
  readonly expiresAt: string;
}

export interface ListRedemptionsRequest {
  /** The code. Case, spaces and marks around it do not matter. */
  readonly code: string;
  /** Redemptions per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListRedemptionsReply {
  readonly success: true;
  readonly redemptions: readonly CodeRedemption[];
  /** Redemptions in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** One use of a discount code. */
export interface CodeRedemption {
  /** The redeemer's address, in lower case. */
  readonly email: string;
  /** License that the code gave, or that was bought with it. */
  readonly licenseKey: string;
  /** When the code was redeemed. */
  readonly redeemedAt: string;
}

export interface StorefrontWebhookRequest {
  /** What happened. */
  readonly type: StorefrontEventType;
  /** Purchaser or subscriber; compared without case. customer.updated: the former address. */
  readonly email: string;
  /** customer.updated: the address from now on. */
  readonly newEmail?: string;
  /** Product identifier (its slug). */
  readonly productId: string;
  /** Variant name; `indie` for a new license by default. */
  readonly variant?: string;
  /** The storefront's transaction, which identifies the deliveries of one purchase. */
  readonly purchaseId?: string;
  /**
   * The storefront's line of the order: with it a sale is known by purchaseId and lineId, so that an order has
   * several. Later events about the line name it, too.
   */
  readonly lineId?: string;
  /**
   * The subscription that pays for the purchase. A later event with it finds the licenses that were bought
   * with it, and no others.
   */
  readonly subscriptionId?: string;
  /**
   * The storefront's own id of this event. Later deliveries with the id of an applied event of this type have
   * no effect.
   */
  readonly eventId?: string;
  /** For a new license; that of the variant by default. */
  readonly licenseType?: LicenseType;
  /** For a new license; that of the variant by default. -1 is unlimited. */
  readonly maxMachines?: number;
  /** Code applied to the purchase. */
  readonly discountCode?: string;
  /** Length of a trial. */
  readonly trialDays?: number;
  /** Length of a subscription period. */
  readonly durationDays?: number;
  /** Length of a subscription period in months of the calendar; not with durationDays. */
  readonly durationMonths?: number;
  /**
   * The shop's own end of the paid period, in place of a length. A renewal never shortens a license;
   * subscription.updated may. A day without a time is its end in UTC.
   */
  readonly expiresAt?: string;
  /**
   * For a new license; that of the variant by default. When its time begins: with its `issue`, or with its
   * first `activation`.
   */
  readonly durationStarts?: DurationStart;
  /** For a new license; that of the variant by default. Days after expiresAt in which it stays active. */
  readonly graceDays?: number;
  /** subscription.renewed: days by which the covered builds move, if they have an end. */
  readonly updatesDays?: number;
  /** For a new license, or with subscription.updated: its own features, laid over those of the variant. */
  readonly features?: Readonly<Record<string, OwnFeature>>;
  /**
   * For a new license, or with subscription.updated: its own limits, laid over those of the variant: names of
   * its meters to `{"limit": …}`.
   */
  readonly meters?: Readonly<Record<string, {
    readonly limit: number;
  }>>;
  /** For a new license: further products that it opens; those of the variant by default. */
  readonly unlockedProducts?: readonly string[];
  /** For a new license: the vendor's own facts, at most 50 names to texts. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** For a new license: floating sessions at once. */
  readonly maxConcurrent?: number;
  /**
   * Transaction amount as the shop counts it, best in the currency's smallest unit, as the price of a variant:
   * 4900 for 49.00 euros. Stored and shown with `currency` exactly as sent; may be negative for a refund.
   */
  readonly amount?: number;
  /** ISO 4217 code, stored for reference. */
  readonly currency?: string;
  /**
   * purchase.completed: copies bought; so many licenses, or one whose limits are multiplied, as the variant
   * says. purchase.refunded: copies given back; all by default. subscription.updated: copies from now on.
   */
  readonly quantity?: number;
  /**
   * purchase.completed: whether the buyer gets the keys by e-mail. subscription.payment_failed: whether the
   * buyer is told. As LATCHKEY_MAIL_STOREFRONT says by default.
   */
  readonly mail?: boolean;
  /** Language of that e-mail; `en` by default. */
  readonly language?: MailLanguage;
  /** purchase.refunded only: a partial refund, so the license stays as it is and gets a note. */
  readonly partial?: boolean;
  /** The webhook secret, where its header cannot be set. */
  readonly webhookSecret?: string;
}

export type StorefrontEventType = 'purchase.completed' | 'purchase.refunded' | 'purchase.disputed' | 'purchase.dispute_won' | 'subscription.renewed' | 'subscription.updated' | 'subscription.cancelled' | 'subscription.payment_failed' | 'customer.updated';

export type MailLanguage = 'en' | 'de' | 'fr' | 'es';

export interface StorefrontWebhookReply {
  readonly success: true;
  /** Absent when a cancelled subscription has no license. */
  readonly licenseKey?: string;
  /** With `quantity`, or where the event is about several licenses: all their keys, licenseKey first. */
  readonly licenseKeys?: readonly string[];
  /**
   * purchase.completed: whether the purchaseId had a license before. Other events: true when the eventId was
   * applied before.
   */
  readonly duplicate?: boolean;
  /** With `other_product`: the product of the license found. */
  readonly productId?: string;
  /** With `other_product`: the variant of the license found. */
  readonly variant?: string;
  /**
   * purchase.completed: `variant_not_found`, the catalogue has the product and lacks the variant;
   * `other_product`, the purchaseId has a license of another product; `not_mailed`, the service sends no
   * e-mail.
   */
  readonly warnings?: readonly ('variant_not_found' | 'other_product' | 'not_mailed')[];
  readonly license?: License;
  /** subscription.renewed: the new expiry; null is perpetual. */
  readonly expiresAt?: string | null;
  /** customer.updated: how many licenses got the address; 0 where there are none. */
  readonly changed?: number;
  /** customer.updated: the former address has further licenses: deliver the event again. */
  readonly remaining?: boolean;
}

export interface CreateStudioOrderRequest {
  /** The buyer. */
  readonly buyerEmail: string;
  /** The buyer's user on the storefront. */
  readonly buyerUserId: string;
  /** The course. */
  readonly courseId: string;
  /** The name of the course in addresses. */
  readonly courseSlug: string;
  /** The name of the course for people. */
  readonly courseTitle: string;
  /** The course creator's user. */
  readonly creatorId: string;
  /** How many seats. */
  readonly seatCount: number;
  /** Cents. */
  readonly pricePerSeat: number;
  /** Cents. */
  readonly totalAmount: number;
  /** ISO 4217 code in any case; stored in lower case. */
  readonly currency: string;
  /** The payment provider's checkout session. */
  readonly externalOrderId?: string;
  /** The storefront's purchase. */
  readonly purchaseId?: string;
}

export interface CreateStudioOrderReply {
  readonly success: true;
  /** Identifier of the order. */
  readonly studioOrderId: string;
  /** Seat 1 first. */
  readonly seats: readonly NewSeat[];
  /** Seats of the order. */
  readonly seatCount: number;
  /** Redeemed seats of the order. */
  readonly redeemedCount: number;
}

/** A seat of a new order. */
export interface NewSeat {
  /** Seat code. */
  readonly code: string;
  /** Whether the code has been used. */
  readonly status: SeatStatus;
}

export type SeatStatus = 'available' | 'redeemed';

export interface ValidateSeatCodeRequest {
  /** Seat code. Case, spaces and marks around it do not matter. */
  readonly code: string;
}

export interface ValidateSeatCodeReply {
  readonly valid: true;
  /** The course. */
  readonly courseId: string;
  /** The name of the course in addresses. */
  readonly courseSlug: string;
  /** The name of the course for people. */
  readonly courseTitle: string;
  /** Whether the code has been used. */
  readonly status: SeatStatus;
  /** From 1 on. */
  readonly seatNumber: number;
  /** Seats of the order. */
  readonly totalSeats: number;
}

export interface RedeemSeatCodeRequest {
  /** Seat code. Case, spaces and marks around it do not matter. */
  readonly code: string;
  /** Who redeems; shown as redeemedBy. */
  readonly redeemerEmail: string;
  /** The redeemer's user on the storefront. */
  readonly redeemerUserId: string;
  /** The storefront's purchase record for this redemption. */
  readonly storefrontPurchaseId: string;
}

export interface RedeemSeatCodeReply {
  readonly success: true;
  /** Identifier of the order. */
  readonly studioOrderId: string;
  /** The course. */
  readonly courseId: string;
  /** The name of the course in addresses. */
  readonly courseSlug: string;
  /** The name of the course for people. */
  readonly courseTitle: string;
  /** The course creator's user. */
  readonly creatorId: string;
  /** From 1 on. */
  readonly seatNumber: number;
  /** Seats of the order. */
  readonly totalSeats: number;
  /** Redeemed seats of the order, this one included. */
  readonly redeemedCount: number;
  /** The buyer. */
  readonly buyerEmail: string;
}

/** Who redeemed a seat code before, and when. */
export interface Redemption {
  /** E-mail of the redeemer. */
  readonly redeemedBy: string;
  /** When it was redeemed. */
  readonly redeemedAt: string;
}

export interface GetStudioOrderRequest {
  /** Identifier from /createStudioOrder. */
  readonly studioOrderId: string;
}

export interface GetStudioOrderReply {
  readonly success: true;
  readonly studioOrder: StudioOrder;
}

/** A purchase of several seats of one course. */
export interface StudioOrder {
  /** Identifier of the order. */
  readonly id: string;
  /** The buyer. */
  readonly buyerEmail: string;
  /** The buyer's user on the storefront. */
  readonly buyerUserId: string;
  /** The course. */
  readonly courseId: string;
  /** The name of the course in addresses. */
  readonly courseSlug: string;
  /** The name of the course for people. */
  readonly courseTitle: string;
  /** The course creator's user. */
  readonly creatorId: string;
  /** Seats of the order. */
  readonly seatCount: number;
  /** Redeemed seats of the order. */
  readonly redeemedCount: number;
  /** Cents. */
  readonly pricePerSeat: number;
  /** Cents. */
  readonly totalAmount: number;
  /** ISO 4217 code in lower case. */
  readonly currency: string;
  /** Status of the order. */
  readonly status: StudioOrderStatus;
  /** When the order was created. */
  readonly createdAt: string;
  readonly seats: readonly Seat[];
}

export type StudioOrderStatus = 'active';

/** One seat of a studio order, redeemed by its code. */
export interface Seat {
  /** Seat code. */
  readonly code: string;
  /** Whether the code has been used. */
  readonly status: SeatStatus;
  /** E-mail of the redeemer. Redeemed seats only. */
  readonly redeemedBy?: string;
  /** The redeemer's user on the storefront. Redeemed seats only. */
  readonly redeemerUserId?: string;
  /** Redeemed seats only. */
  readonly redeemedAt?: string;
  /** Purchase record given at redemption. Redeemed seats only. */
  readonly storefrontPurchaseId?: string;
}

export interface ListStudioOrdersRequest {
  /** The buyer's user on the storefront. */
  readonly buyerUserId?: string;
  /** The course. */
  readonly courseId?: string;
  /** The course creator's user. */
  readonly creatorId?: string;
  /** Orders per answer; 1000 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListStudioOrdersReply {
  readonly success: true;
  readonly orders: readonly StudioOrderSummary[];
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** A studio order as lists show it; /getStudioOrder shows all fields. */
export interface StudioOrderSummary {
  /** Identifier of the order. */
  readonly id: string;
  /** The name of the course in addresses. */
  readonly courseSlug: string;
  /** The name of the course for people. */
  readonly courseTitle: string;
  /** Seats of the order. */
  readonly seatCount: number;
  /** Redeemed seats of the order. */
  readonly redeemedCount: number;
  /** Cents. */
  readonly totalAmount: number;
  /** Status of the order. */
  readonly status: StudioOrderStatus;
  /** When the order was created. */
  readonly createdAt: string;
}

export interface SearchStudioOrdersRequest {
  /** Seat code. Case, spaces and marks around it do not matter. */
  readonly code?: string;
  /** The buyer's e-mail address, compared without the case of A to Z. */
  readonly buyerEmail?: string;
  /** The course. */
  readonly courseId?: string;
  /** The course creator's user; for adminSecret, ignored for API keys. */
  readonly creatorId?: string;
  /** Created at this time or later. */
  readonly createdFrom?: string;
  /** Created at this time or earlier; a day includes all of its time. */
  readonly createdTo?: string;
  /** Orders per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface SearchStudioOrdersReply {
  readonly success: true;
  readonly orders: readonly StudioOrderFound[];
  /** Orders in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** A studio order as a search shows it. */
export interface StudioOrderFound {
  /** Identifier of the order. */
  readonly id: string;
  /** The name of the course in addresses. */
  readonly courseSlug: string;
  /** The name of the course for people. */
  readonly courseTitle: string;
  /** Seats of the order. */
  readonly seatCount: number;
  /** Redeemed seats of the order. */
  readonly redeemedCount: number;
  /** Cents. */
  readonly totalAmount: number;
  /** Status of the order. */
  readonly status: StudioOrderStatus;
  /** When the order was created. */
  readonly createdAt: string;
  /** The course creator's user. */
  readonly creatorId: string;
  /** The buyer. */
  readonly buyerEmail: string;
  /** The course. */
  readonly courseId: string;
}

export interface ForgetCustomerRequest {
  /** The address to be forgotten; compared without case. */
  readonly email: string;
}

export interface ForgetCustomerReply {
  readonly success: true;
  /** Whether the address is gone everywhere; otherwise repeat the call. */
  readonly complete: boolean;
  /** The replacement; null until the address was found somewhere. */
  readonly pseudonym: string | null;
  readonly replaced: ReplacedAddresses;
}

/** Number of replaced places by kind. */
export interface ReplacedAddresses {
  /** Licenses of the address. */
  readonly licenses: number;
  /** Events of these licenses, of its orders, and notes. */
  readonly events: number;
  /** Machines of these licenses whose names were forgotten. */
  readonly machines: number;
  /** Users of these licenses, and of others if the user has the address. */
  readonly users: number;
  /** Violations of these licenses whose evidence held names of machines. */
  readonly violations: number;
  /** Refusals of calls for these licenses in which names of machines stood. */
  readonly refusals: number;
  /** Signed files of these licenses that held names of machines. */
  readonly licenseFiles: number;
  /** Trial and discount codes that the address redeemed. */
  readonly redemptions: number;
  /** Studio orders that the address bought. */
  readonly orders: number;
  /** Seats that the address redeemed. */
  readonly seats: number;
  /** Events that the storefront reported of the address. */
  readonly storefrontEvents: number;
  /** Sales and customers at sellers of the address. */
  readonly shopSales: number;
  /** E-mails to the address; they are deleted. */
  readonly mails: number;
}

export interface GetCustomerRequest {
  /** Address of the customer; compared without case. */
  readonly email: string;
  /** Product identifier (its slug). */
  readonly productId?: string;
}

export interface GetCustomerReply {
  readonly success: true;
  readonly customer: Customer;
}

/** The data of one address; each list has at most 20 entries. */
export interface Customer {
  /** The address, in lower case. */
  readonly email: string;
  /** Number of licenses; counting ends at 1000. */
  readonly licenseCount: number;
  /** When the oldest license was created; null without licenses. */
  readonly firstLicenseAt: string | null;
  /** When the newest license was created; null without licenses. */
  readonly newestLicenseAt: string | null;
  /** Number of studio orders bought; counting ends at 100. */
  readonly orderCount: number;
  /** Former addresses of the licenses, as long as their events exist. /forgetCustomer leaves them. */
  readonly formerEmails: readonly FormerEmail[];
  /** Machines, the last seen first. */
  readonly machines: readonly CustomerMachine[];
  /** Refused calls of apps, the last one first. */
  readonly refusals: readonly CustomerRefusal[];
  /** Notes on the licenses, newest first. */
  readonly notes: readonly CustomerNote[];
  /** E-mails of the last 30 days to the address, newest first; for an API key, those about the licenses. */
  readonly mails: readonly Mail[];
  /** Redeemed discount codes, newest first; for an API key, those of the licenses. */
  readonly redemptions: readonly CustomerRedemption[];
  /** Redeemed seats of studio orders, newest first; adminSecret only. */
  readonly seats: readonly CustomerSeat[];
  /** The lists that show only a part of their entries. */
  readonly cut: readonly CustomerList[];
}

/** An address that licenses of a customer had before. */
export interface FormerEmail {
  /** The address, in lower case. */
  readonly email: string;
  /** Number of licenses that have it now; counting ends at 1000. */
  readonly licenseCount: number;
}

/** A machine of a customer. */
export interface CustomerMachine {
  /** The license that it belongs to. */
  readonly licenseKey: string;
  /** Identifier of the machine, made by the client. */
  readonly fingerprint: string;
  /** Human-readable machine name. */
  readonly hostname: string;
  /** When the machine was bound. */
  readonly firstSeen: string;
  /** Its last sign of life. */
  readonly lastSeen: string;
  /** Expiry of its current session token. */
  readonly tokenExpiry: string;
  /** When the live floating session began. */
  readonly sessionStarted: string | null;
  /** Whether a floating session is live. */
  readonly sessionActive: boolean;
  /** Country codes seen. */
  readonly countries: readonly string[];
  /** Country code of the last sign of life, where known. */
  readonly lastCountry: string | null;
  /** The user as the app named them first; absent without one. */
  readonly user?: string;
}

/** A refused call for a license of a customer. */
export interface CustomerRefusal {
  /** The license that it belongs to. */
  readonly licenseKey: string;
  /** Identifier of the refusal. */
  readonly id: string;
  /** The endpoint that refused. */
  readonly endpoint: ClientEndpoint;
  /** The code of the refusal. */
  readonly code: string;
  /** The text that the app received. */
  readonly error: string;
  /** The machine that was refused; null at /verify, which asks for none. */
  readonly machineFingerprint: string | null;
  /** Its name, where known. */
  readonly hostname: string | null;
  /** How often. */
  readonly count: number;
  /** The first time. */
  readonly firstAt: string;
  /** The last time. */
  readonly lastAt: string;
  /**
   * The facts behind it: `limit`, `retryAfterSeconds`, the requested `productId`, `expiresAt`, the `meter`
   * with `used` and `units`.
   */
  readonly details: Readonly<Record<string, string | number>>;
  /** Identifier of the request. */
  readonly requestId: string;
}

/** A note on a license of a customer. */
export interface CustomerNote {
  /** The license that it belongs to. */
  readonly licenseKey: string;
  /** Identifier of the note. */
  readonly id: string;
  /** The note. */
  readonly text: string;
  /** When it was written. */
  readonly at: string;
  /** Its author. */
  readonly by: string;
}

/** An e-mail that was sent, or that waits. */
export interface Mail {
  /** Identifier of the e-mail. */
  readonly mailId: string;
  /**
   * `keys`: the keys of licenses; `reply`: a reply to a customer; `sale_keys`, `keys_added`: the keys of a
   * sale, and further ones; `payment_failed`: a payment of a subscription failed; `test`: a text with example
   * values; `code`: a sign-in code for customers; `operator_notice`, `operator_digest`, `operator_test`: to
   * the operator, about the service.
   */
  readonly kind: string;
  /** The license that it is about; null without one. */
  readonly licenseKey: string | null;
  /** Address of the recipient. */
  readonly to: string;
  /** Language of its text. */
  readonly language: MailLanguage;
  /**
   * `dropped`: it had no purpose any more when it was due, for example because the address of the license had
   * changed.
   */
  readonly state: MailState;
  /** Attempts to hand it to the mail server. */
  readonly attempts: number;
  /** When it was queued. */
  readonly createdAt: string;
  /** The next attempt; null unless it waits. */
  readonly dueAt: string | null;
  /** When it was sent, failed or was dropped; null while it waits. */
  readonly settledAt: string | null;
  /** Failure of the last attempt; null without one. */
  readonly lastError: string | null;
}

export type MailState = 'waiting' | 'sent' | 'failed' | 'dropped';

/** A discount code that a customer redeemed. */
export interface CustomerRedemption {
  /** The code. */
  readonly code: string;
  /** License that the code gave, or that was bought with it. */
  readonly licenseKey: string;
  /** When the code was redeemed. */
  readonly redeemedAt: string;
}

/** A seat that a customer redeemed. */
export interface CustomerSeat {
  /** The order of the seat. */
  readonly studioOrderId: string;
  /** The course. */
  readonly courseTitle: string;
  /** When the seat was redeemed; null where it is not known. */
  readonly redeemedAt: string | null;
}

export type CustomerList = 'machines' | 'refusals' | 'notes' | 'mails' | 'redemptions' | 'seats';

export interface ListCustomersRequest {
  /** Product identifier (its slug). */
  readonly productId?: string;
  /** Only addresses that begin with this; compared without case. */
  readonly beginning?: string;
  /** Customers per answer; 50 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListCustomersReply {
  readonly success: true;
  readonly customers: readonly CustomerSummary[];
  /** Customers in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** A customer as lists show it; /getCustomer shows more. */
export interface CustomerSummary {
  /** The address, in lower case. */
  readonly email: string;
  /** Number of licenses; counting ends at 10. */
  readonly licenses: number;
  /** When the newest license was created. */
  readonly newestLicenseAt: string;
}

export interface GetOverviewRequest {
  /** Number of days of refusals to show; 30 by default. */
  readonly days?: number;
  /** Product identifier (its slug). */
  readonly productId?: string;
}

export interface GetOverviewReply {
  readonly success: true;
  /** Licenses by status. One that changed while they were counted counts as it was met. */
  readonly totals: {
    /** Active. */
    readonly active: number;
    /** Revoked. */
    readonly revoked: number;
    /** Expired. */
    readonly expired: number;
    /** The moment for which this was counted. */
    readonly asOf: string;
  } | null;
  /** Floating sessions. */
  readonly liveSessions: {
    /** Floating sessions that were live. */
    readonly count: number;
    /** The moment for which this was counted. */
    readonly asOf: string;
  } | null;
  /** Licenses that expire within 30 days. */
  readonly expiringSoon: {
    /** Active licenses that expire. */
    readonly count: number;
    /** True when there are more: counting ends at 1000. */
    readonly isAtLeast: boolean;
  };
  /** Violations that are not resolved. */
  readonly openViolations: {
    /** Severities of which there are any, the mildest first. */
    readonly severities: readonly ({
      /** 1 to 4. */
      readonly severity: number;
      /** Open violations. */
      readonly count: number;
    })[];
    /** True when there are more: counting ends at 1000. */
    readonly isAtLeast: boolean;
  };
  /**
   * Up to 10 licenses, those with the highest limits first. From 10,000 licenses on they were found by the
   * last count; their figures are of this moment.
   */
  readonly fullestPools: readonly FullPool[];
  /** The most frequent first; of whole hours where `days` is at most 7, otherwise of whole days of UTC. */
  readonly refusalsByCode: readonly RefusalFigures[];
  /** The last 10 changes, the newest first. */
  readonly newestEvents: readonly Event[];
}

/** A license that uses at least 90 % of its slots. */
export interface FullPool {
  /** License key. */
  readonly licenseKey: string;
  /** E-mail address of the customer. */
  readonly email: string;
  /** Product that it is for. */
  readonly productId: string;
  /** Type of the license. */
  readonly licenseType: LicenseType;
  /** Machines, or live sessions of a floating license. */
  readonly used: number;
  /** How many there may be. */
  readonly limit: number;
}

/** How often the client endpoints refused with one code. */
export interface RefusalFigures {
  /** As in the header `Latchkey-Code`. */
  readonly code: string;
  /** How often. */
  readonly count: number;
}

export interface GetStatisticsRequest {
  /** Which series are wanted: 1 to 20 metrics. */
  readonly metrics: readonly Metric[];
  /** Begin with the step that this moment is in; 24 hours or 30 days before `to`. */
  readonly from?: string;
  /** End before this moment, which need not be a whole step; now by default. */
  readonly to?: string;
  /** Length of a step; `day` by default. */
  readonly step?: 'hour' | 'day';
  /** Product identifier (its slug). */
  readonly productId?: string;
}

export type Metric = 'verify.ok' | 'activate.ok' | 'validate.ok' | 'heartbeat.ok' | 'deactivate.ok' | 'consume.ok' | 'activate.license_not_found' | 'activate.activation_rate' | 'activate.wrong_product' | 'activate.license_replaced' | 'activate.license_revoked' | 'activate.license_expired' | 'activate.update_not_covered' | 'activate.user_required' | 'activate.user_limit' | 'activate.machine_limit' | 'validate.license_not_found' | 'validate.invalid_token' | 'validate.token_mismatch' | 'validate.license_replaced' | 'validate.license_revoked' | 'validate.license_expired' | 'validate.machine_not_activated' | 'validate.update_not_covered' | 'validate.feature_missing' | 'verify.license_not_found' | 'verify.wrong_product' | 'verify.license_replaced' | 'verify.license_revoked' | 'verify.license_expired' | 'verify.update_not_covered' | 'verify.feature_missing' | 'deactivate.license_not_found' | 'deactivate.invalid_token' | 'deactivate.token_mismatch' | 'deactivate.license_replaced' | 'deactivate.license_revoked' | 'deactivate.license_expired' | 'deactivate.machine_not_activated' | 'heartbeat.license_not_found' | 'heartbeat.invalid_token' | 'heartbeat.license_replaced' | 'heartbeat.license_revoked' | 'heartbeat.license_expired' | 'heartbeat.machine_not_activated' | 'consume.license_not_found' | 'consume.invalid_token' | 'consume.token_mismatch' | 'consume.license_replaced' | 'consume.license_revoked' | 'consume.license_expired' | 'consume.machine_not_activated' | 'consume.meter_not_found' | 'consume.meter_limit' | 'consume.request_id_reused' | 'license.created' | 'license.updated' | 'license.renewed' | 'license.expiring' | 'license.expired' | 'license.updates_expiring' | 'license.revoked' | 'license.replaced' | 'license.reinstated' | 'license.activation_limit_lifted' | 'license.noted' | 'license.note_deleted' | 'license.email_changed' | 'activation.created' | 'activation.deleted' | 'activation.moved' | 'user.released' | 'activations.reset' | 'session.ended' | 'usage.limit_reached' | 'usage.adjusted' | 'license_file.issued' | 'customer_link.created' | 'violation.opened' | 'violation.raised' | 'violation.resolved' | 'product.created' | 'product.updated' | 'variant.created' | 'variant.updated' | 'discount_code.created' | 'discount_code.updated' | 'discount_code.redeemed' | 'discount_code.deleted' | 'api_key.created' | 'api_key.revoked' | 'operator_key.created' | 'operator_key.revoked' | 'token_key.dropped' | 'console_session.created' | 'console_session.ended' | 'console_session.refused' | 'studio_order.created' | 'studio_seat.redeemed' | 'brand.updated' | 'mail_template.saved' | 'mail_template.deleted' | 'reply_template.saved' | 'reply_template.deleted' | 'destination.created' | 'destination.updated' | 'destination.secret_rotated' | 'destination.paused' | 'destination.resumed' | 'destination.failing' | 'destination.disabled' | 'destination.deleted' | 'connector.created' | 'connector.updated' | 'connector.deleted' | 'customer.forgotten' | 'violation.opened.machine_limit' | 'violation.opened.activation_rate' | 'violation.opened.token_replay' | 'violation.opened.country_spread' | 'violation.opened.refund' | 'violation.opened.chargeback' | 'violation.opened.fraud' | 'trial.started' | 'trial.paid';

export interface GetStatisticsReply {
  readonly success: true;
  /** In the order of `metrics`. */
  readonly series: readonly Series[];
  /** Everything before this moment is in the figures. */
  readonly completeTo: string;
}

/** The figures of one metric. */
export interface Series {
  /** Names of the counted metrics. */
  readonly metric: string;
  /** One for each step, the oldest first. */
  readonly points: readonly ({
    /** When the hour or day begins, UTC. */
    readonly at: string;
    /** How often it happened. */
    readonly value: number;
  })[];
}

export interface GetCountriesRequest {
  /** Begin with the day of this moment; 30 days before `to`. */
  readonly from?: string;
  /** End before this moment, whose day counts as a whole; now by default. */
  readonly to?: string;
  /** Product identifier (its slug). */
  readonly productId?: string;
  /** Only this country. Two letters, as in ISO 3166, in any case. */
  readonly country?: string;
  /** True shows the figures of each product by day. */
  readonly overTime?: boolean;
}

export interface GetCountriesReply {
  readonly success: true;
  /** The one with most machines first. */
  readonly countries: readonly CountryFigures[];
  /** Everything before this moment is in the figures. */
  readonly completeTo: string;
  /** With `overTime`: each day, the oldest first. */
  readonly days?: readonly string[];
  /** With `overTime`: products with figures, by identifier. */
  readonly products?: readonly ProductSeries[];
}

/** The counts of one country. */
export interface CountryFigures {
  /** Two letters, as in ISO 3166. */
  readonly code: string;
  /** Machines that called, on the day on which they were most. */
  readonly machines: number;
  /** Machines that were newly bound to a license. */
  readonly activations: number;
}

/** The figures of one product by day. */
export interface ProductSeries {
  /** Product identifier (its slug). */
  readonly productId: string;
  /** Machines that called, one number for each of `days`. */
  readonly machines: readonly number[];
  /** Machines that were newly bound, likewise. */
  readonly activations: readonly number[];
}

export interface GetSalesRequest {
  /** Begin with the step that this moment is in; 30 days, 12 weeks or 12 months long. */
  readonly from?: string;
  /** End before this moment, whose day counts as a whole; now by default. */
  readonly to?: string;
  /** Length of a step; `day` by default. At most 92 days, 54 weeks or 36 months. */
  readonly step?: 'day' | 'week' | 'month';
  /** Product identifier (its slug). */
  readonly productId?: string;
}

export interface GetSalesReply {
  readonly success: true;
  /** The oldest first. */
  readonly steps: readonly string[];
  readonly totals: SaleFigures;
  readonly before: SaleFigures;
  readonly points: SalePoints;
  /** The one with the most purchases first. */
  readonly variants: readonly SalesOfVariant[];
  /** The sums of all other variants. */
  readonly others: SalesOfOthers | null;
  /** Everything before this moment is in the figures. */
  readonly completeTo: string;
}

/** Numbers of licenses. */
export interface SaleFigures {
  /** New licenses, without trials. */
  readonly issued: number;
  /** Those of them that have a purchase. */
  readonly purchased: number;
  /** Licenses that a payment extended. */
  readonly renewed: number;
  /** Licenses whose price was refunded. */
  readonly refunded: number;
  /** Refunds of a part of a price. */
  readonly partlyRefunded: number;
  /** Licenses whose payment was charged back. */
  readonly chargedBack: number;
  /** Refunds and chargebacks that were lifted. */
  readonly reinstated: number;
  /** Trials that began, with a trial code or without a key. */
  readonly trialsStarted: number;
  /** Trials that a purchase followed within 90 days, on the day of the purchase. */
  readonly trialsConverted: number;
}

/** A value for each of `steps`; a figure that is 0 in all of them is absent. */
export interface SalePoints {
  /** New licenses, without trials. */
  readonly issued?: readonly number[];
  /** Those of them that have a purchase. */
  readonly purchased?: readonly number[];
  /** Licenses that a payment extended. */
  readonly renewed?: readonly number[];
  /** Licenses whose price was refunded. */
  readonly refunded?: readonly number[];
  /** Refunds of a part of a price. */
  readonly partlyRefunded?: readonly number[];
  /** Licenses whose payment was charged back. */
  readonly chargedBack?: readonly number[];
  /** Refunds and chargebacks that were lifted. */
  readonly reinstated?: readonly number[];
  /** Trials that began, with a trial code or without a key. */
  readonly trialsStarted?: readonly number[];
  /** Trials that a purchase followed within 90 days, on the day of the purchase. */
  readonly trialsConverted?: readonly number[];
}

/** The figures of the licenses of one variant. */
export interface SalesOfVariant {
  /** Product that they are for. */
  readonly productId: string;
  /** Their variant at the time. */
  readonly variant: string;
  readonly totals: SaleFigures;
  readonly before: SaleFigures;
  readonly points: SalePoints;
}

/** The sums of all other variants. */
export interface SalesOfOthers {
  /** How many they are. */
  readonly variants: number;
  readonly totals: SaleFigures;
  readonly before: SaleFigures;
  readonly points: SalePoints;
}

export interface IssueLicenseFileReply {
  readonly success: true;
  /** The signed file; docs/apps/license-files.md says how it is read. */
  readonly licenseFile: string;
  /** Identifies the file; in it as `jti`. */
  readonly fileId: string;
  /** When it was issued. */
  readonly issuedAt: string;
  /** When an app that has a connection should ask for another one. */
  readonly renewAfter: string;
  /** Valid until this moment; null: for ever, only for a file made with `forever`. */
  readonly expiresAt: string | null;
  /** Which key signed it; in its header as `kid`. */
  readonly keyId: string;
}

export interface CreateLicenseFileRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey?: string;
  /** The LATCHKEY REQUEST that the app wrote. */
  readonly request?: string;
  /** Stable identifier of the machine, made by the client. */
  readonly machineFingerprint?: string;
  /** Human-readable machine name. */
  readonly hostname?: string;
  /** The person who uses the machine, as at /activate; required where the license has `maxUsers`. */
  readonly user?: string;
  /** A file that any machine may use; it binds none. */
  readonly anyMachine?: boolean;
  /** Validity of the file in days, at most that of its license and the leeway; 365 by default. */
  readonly days?: number;
  /** Instead of days: for as long as the license lasts. */
  readonly forever?: boolean;
  /** Whether the file contains the customer's e-mail address; false by default. */
  readonly includeEmail?: boolean;
}

export interface CreateLicenseFileReply {
  readonly success: true;
  /** The signed file; docs/apps/license-files.md says how it is read. */
  readonly licenseFile: string;
  /** Identifies the file; in it as `jti`. */
  readonly fileId: string;
  /** When it was issued. */
  readonly issuedAt: string;
  /** When an app that has a connection should ask for another one. */
  readonly renewAfter: string;
  /** Valid until this moment; null: for ever, only for a file made with `forever`. */
  readonly expiresAt: string | null;
  /** Which key signed it; in its header as `kid`. */
  readonly keyId: string;
  /** Slots taken; live sessions for a floating license. */
  readonly machinesUsed: number;
  /** Number of slots; -1 is unlimited. */
  readonly maxMachines: number;
}

export interface ListLicenseFilesRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Files per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListLicenseFilesReply {
  readonly success: true;
  readonly files: readonly LicenseFile[];
  /** Files in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** The latest signed file of a machine; the file itself is not stored. */
export interface LicenseFile {
  /** In the file as `jti`. */
  readonly fileId: string;
  /** The machine; null for a file that any machine may use. */
  readonly fingerprint: string | null;
  /** Its name when the file was issued. */
  readonly hostname: string | null;
  /** `grace`: fetched by an app. `offline`: made for a machine without a connection. */
  readonly purpose: FilePurpose;
  /** When it was issued. */
  readonly issuedAt: string;
  /** Until when it is good; null for ever. */
  readonly expiresAt: string | null;
  /** `client` (an app), `operator`, `command:` or `creator:` and its id. */
  readonly issuedBy: string;
}

export type FilePurpose = 'grace' | 'offline';

export interface CreateConsoleSessionRequest {
  /** The admin secret, an operator key or an API key. */
  readonly secret?: string;
  /** The code of a sign-in link, in place of a secret. */
  readonly code?: string;
  /** Your name in the activity list. Used with the admin secret and with a link; keys have names. */
  readonly name?: string;
  /** Keep me signed in for 7 days. */
  readonly keep?: boolean;
}

export interface CreateConsoleSessionReply {
  readonly success: true;
  /** Its owner. */
  readonly kind: ConsolePersonKind;
  /** Null for creators. */
  readonly role: OperatorRole | null;
  /** Null for the operator. */
  readonly creatorId: string | null;
  /** Of the key or the account; with the admin secret the given one, else `admin`. */
  readonly name: string;
  /** The way in. */
  readonly signedInBy: ConsoleWayIn;
  /** When it ends at the latest. */
  readonly expiresAt: string;
}

export type ConsolePersonKind = 'operator' | 'creator';

export type OperatorRole = 'owner' | 'support' | 'viewer';

export type ConsoleWayIn = 'admin_secret' | 'operator_key' | 'api_key' | 'provider';

export type GetConsoleSessionRequest = Readonly<Record<string, never>>;

export interface GetConsoleSessionReply {
  readonly success: true;
  /** Its owner. */
  readonly kind: ConsolePersonKind;
  /** Null for creators. */
  readonly role: OperatorRole | null;
  /** Null for the operator. */
  readonly creatorId: string | null;
  /** Of the key or the account; with the admin secret the given one, else `admin`. */
  readonly name: string;
  /** The way in. */
  readonly signedInBy: ConsoleWayIn;
  /** When it ends at the latest. */
  readonly expiresAt: string;
  /** Unrelated to its cookie. */
  readonly sessionId: string;
  readonly service: ConsoleService;
  /** Paths of the endpoints that the session may call. */
  readonly can: readonly string[];
  /** The limits of the role; empty for owners and creators. */
  readonly limits: readonly ConsoleLimit[];
}

/** The facts about the service that the console shows. */
export interface ConsoleService {
  /** Version of the service. */
  readonly version: string;
  /** Its database. */
  readonly engine: 'sqlite' | 'postgres';
  /** The operator's name for this installation; null if it has none. */
  readonly label: string | null;
  /** Whether the countries of machines are known. */
  readonly countriesKnown: boolean;
  /** How long a floating session lasts without a sign of life. */
  readonly floatingTimeoutSeconds: number;
  /** Retention of events. */
  readonly eventRetentionSeconds: number;
}

/** An endpoint that the session may call but not use in full. */
export interface ConsoleLimit {
  /** Path of the endpoint. */
  readonly endpoint: string;
  /** The fields that the session may send. */
  readonly fields: readonly string[];
  /** The number of days by which the session may extend a license, within as many days. */
  readonly extensionDays: number;
}

export interface EndConsoleSessionRequest {
  /** From /listConsoleSessions; the caller's own by default. */
  readonly sessionId?: string;
}

export interface EndConsoleSessionReply {
  readonly success: true;
  /** Always true: a session that has ended is not found. */
  readonly ended: boolean;
}

export interface ListConsoleSessionsRequest {
  /** Sessions per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListConsoleSessionsReply {
  readonly success: true;
  readonly sessions: readonly ConsoleSession[];
  /** Sessions in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** Somebody who is signed in to the console. */
export interface ConsoleSession {
  /** Unrelated to its cookie. */
  readonly sessionId: string;
  /** Its owner. */
  readonly kind: ConsolePersonKind;
  /** Null for creators. */
  readonly role: OperatorRole | null;
  /** Null for the operator. */
  readonly creatorId: string | null;
  /** Of the key or the account; with the admin secret the given one, else `admin`. */
  readonly name: string;
  /** The way in. */
  readonly signedInBy: ConsoleWayIn;
  /** When it ends at the latest. */
  readonly expiresAt: string;
  /** When it began. */
  readonly createdAt: string;
  /** When it was used last, to five minutes. */
  readonly lastSeenAt: string;
  /** Network address from which it was begun. */
  readonly address: string | null;
  /** The browser's User-Agent, at most 255 characters. */
  readonly userAgent: string | null;
  /** Whether it is the session of this call. */
  readonly isThisOne: boolean;
}

export interface CreateOperatorKeyRequest {
  /** The name of its user in events. Not `admin`, which stands for the admin secret. */
  readonly name: string;
  /** The person's permissions. */
  readonly role: OperatorRole;
  /** When the key and its sessions end; never by default. */
  readonly expiresAt?: string;
}

export interface CreateOperatorKeyReply {
  readonly success: true;
  /** The raw key, shown this once. */
  readonly operatorKey: string;
  /** SHA-256 of the raw key, by which it is listed and revoked. */
  readonly keyHash: string;
  /** The name of its user in events. */
  readonly name: string;
  /** The person's permissions. */
  readonly role: OperatorRole;
  /** Null: never. */
  readonly expiresAt: string | null;
}

export interface ListOperatorKeysRequest {
  /** Only the key with this hash: the SHA-256 of the raw key. */
  readonly hash?: string;
  /** Keys per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListOperatorKeysReply {
  readonly success: true;
  readonly keys: readonly OperatorKey[];
  /** Keys in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** A key of one of the operator's people, known by its hash. */
export interface OperatorKey {
  /** SHA-256 of the raw key, as hexadecimal digits. */
  readonly keyHash: string;
  /** The name of its user in events. */
  readonly name: string;
  /** The person's permissions. */
  readonly role: OperatorRole;
  /** False once it is revoked. */
  readonly active: boolean;
  /** When the key was created. */
  readonly createdAt: string;
  /** When it was revoked; null while it is active, or if the time was not stored. */
  readonly revokedAt: string | null;
  /** When it ends; null: never. */
  readonly expiresAt: string | null;
  /** The last sign-in or call of its sessions, to an hour. */
  readonly lastUsedAt: string | null;
}

export interface RevokeOperatorKeyRequest {
  /** The hash of the key, as /listOperatorKeys shows it. */
  readonly keyHash: string;
}

export interface RevokeOperatorKeyReply {
  readonly success: true;
  /** Whether the key was active until now. */
  readonly revoked: boolean;
}

export type GetSystemRequest = Readonly<Record<string, never>>;

export interface GetSystemReply {
  readonly success: true;
  readonly service: SystemService;
  readonly database: SystemDatabase;
  /** The certificate in use; null where proxies carry the HTTPS. */
  readonly certificate: SystemCertificate | null;
  readonly countries: SystemCountries;
  readonly retention: SystemRetention;
  readonly setup: SystemSetup;
  /**
   * Conditions to act on, in sentences: destinations that receive nothing since a copy, for want of a key, or
   * because no node sends events.
   */
  readonly warnings: readonly string[];
}

/** The node that answers. */
export interface SystemService {
  /** Version of the service. */
  readonly version: string;
  /** Version of Node.js that runs it. */
  readonly nodeJsVersion: string;
  /** The hostname of its machine. */
  readonly hostname: string;
  /** The operator's name for this installation; null if it has none. */
  readonly label: string | null;
  /** The log level: lines of this level and above are written. */
  readonly logLevel: string;
  /** Its clock when it received the call. */
  readonly time: string;
  /** When it started. */
  readonly startedAt: string;
  readonly clock: SystemClock;
  /** Memory of its process. */
  readonly memoryBytes: number;
  /** Path of the reference page. */
  readonly reference: string;
  /** Path of the description of all endpoints for programs. */
  readonly openApi: string;
}

/** Whether its clock is believed. While it is not, nothing is removed or ended by time. */
export interface SystemClock {
  /**
   * `ahead`, `behind`: by more than a day of the last time that was believed. `database`: more than a minute
   * from the clock of the database server. `unknown`: nothing could be compared yet.
   */
  readonly state: 'believed' | 'ahead' | 'behind' | 'database' | 'unknown';
  /** The last believed time plus the time that has passed since; null if there is none. */
  readonly believedAt: string | null;
  /** When it will be believed by itself unless it jumps; null: it is believed, or waiting does not help. */
  readonly believedFrom: string | null;
}

/** The database. */
export interface SystemDatabase {
  /** The kind of action. */
  readonly engine: 'sqlite' | 'postgres';
  /** Version of the engine. */
  readonly version: string;
  /** Path of the file; for PostgreSQL the name of the database and its hosts. */
  readonly location: string;
  /** Size on disk in bytes, including its log; null if it could not be determined. */
  readonly bytes: number | null;
  /** Room that is left for the service on the disk of the file; null for PostgreSQL, or as above. */
  readonly diskFreeBytes: number | null;
  /** Room that this disk has in all. */
  readonly diskTotalBytes: number | null;
  /** Its clock; null for SQLite, which uses that of the service. */
  readonly time: string | null;
  readonly migration: SystemMigration;
}

/** The newest migration that the database has seen. */
export interface SystemMigration {
  /** Its number. */
  readonly version: number;
  /** Number and title. */
  readonly name: string;
  /** When it was applied. */
  readonly appliedAt: string;
  /** Number of the newest migration that this version of the service knows. */
  readonly newestKnown: number;
  /**
   * `ahead`: a newer version of the service has changed the tables. `behind`: they are older than this
   * version.
   */
  readonly state: 'current' | 'ahead' | 'behind';
}

/** The certificate in use; null where proxies carry the HTTPS. */
export interface SystemCertificate {
  /** Names and addresses that it is for, 100 at most. */
  readonly names: readonly string[];
  /** From when on it is valid: clients refuse it before. */
  readonly validFrom: string;
  /** When it ends. */
  readonly endsAt: string;
  /** Whole days until then; negative once it has ended. */
  readonly daysLeft: number;
  /** Whether the service created it (self-signed). */
  readonly selfSigned: boolean;
  /** By which clients trust a self-signed certificate; null if others issued it. */
  readonly trust: SystemTrust | null;
}

/** By which clients trust a self-signed certificate; null if others issued it. */
export interface SystemTrust {
  /** Path of its file on the machine of the node, for `curl --cacert`. */
  readonly file: string;
  /** Its text in PEM, as the file holds it. It is public. */
  readonly pem: string;
}

/** Where the countries of calls come from. */
export interface SystemCountries {
  /** The request header that is believed; null: none. */
  readonly header: string | null;
  /** The file of addresses and countries; null: none. The header goes first. */
  readonly file: string | null;
  /** When that file was built; null: there is none, or it does not say. */
  readonly fileBuiltAt: string | null;
}

/** Retention times. Notes are kept for ever. */
export interface SystemRetention {
  /** Events. */
  readonly eventSeconds: number;
  /** Refusals. */
  readonly refusalSeconds: number;
  /** Statistics by the hour. */
  readonly hourlyStatisticsSeconds: number;
  /** Statistics by the day. */
  readonly dailyStatisticsSeconds: number;
  /** Answers that are given again to a repeated Idempotency-Key. */
  readonly safeRetrySeconds: number;
  /** Facts about a license file, kept after it expired. */
  readonly expiredLicenseFileSeconds: number;
  /** Console sessions, from their beginning. */
  readonly sessionSeconds: number;
  /** The same without a call. */
  readonly idleSessionSeconds: number;
  /** Console sessions of those who stay signed in. */
  readonly keptSessionSeconds: number;
}

/** The parts of an installation that are set up. */
export interface SystemSetup {
  /** The address of the service for browsers; null: not set. */
  readonly publicUrl: string | null;
  /** Whether a mail server is configured. */
  readonly sendsMail: boolean;
  /** Whether customers find their licenses at /my. */
  readonly customerPages: boolean;
  /** Whether people sign in with accounts of an identity provider. */
  readonly identityProvider: boolean;
  /** The last backup that this node knows of, by the file that each backup touches; null: none. */
  readonly lastBackupAt: string | null;
  /** E-mails to the operator; null: no address is configured. */
  readonly operatorMails: OperatorMails | null;
}

/** E-mails to the operator; null: no address is configured. */
export interface OperatorMails {
  /** Who gets them. */
  readonly addresses: readonly string[];
  /** What they tell of. */
  readonly kinds: readonly NoticeKind[];
}

export type NoticeKind = 'destination_failing' | 'mails_failed' | 'shop_attention' | 'certificate_ending' | 'backup_missing' | 'refusals_spike' | 'digest';

export interface CreateDestinationRequest {
  /** Where events are sent: a public https address; port 443, or 1024 and above. */
  readonly url: string;
  /**
   * Types of events, such as `license.created`; `license.*` is all of a kind. `*` is all that happens in the
   * shop, without keys, console sessions, customers and destinations, which must be named.
   */
  readonly types: readonly string[];
  /** What it is for. */
  readonly description?: string | null;
  /** Only events of these products; null is all. */
  readonly productIds?: readonly string[] | null;
  /** Whether events contain license keys, which are credentials. */
  readonly includeLicenseKeys?: boolean;
  /** Whether events contain addresses, names of machines and people, countries and notes. */
  readonly includePersonalData?: boolean;
  /** Requests per second at most. */
  readonly requestsPerSecond?: number;
  /** Owner; for adminSecret only, an API key has its own. */
  readonly creatorId?: string;
}

export interface CreateDestinationReply {
  readonly success: true;
  /** Its identifier. */
  readonly destinationId: string;
  /** Verifies what is sent; shown this once. */
  readonly secret: string;
  readonly destination: Destination;
}

/** An address that events are sent to. */
export interface Destination {
  /** Its identifier. */
  readonly destinationId: string;
  /** Its owner; null is the operator's. */
  readonly creatorId: string | null;
  /** Where events are sent. */
  readonly url: string;
  /** Types of events, kinds such as `license.*`, or `*`. */
  readonly types: readonly string[];
  /** What it is for. */
  readonly description: string | null;
  /** Only events of these products; null is all. */
  readonly productIds: readonly string[] | null;
  /** Whether events contain license keys. */
  readonly includeLicenseKeys: boolean;
  /** Whether events contain personal data. */
  readonly includePersonalData: boolean;
  /** Requests per second at most. */
  readonly requestsPerSecond: number;
  /** Whether events are sent; `failing`: it is tried again and again. */
  readonly state: DestinationState;
  /**
   * Why it is paused or disabled: `by_person`; `by_command`; `copied`, by copy or restore; `gone`, its
   * receiver answered 410; `gave_up`, it failed for days. Of a failing one: `too_many_refused`, 1,000 refused
   * events wait for another attempt, so no further ones are sent until some are settled; null if `lastError`
   * is the reason. Of an active or failing one: `no_node_sends`, no node of the service sends events.
   */
  readonly stateReason: string | null;
  /** Until when the secret before the last rotation signs, too. */
  readonly previousSecretEndsAt: string | null;
  /** When it began to fail; null while it does not. */
  readonly failingSince: string | null;
  /** When an event was last delivered. */
  readonly lastSuccessAt: string | null;
  /** The last failure; null once a delivery succeeded. */
  readonly lastError: string | null;
  /** Events that wait for another attempt, see /listDeliveries. */
  readonly waiting: number;
  /** Events that were given up, see /listDeliveries. */
  readonly failed: number;
  /** Recorded events that it has not dealt with yet, whether they fit it or not; at most 10,000. */
  readonly behind: number;
  /** Time of the oldest event that it has not dealt with yet; null without one. */
  readonly oldestUnsentAt: string | null;
  /** When it was made. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

export type DestinationState = 'active' | 'failing' | 'paused' | 'disabled';

export interface ListDestinationsRequest {
  /** Only the destinations of this creator. */
  readonly creatorId?: string;
  /** Only the destinations in this state. */
  readonly state?: DestinationState;
  /** Destinations per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListDestinationsReply {
  readonly success: true;
  readonly destinations: readonly Destination[];
  /** Destinations in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

export interface GetDestinationRequest {
  /** The destination, as /listDestinations shows it. */
  readonly destinationId: string;
}

export interface GetDestinationReply {
  readonly success: true;
  readonly destination: Destination;
  /** Past events that a destination is sent again. */
  readonly replay: Replay | null;
  readonly lastDay: {
    /** Requests that were delivered, among the last 500 of these. */
    readonly delivered: number;
    /** Requests that were not, among the last 500 of these. */
    readonly failed: number;
  };
}

/** Past events that a destination is sent again. */
export interface Replay {
  /** Time of the first events. */
  readonly since: string;
  /** Events before this time; null: until the replay was requested. */
  readonly until: string | null;
  /** Types of events; null: those of the destination. */
  readonly types: readonly string[] | null;
  /** Whether only events that were given up are sent again. */
  readonly failedOnly: boolean;
  /** Events that were sent so far, or wait to be sent next. */
  readonly sent: number;
  /** When it was requested. */
  readonly askedAt: string;
}

export interface UpdateDestinationRequest {
  /** The destination, as /listDestinations shows it. */
  readonly destinationId: string;
  /** Where events are sent: a public https address; port 443, or 1024 and above. */
  readonly url?: string;
  /**
   * Types of events, such as `license.created`; `license.*` is all of a kind. `*` is all that happens in the
   * shop, without keys, console sessions, customers and destinations, which must be named.
   */
  readonly types?: readonly string[];
  /** What it is for. */
  readonly description?: string | null;
  /** Only events of these products; null is all. */
  readonly productIds?: readonly string[] | null;
  /** Whether events contain license keys, which are credentials. */
  readonly includeLicenseKeys?: boolean;
  /** Whether events contain addresses, names of machines and people, countries and notes. */
  readonly includePersonalData?: boolean;
  /** Requests per second at most. */
  readonly requestsPerSecond?: number;
  /** `updatedAt` of the destination that the caller saw. */
  readonly wasUpdatedAt?: string;
}

export interface UpdateDestinationReply {
  readonly success: true;
  readonly destination: Destination;
}

export interface PauseDestinationRequest {
  /** The destination, as /listDestinations shows it. */
  readonly destinationId: string;
  /** `updatedAt` of the destination that the caller saw. */
  readonly wasUpdatedAt?: string;
}

export interface PauseDestinationReply {
  readonly success: true;
  readonly destination: Destination;
}

export interface ResumeDestinationRequest {
  /** The destination, as /listDestinations shows it. */
  readonly destinationId: string;
  /** Where to go on: `stopped` by default, `now`, or a timestamp. */
  readonly from?: string;
  /** `updatedAt` of the destination that the caller saw. */
  readonly wasUpdatedAt?: string;
}

export interface ResumeDestinationReply {
  readonly success: true;
  readonly destination: Destination;
}

export interface RotateDestinationSecretRequest {
  /** The destination, as /listDestinations shows it. */
  readonly destinationId: string;
  /** For how long the former secret signs as well; 24 by default. */
  readonly overlapHours?: number;
}

export interface RotateDestinationSecretReply {
  readonly success: true;
  /** The new secret, shown this once. */
  readonly secret: string;
  /** Until when the former secret signs as well; null: it ended. */
  readonly previousSecretEndsAt: string | null;
}

export interface DeleteDestinationRequest {
  /** The destination, as /listDestinations shows it. */
  readonly destinationId: string;
}

export interface DeleteDestinationReply {
  readonly success: true;
}

export interface ListDeliveriesRequest {
  /** The destination, as /listDestinations shows it. */
  readonly destinationId: string;
  /** Waiting ones by default. */
  readonly state?: DeliveryState;
  /** Deliveries per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export type DeliveryState = 'waiting' | 'failed';

export interface ListDeliveriesReply {
  readonly success: true;
  readonly deliveries: readonly Delivery[];
  /** Deliveries in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** An event that a destination has not accepted. */
export interface Delivery {
  /** The event. */
  readonly eventId: string;
  /** Whether it is tried again. */
  readonly state: DeliveryState;
  /** Failed attempts, without those while the destination failed as a whole. */
  readonly attempts: number;
  /** When it is tried again; when it failed, for a failed one. */
  readonly dueAt: string;
  /** Status of the last answer; null without one. */
  readonly lastStatus: number | null;
  /** The last failure. */
  readonly lastError: string | null;
}

export interface ListDeliveryAttemptsRequest {
  /** The destination, as /listDestinations shows it. */
  readonly destinationId?: string;
  /** Only the attempts of this event; without `destinationId` at all destinations. */
  readonly eventId?: string;
  /** Whether delivered ones are left out; false by default. */
  readonly failedOnly?: boolean;
  /** Attempts per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListDeliveryAttemptsReply {
  readonly success: true;
  readonly attempts: readonly DeliveryAttempt[];
  /** Attempts in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** One request to a destination. */
export interface DeliveryAttempt {
  /** Its identifier. */
  readonly attemptId: string;
  /** The destination. */
  readonly destinationId: string;
  /** The event that was sent: the `webhook-id`. */
  readonly eventId: string;
  /** Type of the event; `ping` for a test. */
  readonly type: string;
  /** When it began. */
  readonly at: string;
  /** Time until the end of the answer, in milliseconds. */
  readonly durationMs: number;
  /** Its result. `status` is an answer other than 2xx, `refused` is no answer. */
  readonly outcome: DeliveryOutcome;
  /** Status of the answer; null without one. */
  readonly status: number | null;
}

export type DeliveryOutcome = 'delivered' | 'refused' | 'timeout' | 'certificate' | 'name_not_found' | 'address_not_allowed' | 'status';

export interface TestDestinationRequest {
  /** The destination, as /listDestinations shows it. */
  readonly destinationId: string;
  /** Type of the event; `ping` by default. */
  readonly type?: OutboundType;
}

export type OutboundType = 'ping' | 'license.created' | 'license.updated' | 'license.renewed' | 'license.expiring' | 'license.expired' | 'license.updates_expiring' | 'license.revoked' | 'license.replaced' | 'license.reinstated' | 'license.activation_limit_lifted' | 'license.noted' | 'license.note_deleted' | 'license.email_changed' | 'activation.created' | 'activation.deleted' | 'activation.moved' | 'user.released' | 'activations.reset' | 'session.ended' | 'usage.limit_reached' | 'usage.adjusted' | 'license_file.issued' | 'customer_link.created' | 'violation.opened' | 'violation.raised' | 'violation.resolved' | 'product.created' | 'product.updated' | 'variant.created' | 'variant.updated' | 'discount_code.created' | 'discount_code.updated' | 'discount_code.redeemed' | 'discount_code.deleted' | 'api_key.created' | 'api_key.revoked' | 'operator_key.created' | 'operator_key.revoked' | 'token_key.dropped' | 'console_session.created' | 'console_session.ended' | 'console_session.refused' | 'studio_order.created' | 'studio_seat.redeemed' | 'brand.updated' | 'mail_template.saved' | 'mail_template.deleted' | 'reply_template.saved' | 'reply_template.deleted' | 'destination.created' | 'destination.updated' | 'destination.secret_rotated' | 'destination.paused' | 'destination.resumed' | 'destination.failing' | 'destination.disabled' | 'destination.deleted' | 'connector.created' | 'connector.updated' | 'connector.deleted' | 'customer.forgotten';

export interface TestDestinationReply {
  readonly success: true;
  /** The `webhook-id` of the test. */
  readonly eventId: string;
}

export interface ResendEventsRequest {
  /** The destination, as /listDestinations shows it. */
  readonly destinationId: string;
  /** Ids of events, 1 to 100, as /listEvents shows them. */
  readonly eventIds: readonly string[];
}

export interface ResendEventsReply {
  readonly success: true;
  /** Events that are sent again, without those that have yet to be sent. */
  readonly queued: number;
}

export interface ReplayEventsRequest {
  /** The destination, as /listDestinations shows it. */
  readonly destinationId: string;
  /** Time of the first events. Required, except with `stop`. */
  readonly since?: string;
  /** Only events before this time. */
  readonly until?: string;
  /**
   * Types of events, such as `license.created`; `license.*` is all of a kind. `*` is all that happens in the
   * shop, without keys, console sessions, customers and destinations, which must be named.
   */
  readonly types?: readonly string[];
  /** Only events that were given up. */
  readonly failedOnly?: boolean;
  /** Ends the replay under way, if there is one. */
  readonly stop?: boolean;
}

export interface ReplayEventsReply {
  readonly success: true;
  /** Past events that a destination is sent again. */
  readonly replay: Replay | null;
}

export interface PreviewEventRequest {
  /** The destination, as /listDestinations shows it. */
  readonly destinationId: string;
  /** The event, as /listEvents shows it. */
  readonly eventId: string;
}

export interface PreviewEventReply {
  readonly success: true;
  /** The headers by name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the body, which is what is signed. */
  readonly body: string;
}

export interface MailLicenseRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey?: string;
  /** A purchase in place of a license: all its keys that are not revoked are mailed. */
  readonly purchaseId?: string;
  /** A failed e-mail about a license, in place of that license: the same e-mail is tried again. */
  readonly mailId?: string;
  /** Another address in place of that of the license. */
  readonly to?: string;
  /** Language of the e-mail; `en` by default. */
  readonly language?: MailLanguage;
}

export interface MailLicenseReply {
  readonly success: true;
  /** Identifier of the e-mail in /listMails. */
  readonly mailId: string;
  /** The address that it is sent to. */
  readonly to: string;
}

export interface ListMailsRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey?: string;
  /** Only e-mails in this state. */
  readonly state?: MailState;
  /** Address of the recipient, compared without case. */
  readonly to?: string;
  /** Created at this time or later. */
  readonly createdFrom?: string;
  /** Created at this time or earlier; a day includes all of its time. */
  readonly createdTo?: string;
  /** E-mails per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export interface ListMailsReply {
  readonly success: true;
  readonly mails: readonly Mail[];
  /** Mails in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

export interface SendReplyRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Subject of the e-mail, on one line. */
  readonly subject: string;
  /** The words, plain: line breaks stay as they are. */
  readonly text: string;
  /** Another address in place of that of the license. */
  readonly to?: string;
  /** Language of the words; `en` by default. */
  readonly language?: MailLanguage;
}

export interface SendReplyReply {
  readonly success: true;
  /** Identifier of the e-mail in /listMails. */
  readonly mailId: string;
  /** The address that it is sent to. */
  readonly to: string;
}

export interface CreateCustomerLinkRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey?: string;
  /** The address of the customer; compared without case. */
  readonly email?: string;
  /** The shop that the customer is to see. An API key can name its own creator only. */
  readonly creatorId?: string;
  /** Validity in minutes; 60 by default. */
  readonly minutes?: number;
}

export interface CreateCustomerLinkReply {
  readonly success: true;
  /** The link; shown this once. */
  readonly url: string;
  /** Until when it works. */
  readonly expiresAt: string;
}

export interface GetBrandRequest {
  /**
   * Whose brand: a creator's id. The operator's own without it. An API key reaches that of its creator only.
   */
  readonly creatorId?: string;
}

export interface GetBrandReply {
  readonly success: true;
  /** The brand of the pages for customers at /my. */
  readonly brand: Brand | null;
}

/** The brand of the pages for customers at /my. */
export interface Brand {
  /** The creator; null: the operator's. */
  readonly creatorId: string | null;
  /** Shown at the top of every page and in e-mails. */
  readonly name: string;
  /** E-mail address of support. */
  readonly supportAddress: string | null;
  /** Page of support. */
  readonly supportUrl: string | null;
  /** Colour of buttons and links, as `#rrggbb`. */
  readonly accent: string | null;
  /** A picture. */
  readonly logo: Logo | null;
  readonly productLinks: readonly ProductLinks[];
  /** Whether customers give a license of its products a new key at /my, once in 30 days. */
  readonly allowsNewKeys: boolean;
  /** When it was changed last. */
  readonly updatedAt: string;
}

/** A picture. */
export interface Logo {
  /** Its media type. */
  readonly type: string;
  /** Its bytes in base64. */
  readonly data: string;
}

/** Links that the pages at /my show beside the licenses of a product. */
export interface ProductLinks {
  readonly productId: string;
  /** The page with the newest version. */
  readonly download: string | null;
  /** The page where a license is renewed. */
  readonly renew: string | null;
  /** The shop's page of orders and receipts. */
  readonly receipt: string | null;
}

export interface UpdateBrandRequest {
  /**
   * Whose brand: a creator's id. The operator's own without it. An API key reaches that of its creator only.
   */
  readonly creatorId?: string;
  /** Shown at the top of every page and in e-mails. */
  readonly name?: string;
  /** E-mail address of support. */
  readonly supportAddress?: string | null;
  /** Page of support; an https address. */
  readonly supportUrl?: string | null;
  /** Colour of buttons and links, as `#rrggbb`. */
  readonly accent?: string | null;
  /** The picture in base64. */
  readonly logo?: string | null;
  /** Replaces all links of products; an empty list removes them. */
  readonly productLinks?: readonly ({
    /** The product. Only the brand of its own creator gives it links. */
    readonly productId: string;
    /** The page with the newest version. An https address. */
    readonly download?: string | null;
    /** The page where a license is renewed. An https address. */
    readonly renew?: string | null;
    /** The shop's page of orders and receipts. An https address. */
    readonly receipt?: string | null;
  })[];
  /** Whether customers give a license of its products a new key at /my, once in 30 days; false at first. */
  readonly allowsNewKeys?: boolean;
  /** `updatedAt` of the brand that the caller saw; null is no brand. */
  readonly wasUpdatedAt?: string | null;
}

export interface UpdateBrandReply {
  readonly success: true;
  readonly brand: Brand;
}

export interface StartTrialRequest {
  /** Product identifier (its slug). */
  readonly productId: string;
  /** Stable identifier of the machine, made by the client. */
  readonly machineFingerprint: string;
  /** Human-readable machine name. */
  readonly hostname: string;
  /** Name of the variant; by default the product's only one that offers a trial. */
  readonly variant?: string;
  /** The customer, where the app knows one. */
  readonly email?: string;
  /** The person who uses the machine, as at /activate; required where the variant has `maxUsers`. */
  readonly user?: string;
  /** When the build was made; compiled into the app. A day without a time is its first moment in UTC. */
  readonly buildDate?: string;
  /** Version of the build: whole numbers with dots. Text after `-` or `+` is ignored. */
  readonly version?: string;
}

export interface StartTrialReply {
  readonly success: true;
  /** Key of the license; later calls of the app send it. */
  readonly licenseKey: string;
  /** Session token; opaque. */
  readonly token: string;
  /** When the session token expires. */
  readonly expiresAt: string;
  /** Slots taken; live sessions for a floating license. */
  readonly machinesUsed: number;
  /** Number of slots; -1 is unlimited. */
  readonly maxMachines: number;
  /** Status at this moment. */
  readonly status: LicenseStatus;
  /** Name of the variant. */
  readonly variant: string;
  /** What happened, for people. */
  readonly message: string;
  /** When the license expires; null for a perpetual one. */
  readonly licenseExpiresAt: string | null;
  /** Type of the license. */
  readonly licenseType: LicenseType;
  /**
   * Floating licenses: until when the session lives without a sign of life. Send the next heartbeat when a
   * third of that time is over.
   */
  readonly sessionExpiresAt?: string;
  /** Floating licenses: after how many seconds to send the next heartbeat, a third of the timeout. */
  readonly heartbeatAfterSeconds?: number;
  /** Features of the license by name; absent without any. */
  readonly features?: Readonly<Record<string, FeatureValue>>;
  /** Present from licenseExpiresAt on, while the grace keeps the license active. */
  readonly graceUntil?: string;
  /** Until when released builds are covered; absent if all are. */
  readonly updatesUntil?: string;
  /** Newest covered version; absent if all are. */
  readonly maxVersion?: string;
}

export interface ConsumeRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Stable identifier of the machine, made by the client. */
  readonly machineFingerprint: string;
  /** Session token of the last /activate or /validate. */
  readonly token: string;
  /** Name of the meter. */
  readonly meter: string;
  /** Units to count; 0 only asks. */
  readonly units: number;
  /** Identifies the use; required if units are counted. */
  readonly requestId?: string;
}

export interface ConsumeReply {
  readonly success: true;
  /** Name of the meter. */
  readonly meter: string;
  /** Units that are used in the present period. */
  readonly used: number;
  /** Units of a period; -1 is unlimited. */
  readonly limit: number;
  /** Units that are left, never below 0; null if unlimited. */
  readonly remaining: number | null;
  /** When the next period begins; null if none does. */
  readonly resetsAt: string | null;
}

export interface MeterLimit {
  /** Units that are used in the present period. */
  readonly used: number;
  /** Units of a period. */
  readonly limit: number;
  /** When the next period begins; null if none does. */
  readonly resetsAt: string | null;
}

export interface AdjustUsageRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Name of the meter. */
  readonly meter: string;
  /** Units to add; negative ones are taken away. */
  readonly units: number;
}

export interface AdjustUsageReply {
  readonly success: true;
  /** Name of the meter. */
  readonly meter: string;
  /** Units that are used in the present period. */
  readonly used: number;
  /** Units of a period; -1 is unlimited. */
  readonly limit: number;
  /** Units that are left, never below 0; null if unlimited. */
  readonly remaining: number | null;
  /** When the next period begins; null if none does. */
  readonly resetsAt: string | null;
}

export interface CreateConnectorRequest {
  /** The seller. */
  readonly source: ShopSource;
  /** Name of the connector, in lists and as the author of what it changes. */
  readonly name: string;
  /** Whose it is: a creator's id. The operator's own without it. */
  readonly creatorId?: string;
  /**
   * Which events it takes: those of real sales or those of tests. Licenses of a test last 14 days at most.
   */
  readonly mode: ConnectorMode;
  /** Signing secret that the seller shows. */
  readonly secret?: string;
  /**
   * Key of the seller's API, with which sales are read that an event does not tell whole; the private key of
   * license requests at a seller that makes some.
   */
  readonly sellerApiKey?: string;
  /**
   * `watching`: events are stored and can be previewed; `on`: they are applied; `paused`: they are stored
   * only.
   */
  readonly state?: ConnectorState;
  /**
   * Begins the purchaseIds of its sales, 1 to 40 of a-z 0-9 -; the name of the seller by default. Unique for
   * an owner.
   */
  readonly prefix?: string;
  readonly settings?: ShopSettings;
  /** Which name of the seller's is which product. */
  readonly mappings?: readonly ShopMapping[];
}

export type ShopSource = 'stripe' | 'lemonsqueezy' | 'paddle' | 'gumroad' | 'polar' | 'fastspring' | 'woocommerce' | 'shopify';

export type ConnectorMode = 'live' | 'test';

export type ConnectorState = 'watching' | 'on' | 'paused';

/** Settings of a connector; in a request those that it leaves out stay as they are. */
export interface ShopSettings {
  /** Days after the end of a paid period in which a license goes on. */
  readonly graceDays?: number;
  /** The same while the seller tries to collect a payment that failed. */
  readonly dunningDays?: number;
  /** What a refund of a part does where the seller names no line. */
  readonly partialRefund?: 'keep' | 'revoke';
  /** Whether a person decides about a dispute that was won. */
  readonly disputeWon?: 'attention' | 'reinstate';
  /** Whether buyers get their keys by e-mail. */
  readonly mail?: boolean;
  /** Empty: the buyer's. */
  readonly languages?: readonly MailLanguage[];
  /** Addresses for what needs attention. */
  readonly notify?: readonly string[];
  /** Origins of thank-you pages. */
  readonly origins?: readonly string[];
}

export interface ShopMapping {
  readonly match: ShopMatch;
  /** The seller's name; none for `any`. */
  readonly id?: string;
  readonly productId?: string;
  /** The variant of new licenses; `indie` by default. */
  readonly variant?: string;
  /** A license for each unit, or one with the limits of its variant times the units. */
  readonly quantity?: QuantityRule;
  /** Needed where the order does not say it. */
  readonly kind?: 'once' | 'subscription';
  /** `theirs`: the seller's license key is the key. */
  readonly keys?: 'ours' | 'theirs';
  /** The least price of a unit, in the smallest unit of its currency. */
  readonly minimumAmount?: number;
  readonly unlockedProducts?: readonly string[];
  /** The product has no license. */
  readonly ignore?: boolean;
}

export type ShopMatch = 'price' | 'variant' | 'sku' | 'payment_link' | 'path' | 'product' | 'any';

export interface CreateConnectorReply {
  readonly success: true;
  /** Identifier of the connector. */
  readonly connectorId: string;
  /** Address to paste at the seller; its path alone where LATCHKEY_PUBLIC_URL is not set. */
  readonly url: string;
  /** Signing secret to enter at the seller, shown this once; where the seller takes one. */
  readonly secret?: string;
  /** What to set at the seller, in order. */
  readonly steps: readonly string[];
}

export interface ListConnectorsRequest {
  /** Only the connectors of this creator. */
  readonly creatorId?: string;
}

export interface ListConnectorsReply {
  readonly success: true;
  readonly connectors: readonly Connector[];
}

/** An account at a seller whose sales become licenses. */
export interface Connector {
  /** Its identifier. */
  readonly connectorId: string;
  /** The seller. */
  readonly source: ShopSource;
  /** Its name. */
  readonly name: string;
  /** Whose it is; null: the operator's. */
  readonly creatorId: string | null;
  /**
   * Which events it takes: those of real sales or those of tests. Licenses of a test last 14 days at most.
   */
  readonly mode: ConnectorMode;
  /**
   * `watching`: events are stored and can be previewed; `on`: they are applied; `paused`: they are stored
   * only.
   */
  readonly state: ConnectorState;
  /** Begins the purchaseIds of its sales. */
  readonly prefix: string;
  /** Address for the events of the seller; its path alone without LATCHKEY_PUBLIC_URL. */
  readonly url: string;
  readonly settings: ShopSettings;
  /** Which name of the seller's is which product; see /createConnector. */
  readonly mappings: readonly ShopMapping[];
  /** The last four characters of each live signing secret, the newest first. */
  readonly secretHints: readonly string[];
  /** The last four characters of the API key; null without one. */
  readonly sellerApiKeyHint: string | null;
  /** When an event arrived last. */
  readonly lastEventAt: string | null;
  /** Requests whose signature was not valid. */
  readonly rejected: number;
  /** When the last of them arrived. */
  readonly lastRejectedAt: string | null;
  /** Why it was rejected. */
  readonly lastRejection: string | null;
  /** When the events that did not arrive were read last; null before, and where that is not possible. */
  readonly caughtUpAt: string | null;
  /** Why they could not be read; null if they could. */
  readonly catchUpFailure: string | null;
  /** Number of its events by state, at most 10,000; states without events are left out. */
  readonly counts: Readonly<Record<string, number>>;
  /** What to set at the seller, in order. */
  readonly steps: readonly string[];
  /** When it was made. */
  readonly createdAt: string;
  /** When it was changed last. */
  readonly updatedAt: string;
}

export interface ListShopEventsRequest {
  /** Identifier of the connector. */
  readonly connectorId?: string;
  /** Only events in this state. */
  readonly state?: ShopEventState;
  /** Only events of this type of the seller's; with connectorId only. */
  readonly type?: string;
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey?: string;
  /** Only events about this id of the seller's. */
  readonly reference?: string;
  /** Only events that arrived at this time or later. */
  readonly since?: string;
  /** Events per answer; 100 by default. */
  readonly limit?: number;
  /** The nextCursor of the answer before. */
  readonly cursor?: string;
}

export type ShopEventState = 'watched' | 'received' | 'looking up' | 'held' | 'applied' | 'nothing new' | 'ignored' | 'attention' | 'dismissed';

export interface ListShopEventsReply {
  readonly success: true;
  readonly events: readonly ShopEvent[];
  /** Events in this answer. */
  readonly count: number;
  /** Present when there are more: the cursor of the next page. */
  readonly nextCursor?: string;
}

/** An event as a seller delivered it, and what came of it. */
export interface ShopEvent {
  /** Its identifier. */
  readonly eventId: string;
  /** The connector that received it. */
  readonly connectorId: string;
  /** The seller's identifier, or a digest where the seller gives none. */
  readonly sellerEventId: string;
  /** The seller's type, or `unreadable`. */
  readonly type: string;
  /** The seller's id of what it is about. */
  readonly subject: string | null;
  /** When it happened; null where the seller does not say. */
  readonly sourceAt: string | null;
  /** When it arrived. */
  readonly receivedAt: string;
  /**
   * `watched`: stored only; `received`, `looking up`, `held`: the service goes on by itself; `attention`: a
   * person decides; the others are final.
   */
  readonly state: ShopEventState;
  /** Why it needs attention or is ignored; null in other states. */
  readonly reason: string | null;
  /** The field that is not understood, or what failed. */
  readonly detail: string | null;
  /** Attempts that failed. */
  readonly attempts: number;
  /** When the service goes on with it; null unless it does. */
  readonly dueAt: string | null;
  /** What it did. */
  readonly outcome: readonly ({
    /** A license that it changed. */
    readonly licenseKey: string;
    /** What it did to the license. */
    readonly did: ShopDeed;
  })[];
  /** What /decideShopEvent can do about it. */
  readonly remedies: readonly string[];
}

export type ShopDeed = 'issued' | 'linked' | 'renewed' | 'shortened' | 'changed' | 'revoked' | 'reinstated' | 'noted' | 'readdressed';

export interface GetShopEventRequest {
  /** Identifier of the event. */
  readonly eventId: string;
}

export interface GetShopEventReply {
  readonly success: true;
  readonly event: ShopEvent;
  /** What the seller sent; null if it is no longer kept. */
  readonly body: string | null;
  /** What /decideShopEvent can do about it. */
  readonly remedies: readonly string[];
}

export interface PreviewShopEventRequest {
  /** Identifier of the event. */
  readonly eventId?: string;
  /** Identifier of the connector. */
  readonly connectorId?: string;
  /** Headers of the delivery, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of a delivery. */
  readonly body?: string;
}

export interface PreviewShopEventReply {
  readonly success: true;
  /** The state that the event would have. */
  readonly state: ShopEventState;
  /** Why it would need attention or be ignored. */
  readonly reason: string | null;
  /** What it tells, a sentence each. */
  readonly steps: readonly string[];
  /** The names that the seller gives to what was sold, for a mapping. */
  readonly names: readonly ({
    /** What the name is; see the mappings of /createConnector. */
    readonly match: ShopMatch;
    /** The name. */
    readonly id: string;
  })[];
  /** The licenses as they would be. */
  readonly changes: readonly ({
    /** The license; null for a new one, whose key is not made yet. */
    readonly licenseKey: string | null;
    /** What it would do to the license. */
    readonly did: ShopDeed;
    /** The product of the license. */
    readonly productId: string;
    /** The variant of the license. */
    readonly variant: string;
    /** The limit of the license; -1 is unlimited. */
    readonly maxMachines: number;
    /** The end of the license; null is perpetual. */
    readonly expiresAt: string | null;
    /**
     * Lengths of time that begin with the first activation: `days` and `months` of the license, `updatesDays`
     * and `updatesMonths` of its updates. Absent once they have begun.
     */
    readonly waiting?: {
      readonly days?: number;
      readonly months?: number;
      readonly updatesDays?: number;
      readonly updatesMonths?: number;
    };
    /** Whether the license is revoked then. */
    readonly isRevoked: boolean;
  })[];
  /** The e-mail with the keys; null without one. */
  readonly mail: {
    /** Address of the recipient. */
    readonly to: string;
    /** `keys`, `keys_added` or `payment_failed`. */
    readonly kind: string;
    /** Its language. */
    readonly language: string;
  } | null;
}

export interface DecideShopEventRequest {
  /** Identifier of the event. */
  readonly eventId: string;
  /** One of the remedies of the event. */
  readonly remedy: ShopRemedy;
}

export type ShopRemedy = 'dismiss' | 'replay' | 'issue' | 'issue_one' | 'issue_own_key' | 'revoke' | 'reinstate' | 'set_end';

export interface DecideShopEventReply {
  readonly success: true;
  readonly event: ShopEvent;
}

export interface UpdateConnectorRequest {
  /** Identifier of the connector. */
  readonly connectorId: string;
  /** Name of the connector, in lists and as the author of what it changes. */
  readonly name?: string;
  /**
   * `watching`: events are stored and can be previewed; `on`: they are applied; `paused`: they are stored
   * only.
   */
  readonly state?: ConnectorState;
  /** Signing secret that the seller shows. */
  readonly secret?: string;
  /** For how long the former signing secrets are taken as well; 24 by default. */
  readonly overlapHours?: number;
  /**
   * Key of the seller's API, with which sales are read that an event does not tell whole; the private key of
   * license requests at a seller that makes some.
   */
  readonly sellerApiKey?: string | null;
  readonly settings?: ShopSettings;
  /** Mappings to set. */
  readonly mappings?: readonly ShopMapping[];
  /** Mappings to remove, by `match` and `id`. */
  readonly removeMappings?: readonly ({
    readonly match: ShopMatch;
    /** The seller's name; none for `any`. */
    readonly id?: string;
  })[];
  /** Asks the seller at once for events that did not arrive; every hour the service does so by itself. */
  readonly catchUp?: boolean;
  /** Applies the watched events. The state must be `on`. */
  readonly applyWatched?: boolean;
}

export interface UpdateConnectorReply {
  readonly success: true;
  readonly connector: Connector;
}

export interface ReplayShopEventsRequest {
  /** Identifiers of events. */
  readonly eventIds?: readonly string[];
  /** Identifier of the connector. */
  readonly connectorId?: string;
  /** The state of the events of the connector. */
  readonly state?: ShopEventState;
}

export interface ReplayShopEventsReply {
  readonly success: true;
  /** Events that are applied within seconds. */
  readonly queued: number;
}

export interface DeleteConnectorRequest {
  /** Identifier of the connector. */
  readonly connectorId: string;
}

export interface DeleteConnectorReply {
  readonly success: true;
}

export interface SaveMailTemplateRequest {
  /** Whose: a creator's id. The operator's own without it. An API key reaches those of its creator only. */
  readonly creatorId?: string;
  /** For this product; for all of the owner without it. */
  readonly productId?: string;
  /**
   * `keys`: the keys of a sale; `keys_added`: the sale had an e-mail before and has further licenses;
   * `payment_failed`: a payment of a subscription failed.
   */
  readonly kind: SaleMailKind;
  /** Language of the e-mail. */
  readonly language: MailLanguage;
  /** Subject of the e-mail: one line, with the placeholders of the text except {keys}. */
  readonly subject: string;
  /**
   * The text, with the placeholders {product}, {variant}, {keys}, {expires}, {shop}, {support}. An empty line
   * separates paragraphs.
   */
  readonly text: string;
  /** `updatedAt` of the template that the caller saw; null: there was none. */
  readonly wasUpdatedAt?: string | null;
}

export type SaleMailKind = 'keys' | 'keys_added' | 'payment_failed';

export interface SaveMailTemplateReply {
  readonly success: true;
  readonly template: MailTemplate;
}

/** A vendor's own text of e-mails to buyers. */
export interface MailTemplate {
  /** The creator; null: the operator's. */
  readonly creatorId: string | null;
  /** The product; null: all products of the owner. */
  readonly productId: string | null;
  /**
   * `keys`: the keys of a sale; `keys_added`: the sale had an e-mail before and has further licenses;
   * `payment_failed`: a payment of a subscription failed.
   */
  readonly kind: SaleMailKind;
  /** Language of the e-mail. */
  readonly language: MailLanguage;
  /** The subject with its placeholders. */
  readonly subject: string;
  /** The text with its placeholders. */
  readonly text: string;
  /** When it was changed last. */
  readonly updatedAt: string;
}

export interface ListMailTemplatesRequest {
  /** Whose: a creator's id. The operator's own without it. An API key reaches those of its creator only. */
  readonly creatorId?: string;
}

export interface ListMailTemplatesReply {
  readonly success: true;
  readonly templates: readonly MailTemplate[];
  /** Templates in this answer. */
  readonly count: number;
}

export interface PreviewMailRequest {
  /** Whose: a creator's id. The operator's own without it. An API key reaches those of its creator only. */
  readonly creatorId?: string;
  /** For this product; for all of the owner without it. */
  readonly productId?: string;
  /**
   * `keys`: the keys of a sale; `keys_added`: the sale had an e-mail before and has further licenses;
   * `payment_failed`: a payment of a subscription failed.
   */
  readonly kind: SaleMailKind;
  /** Language of the e-mail. */
  readonly language: MailLanguage;
  /** Subject of the e-mail: one line, with the placeholders of the text except {keys}. */
  readonly subject?: string;
  /**
   * The text, with the placeholders {product}, {variant}, {keys}, {expires}, {shop}, {support}. An empty line
   * separates paragraphs.
   */
  readonly text?: string;
}

export interface PreviewMailReply {
  readonly success: true;
  /** Its subject. */
  readonly subject: string;
  /** Its plain text. */
  readonly text: string;
  /** Its HTML. */
  readonly html: string;
  /** The text that was filled in. */
  readonly template: {
    /** The subject with its placeholders. */
    readonly subject: string;
    /** The text with its placeholders. */
    readonly text: string;
  };
}

export interface DeleteMailTemplateRequest {
  /** Whose: a creator's id. The operator's own without it. An API key reaches those of its creator only. */
  readonly creatorId?: string;
  /** For this product; for all of the owner without it. */
  readonly productId?: string;
  /**
   * `keys`: the keys of a sale; `keys_added`: the sale had an e-mail before and has further licenses;
   * `payment_failed`: a payment of a subscription failed.
   */
  readonly kind: SaleMailKind;
  /** Language of the e-mail. */
  readonly language: MailLanguage;
  /** `updatedAt` of the template that the caller saw; null: there was none. */
  readonly wasUpdatedAt?: string | null;
}

export interface DeleteMailTemplateReply {
  readonly success: true;
}

export interface SendTestMailRequest {
  /** Address of the recipient. */
  readonly to: string;
  /** Whose: a creator's id. The operator's own without it. An API key reaches those of its creator only. */
  readonly creatorId?: string;
  /** For this product; for all of the owner without it. */
  readonly productId?: string;
  /**
   * `keys`: the keys of a sale; `keys_added`: the sale had an e-mail before and has further licenses;
   * `payment_failed`: a payment of a subscription failed.
   */
  readonly kind: SaleMailKind;
  /** Language of the e-mail. */
  readonly language: MailLanguage;
  /** Subject of the e-mail: one line, with the placeholders of the text except {keys}. */
  readonly subject?: string;
  /**
   * The text, with the placeholders {product}, {variant}, {keys}, {expires}, {shop}, {support}. An empty line
   * separates paragraphs.
   */
  readonly text?: string;
}

export interface SendTestMailReply {
  readonly success: true;
  /** Identifier of the e-mail in /listMails. */
  readonly mailId: string;
}

export interface ReplaceLicenseRequest {
  /** License key. Case, spaces and marks around it do not matter. */
  readonly licenseKey: string;
  /** Why, for the history of the license. */
  readonly reason?: string;
  /** Whether to e-mail the new key to the address of the license. */
  readonly mail?: boolean;
  /** Language of the e-mail; `en` by default. */
  readonly language?: MailLanguage;
}

export interface ReplaceLicenseReply {
  readonly success: true;
  /** The new key. */
  readonly licenseKey: string;
  /** The key in whose place it is. */
  readonly replacedKey: string;
  /** Present where an e-mail with the new key was queued. */
  readonly mailed?: boolean;
}

export interface TestOperatorMailRequest {
  /** One of the addresses of the operator; all of them by default. */
  readonly to?: string;
}

export interface TestOperatorMailReply {
  readonly success: true;
  /** Identifiers of the e-mails in /listMails, one for each address. */
  readonly mailIds: readonly string[];
}

export type WellKnownJwksJsonRequest = Readonly<Record<string, never>>;

export interface WellKnownJwksJsonReply {
  readonly keys: readonly ({
    readonly kty: 'OKP';
    readonly crv: 'Ed25519';
    /** The key, base64url. */
    readonly x: string;
    /** Names the key in the header of a file. */
    readonly kid: string;
    readonly alg: 'EdDSA';
    readonly use: 'sig';
  })[];
}

export type WellKnownLatchkeyKeysJsonRequest = Readonly<Record<string, never>>;

export interface WellKnownLatchkeyKeysJsonReply {
  /** The list of all keys as a JWS, once for each key that signs it. */
  readonly keys: readonly string[];
}

export type HealthzRequest = Readonly<Record<string, never>>;

export interface HealthzReply {
  readonly success: true;
  readonly status: 'ok';
}

export type ReadyzRequest = Readonly<Record<string, never>>;

export interface ReadyzReply {
  readonly success: true;
  readonly status: 'ready';
  /** Whether the last test write succeeded. Reads still work while it is false. */
  readonly writes: boolean;
}

/** Why a request was refused. */
export interface Error {
  readonly success: false;
  /** For people; the code is in the header. */
  readonly error: string;
}

/** Why /verify or /validate refused a request. */
export interface CheckError {
  readonly valid: false;
  /** For people; the code is in the header. */
  readonly error: string;
}

/** An event as destinations receive it, in a signed POST request. */
export interface OutboundEvent {
  /** Id of the event, the same in every attempt; also the header `webhook-id`. */
  readonly id: string;
  /** What happened. */
  readonly type: OutboundType;
  /** Time of the change. */
  readonly timestamp: string;
  readonly data: OutboundData;
}

/** The change, and its license. */
export interface OutboundData {
  /** True for an event of /testDestination. */
  readonly isTest?: boolean;
  /** True if `before` and `after` were left out, because the event was too long. */
  readonly isShortened?: boolean;
  /** Number of the change among all changes of its license, from 1 without gaps. */
  readonly number: number | null;
  /** Product that it is about. */
  readonly productId: string | null;
  /** Owner of the product when it happened. */
  readonly creatorId: string | null;
  /** The changed object if it is not the license or the product itself. */
  readonly subject: string | null;
  readonly actor: OutboundActor;
  /** The id of the request; null for commands and jobs. */
  readonly requestId: string | null;
  /** The changed fields with their former values; null if it was created. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** The changed fields with their new values; null if it was removed. */
  readonly after: Readonly<Record<string, unknown>> | null;
  /** The license of an event at the time of sending. */
  readonly license: OutboundLicense | null;
}

/** Who caused the change. */
export interface OutboundActor {
  /** The kind of caller. */
  readonly kind: ActorKind;
  /** The creator, or the name of the command or of the job. */
  readonly id: string | null;
  /** Name of the API key or of the person, for destinations with `includePersonalData`. */
  readonly keyName?: string | null;
}

/** The license of an event at the time of sending. */
export interface OutboundLicense {
  /** Number of its last change. Keep the license unless this is smaller than the number you have. */
  readonly number: number;
  /** Identifies the license, as `lic` does in session tokens and license files. */
  readonly ref: string;
  /** The last characters of its key. */
  readonly keyHint: string;
  /** Its key, for destinations with `includeLicenseKeys`. */
  readonly licenseKey?: string;
  /** Address of the customer, for destinations with `includePersonalData`. */
  readonly email?: string;
  /** Its product. */
  readonly productId: string;
  /** Its variant. */
  readonly variant: string;
  /** Type of the license. */
  readonly licenseType: LicenseType;
  /** Status at this moment. */
  readonly status: LicenseStatus;
  /** Limit of machines; -1 is unlimited. */
  readonly maxMachines: number;
  /** Limit of floating sessions; null for other licenses. */
  readonly maxConcurrent: number | null;
  /** Machines bound to it. */
  readonly machinesUsed: number;
  /** When it was issued. */
  readonly createdAt: string;
  /** When it was bought. */
  readonly purchasedAt: string;
  /** When it ends; null: never. */
  readonly expiresAt: string | null;
  /** The purchase in the storefront. */
  readonly purchaseId: string | null;
  /** The bundle that it was bought in. */
  readonly bundleId: string | null;
  /** 0 to 4: the highest severity of its open violations. */
  readonly threatLevel: number;
  /** `refund` or `chargeback`, if its purchase was disputed. */
  readonly disputeReason: string | null;
}
