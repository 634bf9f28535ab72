/** Refusals about a license, its machines and their tokens. */
import { type CodesOf, NOT_YOURS, refusal, refusals } from '../../platform/endpoint/refusals.ts';

const CLIENT_ONLY = 'Only apps should get this answer, not the console.';

export const licenseRefusals = refusals('licenses', {
  license_not_found: refusal(404, 'License not found', {
    means: 'No license has this key; for an API key, no license of its creator.',
    remedy: 'Look for a typing mistake. Support finds licenses by e-mail address with /listLicenses.',
    app: 'Asks again for a key that the user enters. Keeps running with a key that was accepted before.',
    console: ['There is no such license.', NOT_YOURS],
  }),
  license_revoked: refusal(403, 'License has been revoked', {
    means: 'The license was revoked: by an operator, or after a refund, a chargeback or fraud.',
    remedy: 'Read the reason in /getLicense; /reinstateLicense lifts the revocation.',
    app: 'Locks, and tells the user to write to support.',
    console: ['The license is revoked.', 'Reinstate it first.'],
  }),
  license_replaced: refusal(403, 'License was replaced by another key', {
    means: 'The license has another key by now, which its customer got; this key is good for nothing.',
    remedy: 'Give the customer the new key: `replacedBy` in /getLicense, or /mailLicense of the new license.',
    app: 'Asks for the new key. With a token from before, it calls /validate with `acceptsReplacement` first.',
    console: ['The license has another key by now.', 'Look at the license that replaces it.'],
  }),
  license_already_replaced: refusal(409, 'License was replaced by another key already', {
    means: 'The license has another key by now, named in `replacedBy`; only that one can be changed.',
    remedy: 'Call the endpoint with the key in `replacedBy`.',
    console: ['The license has another key by now.', 'Change the license that replaces it. Nothing was changed.'],
  }),
  revoked_not_replaceable: refusal(409, 'License is revoked, so its key cannot be replaced', {
    means: 'The license is revoked: a new key would work no better.',
    remedy: 'Lift the revocation with /reinstateLicense first, if the customer is to have the license.',
    console: ['The license is revoked.', 'Reinstate it first. Nothing was changed.'],
  }),
  license_expired: refusal(403, 'License has expired', {
    means: 'The license has expired and was not renewed.',
    remedy: 'A renewal or /updateLicense extends it; the same key then works again at once.',
    app: 'Locks, or runs without its licensed functions, and offers renewal. Keeps the key.',
    console: ['The license has expired.', 'Extend it first.'],
  }),
  wrong_product: refusal(403, 'License is for a different product', {
    means: 'The license is for another product.',
    remedy: 'Compare the `productId` in the program with the product of the license.',
    app: 'Reports that the key is for another product, and asks for another key.',
    console: ['The license is for a different product.', 'Look for the license of this product.'],
  }),
  update_not_covered: refusal(403, 'License does not cover this version', {
    means: 'The build is newer than `updatesUntil` of the license, or its version is above `maxVersion`.',
    remedy: 'Extend the updates with /updateLicense or a renewal; older builds run on.',
    app: 'Offers the renewal of updates and the newest covered build. Keeps the key, and never deletes a license file.',
    console: ['The license does not cover this version.', 'Extend its updates.'],
  }),
  meter_not_found: refusal(404, 'Meter not found', {
    means: 'The variant of the license has no meter of this name.',
    remedy: 'Compare the `meter` in the program with the `meters` of the variant.',
    app: 'Leaves the function off, and reports the error: the name in the app is wrong.',
    console: ['The license has no such meter.', 'Look at the meters of its variant.'],
  }),
  meter_limit: refusal(403, 'Usage limit reached', {
    means: 'The use does not fit into the limit of the meter for this period; nothing was counted.',
    remedy: 'Wait for `resetsAt`, raise the limit with /updateLicense, or correct the use with /adjustUsage.',
    app: 'Leaves the function off until `resetsAt`, and offers a larger edition. Everything else runs on.',
    console: ['The limit of the meter is reached.', 'Raise it, or wait for the next period.'],
  }),
  request_id_reused: refusal(422, 'requestId was used for other units', {
    means: 'The license counted this `requestId` within 48 hours, for another meter or other units.',
    remedy: 'Make an id for each use, and repeat a call with the same fields.',
    app: 'Reports the error: each use needs an id of its own.',
    console: ['This requestId was used before.', 'Only apps should get this answer, not the console.'],
  }),
  feature_missing: refusal(403, 'License does not include this feature', {
    means: 'The call asked for features, and the license lacks those in `missing`.',
    remedy: 'Give the license or its variant the feature, or sell another edition.',
    app: 'Leaves the function off, and offers the edition that has it. Everything else runs on.',
    console: ['The license does not include this feature.', 'Give the license or its variant the feature.'],
  }),
  machine_limit: refusal(403, 'Machine limit reached ({limit}). Deactivate another machine first.', {
    means: 'Every slot is taken: machines of a per-machine license, sessions of a floating one.',
    remedy:
      'Free one (/deactivate, /releaseActivation, /endSession, /resetActivations), or raise the limit with /updateLicense.',
    app: 'Tells the user to deactivate another machine or close the program there, and lets them try again.',
    console: ['All machines of the license are in use.', 'Free one, or allow more.'],
  }),
  user_required: refusal(400, 'User required', {
    means: 'The license has named users, and the call names none: `user` is missing, or the machine has no user yet.',
    remedy: 'Let the app send the signed-in person as `user`, or clear `maxUsers` with /updateLicense.',
    app: 'Asks who uses it, and calls /activate again with `user`.',
    console: ['The license has named users, and the call names none.', CLIENT_ONLY],
  }),
  user_limit: refusal(403, 'User limit reached ({limit})', {
    means: 'Every seat of the license is held by another user.',
    remedy: 'Release a user who left with /releaseUser, or raise `maxUsers` with /updateLicense.',
    app: 'Tells the user to ask the owner of the license for a seat, and lets them try again.',
    console: ['Every seat of the license is taken.', 'Release a user, or allow more.'],
  }),
  user_not_found: refusal(404, 'User not found', {
    means: 'Nobody of this name holds a seat of the license.',
    remedy: 'Take the name from /listUsers; case does not matter.',
    console: ['There is no such user on this license.', 'The user may have been released already.'],
  }),
  machine_not_activated: refusal(403, 'Machine not activated', {
    means: 'The machine is not bound to the license, or its floating session is over and no slot is free.',
    remedy: 'Activate the machine.',
    app: 'Calls /activate once by itself. Asks the user if that is refused.',
    console: ['This machine is not bound to the license.', 'It may have been removed already.'],
  }),
  machine_not_found: refusal(404, 'Machine not activated', { code: 'machine_not_activated' }),
  no_live_session: refusal(409, 'Machine has no live session', {
    means: 'There is nothing to end: the license is not floating, or the session of the machine is over.',
    remedy: 'Look at `sessionActive` in /getLicense. /releaseActivation unbinds a machine with or without a session.',
    console: ['This machine has no session at the moment.', 'It may have ended already.'],
  }),
  note_not_found: refusal(404, 'Note not found', {
    means: 'The license has no note with this id, or it was deleted; for a creator, also if another wrote it.',
    remedy: 'Take the id of the note from /addNote or from the history of the license.',
    console: ['There is no such note.', 'It may have been deleted already, or another wrote it.'],
  }),
  activation_rate: refusal(429, 'Too many activation attempts. Try again later.', {
    means: 'More than 15 attempts to activate this license within an hour.',
    remedy: 'Wait for `Retry-After`, or use /liftActivationLimit.',
    app: 'Does not lock active machines. Retries after `Retry-After`, not before.',
    console: ['The license was activated too often within an hour.', 'Lift the limit, or wait.'],
  }),
  invalid_token: refusal(401, 'Invalid or expired token', {
    means: 'The session token is malformed or expired, or its activation has ended.',
    remedy: 'Activate again: a machine that is already bound takes no further slot.',
    app: 'Calls /activate once by itself, and stores the new token.',
    console: ['The token is not good.', CLIENT_ONLY],
  }),
  token_mismatch: refusal(401, 'Token mismatch', {
    means: 'The token belongs to another license key or another machine; the service records a violation.',
    remedy: 'Check whether the token was copied between machines, for example with a disk image.',
    app: 'Deletes the token and calls /activate once by itself.',
    console: ['The token belongs to another machine.', CLIENT_ONLY],
  }),
  invalid_heartbeat_token: refusal(401, 'Invalid token', { code: 'invalid_token' }),
  chargeback_revocation: refusal(409, 'License was revoked by a chargeback. Only /reinstateLicense undoes it.', {
    means: 'Only /reinstateLicense lifts a revocation by a chargeback.',
    remedy: 'Call /reinstateLicense if the license should work again.',
    console: ['A chargeback revoked this license.', 'Only "Reinstate" undoes that. Nothing was changed.'],
  }),
  violation_not_found: refusal(404, 'Violation not found', {
    means: 'One of the `violationIds` belongs to another license; nothing was changed.',
    remedy: 'Take the ids from /getLicense.',
    console: ['There is no such violation on this license.', 'It may have been resolved already.'],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof licenseRefusals> {}
}
