/**
 * Fields and replies of the calls that the pages at /my make (rules 13). A page never gets a secret: it makes cookies
 * itself and passes their hashes (SHA-256, base64url).
 */
import Type from 'typebox';
import { MAX_REQUEST_CHARACTERS } from '../../licensing/license-files/file-request.ts';
import { LICENSE_STATUSES } from '../../licensing/licenses/license.ts';
import { KEPT_REFUSAL_CODES } from '../../licensing/observed-calls/kept-refusal.ts';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { email, nullable, oneOf, text } from '../../platform/endpoint/field-types.ts';
import type { Actor } from '../../platform/events/event.ts';
import { LONGEST_PROOF } from './known-browser.ts';

/** The languages of pages and e-mails. */
export const LANGUAGES = ['en', 'de', 'fr', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Longest name of a shop, which is the id of a creator. */
const LONGEST_SHOP = 255;
const SHA256_LENGTH = 43;
const REF_LENGTH = 22;

const hashOf = (what: string) =>
  Type.String({
    description: `The SHA-256 of ${what}, in base64url.`,
    pattern: `^[A-Za-z0-9_-]{${SHA256_LENGTH}}$`,
    errorText: 'must be a SHA-256 in base64url',
  });
const refOf = (what: string) =>
  Type.String({
    description: `${what}: 22 characters that say nothing about it.`,
    pattern: `^[A-Za-z0-9_-]{${REF_LENGTH}}$`,
    errorText: 'must be 22 characters',
  });
const session = hashOf('the session cookie');
const browser = hashOf('the cookie of the browser that asked for a code');
const newSession = hashOf('the cookie that the new session gets');
const shop = Type.Optional(text('The id of a creator. The pages show its brand and its licenses only.', LONGEST_SHOP));
const license = refOf('A license');
const device = refOf('A device');
const user = refOf('A user');
const moment = (description: string) => Type.String({ description });
const done = Type.Object({});
const endsAt = moment('The latest end of the session.');
const signedIn = Type.Object({ endsAt });

/** The effect of freeing a device now. */
export const RELEASES = ['free', 'counts', 'too_new', 'has_file', 'spent', 'off'] as const;
export type ReleaseKind = (typeof RELEASES)[number];

export const licenseCardSchema = Type.Object({
  ref: license,
  licenseKey: Type.String({ description: 'In the form in which it was issued.' }),
  productName: Type.String({ description: 'The id of the product where the catalogue has no name.' }),
  variantName: nullable(Type.String()),
  status: oneOf('At this moment.', LICENSE_STATUSES),
  boughtAt: moment('When it was bought, or made.'),
  isBought: Type.Boolean({ description: 'A purchase made it.' }),
  isTrial: Type.Boolean({ description: 'A trial code gave it, and no purchase followed.' }),
  expiresAt: nullable(moment('Null: never, or not known yet.')),
  beginsLater: Type.Boolean({ description: 'Its time begins with the first computer.' }),
  graceUntil: nullable(moment('Until when the expired license is active; null before its expiry, and without grace.')),
  updatesUntil: nullable(moment('Until when new versions are covered; null: all.')),
  floating: Type.Boolean({ description: 'Slots are sessions at the same time, not computers.' }),
  used: Type.Integer({ description: 'Slots taken.' }),
  places: nullable(Type.Integer({ description: 'Slots, which the pages call places. Null: unlimited.' })),
  links: Type.Object({
    download: nullable(Type.String()),
    renew: nullable(Type.String()),
    receipt: nullable(Type.String()),
  }),
});
export type LicenseCard = ReplyOf<typeof licenseCardSchema>;

export const usageSchema = Type.Object({
  meter: Type.String({ description: 'Its name, as the vendor chose it.' }),
  used: Type.Integer({ description: 'Units used in the present period.' }),
  limit: nullable(Type.Integer({ description: 'Units of a period; null without a limit.' })),
  resetsAt: nullable(moment('When the next period begins.')),
});
/** The usage of one meter of a license. */
export type Usage = ReplyOf<typeof usageSchema>;

export const deviceSchema = Type.Object({
  ref: device,
  name: Type.String(),
  firstSeenAt: moment('When it was bound.'),
  lastSeenAt: moment('Its last sign of life.'),
  country: nullable(Type.String({ description: 'Two letters.' })),
  running: Type.Boolean({
    description:
      'It has a live session, or gave a sign of life within the last hour. Making its file is no sign of life, and a ' +
      'session that only the file keeps does not count.',
  }),
  fileUntil: nullable(
    moment('The end of its file for work without a connection; null without one, and for a file without an end.'),
  ),
  release: oneOf('What freeing it would do.', RELEASES),
});
export type Device = ReplyOf<typeof deviceSchema>;

export const seatHolderSchema = Type.Object({
  ref: user,
  name: Type.String(),
  machines: Type.Integer(),
  lastSeenAt: moment('The last sign of life of a machine of the user.'),
  release: oneOf('What releasing the user would do.', RELEASES),
});
export type SeatHolder = ReplyOf<typeof seatHolderSchema>;

export const budgetSchema = Type.Object({
  of: Type.Integer({ description: 'Devices that may be freed within 30 days; 0 if freeing is off.' }),
  left: Type.Integer(),
  nextAt: nullable(moment('When one more may be freed; null while any is left, and if freeing is off.')),
});

/** Whether a customer may give a license a new key now. */
export const NEW_KEYS = ['off', 'possible', 'spent'] as const;

export const newKeySchema = Type.Object({
  may: oneOf('`off`: its shop does not allow it, or it is not active. `spent`: it got one lately.', NEW_KEYS),
  nextAt: nullable(moment('When it may get another one; null unless `spent`.')),
});
/** The new key that a customer may give a license. */
export type NewKey = ReplyOf<typeof newKeySchema>;

export const shownRefusalSchema = Type.Object({
  at: moment('The last time within the hour.'),
  device: nullable(Type.String({ description: 'Its name, where known.' })),
  code: oneOf('The code of the refusal.', KEPT_REFUSAL_CODES),
  details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
  wouldWorkNow: Type.Boolean({ description: 'Whether the same device would be let in at this moment.' }),
});
export type ShownRefusal = ReplyOf<typeof shownRefusalSchema>;

/** The author of a customer's changes on the pages. */
export const CUSTOMER = { kind: 'customer' } as const satisfies Actor;

const fileFields = Type.Object({
  session,
  license,
  request: text('The LATCHKEY REQUEST that the app wrote.', MAX_REQUEST_CHARACTERS),
});

/** The fields of a request for a file. */
export type FileFields = ReplyOf<typeof fileFields>;

/** Every call of the pages, by name. */
export const CUSTOMER_CALLS = {
  /**
   * Writes one row for any address, so that the reply tells nothing: the mail job decides whether an e-mail is sent.
   */
  askForCode: {
    fields: Type.Object({
      email: email('As typed.'),
      shop,
      language: oneOf('Of the e-mail.', LANGUAGES),
      browser,
      known: Type.Optional(text('The proof that the browser signed in before.', LONGEST_PROOF)),
    }),
    reply: done,
  },
  enterCode: {
    fields: Type.Object({ browser, code: text('As typed: case, blanks and dashes do not matter.', 40), newSession }),
    reply: Type.Object({
      endsAt,
      known: Type.String({ description: 'A proof that the browser signed in, for its later requests for a code.' }),
    }),
  },
  enterLink: {
    fields: Type.Object({ link: hashOf('the code of the link'), newSession }),
    reply: signedIn,
  },
  listMyLicenses: {
    fields: Type.Object({ session, cursor: Type.Optional(text('nextCursor of the page before.')) }),
    reply: Type.Object({
      email: Type.String({ description: 'The address that is signed in, case-folded.' }),
      shop: nullable(Type.String()),
      licenses: Type.Array(licenseCardSchema, { description: 'At most 50, the newest first.' }),
      nextCursor: nullable(Type.String()),
    }),
  },
  getMyLicense: {
    fields: Type.Object({ session, license }),
    reply: Type.Object({
      email: Type.String(),
      shop: nullable(Type.String()),
      license: licenseCardSchema,
      usage: Type.Array(usageSchema, { description: 'One for each meter, by name; none of a revoked license.' }),
      devices: Type.Array(deviceSchema, { description: 'At most 200; none of a revoked license.' }),
      moreDevices: Type.Boolean(),
      users: Type.Array(seatHolderSchema, { description: 'At most 200; none of a license without named users.' }),
      budget: budgetSchema,
      refusals: Type.Array(shownRefusalSchema, { description: 'At most five, the newest first.' }),
      newKey: newKeySchema,
      files: Type.Boolean({ description: 'Whether the customer may make a file for a computer without a connection.' }),
    }),
  },
  releaseMyDevice: {
    fields: Type.Object({ session, license, device }),
    reply: Type.Object({ name: Type.String({ description: 'The name of the device that was freed.' }) }),
  },
  releaseMyUser: {
    fields: Type.Object({ session, license, user }),
    reply: Type.Object({ name: Type.String({ description: 'The name of the user who was released.' }) }),
  },
  replaceMyKey: {
    fields: Type.Object({ session, license, language: oneOf('Of the e-mail.', LANGUAGES) }),
    reply: Type.Object({
      ref: refOf('The license with the new key'),
      mailed: Type.Boolean({ description: 'Whether an e-mail with the new key was queued.' }),
    }),
  },
  mailMyKeys: {
    fields: Type.Object({ session, language: oneOf('Of the e-mail.', LANGUAGES) }),
    reply: done,
  },
  /** Makes nothing. The answer holds the effects of a file, which the customer confirms. */
  askForMyFile: {
    fields: fileFields,
    reply: Type.Object({
      deviceName: Type.String(),
      expiresAt: nullable(moment('Of the file that would be made now. Null: never.')),
      takesPlace: Type.Boolean({ description: 'False if the device holds a slot already.' }),
      counts: Type.Boolean({ description: 'False if the device has a file of the last 365 days already.' }),
      of: Type.Integer({ description: 'Files within 365 days.' }),
      left: Type.Integer(),
    }),
  },
  makeMyFile: {
    fields: fileFields,
    reply: Type.Object({ file: Type.String(), deviceName: Type.String(), expiresAt: nullable(moment('Null: never.')) }),
  },
  signOutCustomer: { fields: Type.Object({ session }), reply: done },
  showShop: {
    fields: Type.Object({ shop }),
    reply: Type.Object({
      name: Type.String({ description: 'Of the shop, else of the operator, else Latchkey.' }),
      supportAddress: nullable(Type.String()),
      supportUrl: nullable(Type.String()),
      accent: nullable(Type.String({ description: '`#rrggbb`.' })),
      logo: Type.Boolean(),
      signIn: oneOf('Codes need SMTP; links do not.', ['code', 'link']),
      hasForm: Type.Boolean({ description: 'False if licenses are shown by shop only and none is named.' }),
    }),
  },
  showLogo: {
    fields: Type.Object({ shop }),
    reply: Type.Object({
      type: Type.String({ description: 'Its media type.' }),
      data: Type.String({ description: 'Base64.' }),
    }),
  },
} as const;

export type CustomerCallName = keyof typeof CUSTOMER_CALLS;
/** The reply of a call. */
export type CustomerReply<Name extends CustomerCallName> = ReplyOf<(typeof CUSTOMER_CALLS)[Name]['reply']>;
