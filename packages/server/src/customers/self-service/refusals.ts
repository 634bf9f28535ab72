/** Refusals of self-service: of the endpoints for shops, and of the pages at /my, which say them in four languages. */
import { type CodesOf, innerRefusals, refusal, refusals } from '../../platform/endpoint/refusals.ts';

/** Refusals of endpoints in the reference. */
export const selfServiceRefusals = refusals('self-service', {
  self_service_off: refusal(409, 'Self-service is off', {
    means: 'The pages for customers are off, so a link to them would lead nowhere.',
    remedy: 'Set `LATCHKEY_SELF_SERVICE` to `on` or `shops`.',
    console: ['The pages for customers are off.', 'The operator can set LATCHKEY_SELF_SERVICE.'],
  }),
  no_shop_named: refusal(409, 'The pages show licenses by shop only, and no creatorId is given', {
    means: '`LATCHKEY_SELF_SERVICE` is `shops`, and the license belongs to no creator.',
    remedy: 'Name the creator whose licenses the customer is to see.',
    console: ['The pages show licenses by shop only.', 'Name the creator whose licenses the customer is to see.'],
  }),
});

/** Refusals of the calls in shapes.ts. */
export const customerRefusals = innerRefusals({
  customer_not_signed_in: { status: 401, text: 'Not signed in' },
  /** `retryAfterSeconds`. */
  code_request_rate: { status: 429, text: 'Too many codes were asked for from this network' },
  code_requests_full: { status: 503, text: 'Too many codes are asked for at the moment' },
  /** Wrong, ended, used up, or of an unknown address. */
  code_not_accepted: { status: 403, text: 'The code is not accepted' },
  /** `retryAfterSeconds`. */
  wrong_code_rate: { status: 429, text: 'Too many wrong codes came from this network' },
  /** Unknown, ended or used. */
  link_not_accepted: { status: 403, text: 'The link is not accepted' },
  /** Not theirs, or not in this shop. */
  license_gone: { status: 404, text: 'License not found' },
  device_gone: { status: 404, text: 'The device holds no slot any more' },
  user_gone: { status: 404, text: 'The user holds no seat any more' },
  device_too_new: { status: 409, text: 'The device was bound less than an hour ago' },
  device_has_file: { status: 409, text: 'The device holds a file that has not expired' },
  /** Extra field `nextAt`. */
  release_budget_spent: { status: 409, text: 'No more devices may be freed for now' },
  releases_off: { status: 403, text: 'Customers free no devices here' },
  customer_files_off: { status: 403, text: 'Customers make no files here' },
  /** Unreadable, or of another license. */
  file_request_not_accepted: { status: 400, text: 'This is no request of an app for this license' },
  /** Extra field `nextAt`. */
  file_budget_spent: { status: 409, text: 'No more files may be made for now' },
  new_keys_off: { status: 403, text: 'Customers give no new keys here' },
  /** Extra field `nextAt`. */
  new_key_spent: { status: 409, text: 'The license got a new key lately' },
  /** `retryAfterSeconds`. */
  keys_mailed_lately: { status: 429, text: 'The keys were mailed already' },
  no_logo: { status: 404, text: 'No logo' },
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof selfServiceRefusals> {}
  interface InnerRefusals extends CodesOf<typeof customerRefusals> {}
}
