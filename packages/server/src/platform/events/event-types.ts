/** The closed list of event types, each with its meaning and an example of its changed fields, for the reference. */

/** The documentation of a type. */
interface EventTypeEntry {
  readonly meaning: string;
  readonly example: {
    readonly before: Readonly<Record<string, unknown>> | null;
    readonly after: Readonly<Record<string, unknown>> | null;
  };
}

export const EVENT_TYPES = {
  'license.created': {
    meaning: 'A license was issued: by an operator or creator, for a purchase, or for a trial code.',
    example: { before: null, after: { email: 'ada@example.com', productId: 'tapehead', maxMachines: 2 } },
  },
  'license.updated': {
    meaning: 'Fields of a license were changed.',
    example: { before: { maxMachines: 2 }, after: { maxMachines: 3 } },
  },
  'license.renewed': {
    meaning: 'A subscription was renewed and the license lasts longer.',
    example: {
      before: { expiresAt: '2027-03-04T00:00:00.000Z' },
      after: { expiresAt: '2027-04-04T00:00:00.000Z', durationDays: 31 },
    },
  },
  'license.expiring': {
    meaning:
      'A license expires soon: recorded some days before (`LATCHKEY_EXPIRY_NOTICES`) while a destination names this type.',
    example: { before: null, after: { expiresAt: '2027-03-08T09:28:00.000Z', daysRemaining: 7 } },
  },
  'license.expired': {
    meaning:
      'A license has expired, and its grace is over: recorded some minutes after while a destination names this type.',
    example: { before: { status: 'active' }, after: { status: 'expired', expiresAt: '2027-03-01T09:27:00.000Z' } },
  },
  'license.updates_expiring': {
    meaning:
      'The updates of an active license end soon: recorded some days before (`LATCHKEY_EXPIRY_NOTICES`) while a ' +
      'destination names this type.',
    example: { before: null, after: { updatesUntil: '2027-03-08T09:28:00.000Z', daysRemaining: 7 } },
  },
  'license.revoked': {
    meaning: 'A license was revoked; `reason` says why where a reason was given.',
    example: {
      before: { status: 'active', revocation: null, disputeReason: null },
      after: { status: 'revoked', revocation: 'refund', disputeReason: 'refund', reason: 'refund' },
    },
  },
  'license.replaced': {
    meaning:
      'A license got another key: recorded on the revoked license of the old key, which names `replacedBy`, and on that ' +
      'of the new key, which names `replaces` and all its fields. `text` is the reason.',
    example: {
      before: { status: 'active', revocation: null },
      after: {
        status: 'revoked',
        revocation: 'replaced',
        replacedBy: 'K7QWM…9X2HB',
        text: 'The key stood in a forum.',
      },
    },
  },
  'license.reinstated': {
    meaning: 'A revocation was lifted.',
    example: {
      before: { status: 'revoked', revocation: 'chargeback', disputeReason: 'chargeback' },
      after: { status: 'active', revocation: null, disputeReason: null },
    },
  },
  'license.activation_limit_lifted': {
    meaning: 'The activation attempts of the last hour were forgotten, so that the license may be activated at once.',
    example: { before: { attempts: 15 }, after: { attempts: 0 } },
  },
  'license.noted': {
    meaning:
      'An operator or creator wrote a note on a license, or the storefront reported a partial refund; or a note was ' +
      'imported, then `by` and `at` say who wrote it and when. ' +
      'Notes are kept for good, unless /deleteNote deletes one: its event stays without facts.',
    example: { before: null, after: { text: 'Bought a new laptop, the old one is gone.' } },
  },
  'license.note_deleted': {
    meaning: 'A note on a license was deleted; the subject is the id of its event.',
    example: { before: { by: 'operator', at: '2027-02-01T10:00:00.000Z' }, after: null },
  },
  'license.email_changed': {
    meaning:
      'A license got another e-mail address. Where its customer was forgotten, the former address is left out and the new ' +
      'one is a pseudonym.',
    example: { before: { email: 'ada@example.com' }, after: { email: 'ada@example.org' } },
  },
  'activation.created': {
    meaning: 'A machine was bound to a license.',
    example: { before: null, after: { fingerprint: 'a1b2', hostname: "Ada's laptop", country: 'DE' } },
  },
  'activation.deleted': {
    meaning:
      'A machine was unbound from a license: by the app itself, by an operator or creator, by its customer, or with the ' +
      'reason `idle`, to make room for another machine.',
    example: { before: { fingerprint: 'a1b2', hostname: "Ada's laptop" }, after: null },
  },
  'activation.moved': {
    meaning: 'A machine that was bound for one user was activated by another.',
    example: {
      before: { fingerprint: 'a1b2', user: 'ada@example.com' },
      after: { fingerprint: 'a1b2', user: 'bo@example.com' },
    },
  },
  'user.released': {
    meaning:
      'The seat of a user was freed and the machines of the user were unbound: by an operator or creator, or by the ' +
      'customer of the license.',
    example: { before: { user: 'ada@example.com', machines: 2 }, after: null },
  },
  'activations.reset': {
    meaning: 'All machines of a license were unbound at once.',
    example: { before: { machinesUsed: 2 }, after: { machinesUsed: 0 } },
  },
  'session.ended': {
    meaning: 'A floating session was ended by an operator or creator; its seat is free.',
    example: {
      before: { fingerprint: 'a1b2', sessionActive: true },
      after: { fingerprint: 'a1b2', sessionActive: false },
    },
  },
  'usage.limit_reached': {
    meaning: 'A license reached the limit of a meter, or was refused beyond it: recorded once for each period.',
    example: {
      before: null,
      after: { meter: 'exports', used: 1000, limit: 1000, resetsAt: '2027-04-01T00:00:00.000Z' },
    },
  },
  'usage.adjusted': {
    meaning: 'Staff corrected what a license used of a meter.',
    example: { before: { meter: 'exports', used: 1000 }, after: { meter: 'exports', used: 900 } },
  },
  'license_file.issued': {
    meaning:
      'A signed file was made for a machine without a connection, or for any machine, by an operator or creator, or by ' +
      'its customer. Files that apps fetch are not recorded.',
    example: {
      before: null,
      after: {
        fileId: 'lf_019ced3e-6a40-7000-8000-5a1b2c3d4e5f',
        fingerprint: 'a1b2',
        hostname: "Ada's laptop",
        expiresAt: '2028-01-01T00:00:00.000Z',
      },
    },
  },
  'customer_link.created': {
    meaning: 'A link was made with which the customer of a license signs in to the pages at /my once.',
    example: { before: null, after: { expiresAt: '2027-03-01T10:30:00.000Z', creatorId: null } },
  },
  'violation.opened': {
    meaning: 'Abuse was found or reported and is open.',
    example: { before: null, after: { type: 'machine_limit', severity: 1, threatLevel: 1 } },
  },
  'violation.raised': {
    meaning: 'An open violation became more severe.',
    example: { before: { severity: 1, threatLevel: 1 }, after: { severity: 2, threatLevel: 2 } },
  },
  'violation.resolved': {
    meaning: 'A violation was resolved.',
    example: {
      before: { type: 'machine_limit', severity: 1, resolvedAt: null },
      after: { resolvedAt: '2027-01-01T00:00:00.000Z' },
    },
  },
  'product.created': {
    meaning: 'A product was added to the catalogue.',
    example: { before: null, after: { name: 'Tapehead', creatorId: 'ada', status: 'live' } },
  },
  'product.updated': {
    meaning: 'Name, status or owner of a product were changed.',
    example: { before: { status: 'live' }, after: { status: 'archived' } },
  },
  'variant.created': {
    meaning: 'A variant was added to a product.',
    example: { before: null, after: { name: 'indie', licenseType: 'per-machine', maxMachines: 2 } },
  },
  'variant.updated': {
    meaning: 'A variant was changed, or replaced as a whole.',
    example: { before: { price: 1900 }, after: { price: 2900 } },
  },
  'discount_code.created': {
    meaning: 'A discount code was made.',
    example: { before: null, after: { code: 'SPRING', trialDays: 14, maxUses: 100 } },
  },
  'discount_code.updated': {
    meaning: 'A discount code was changed.',
    example: { before: { active: true }, after: { active: false } },
  },
  'discount_code.redeemed': {
    meaning: 'A discount code was redeemed for a license.',
    example: { before: { usedCount: 3 }, after: { usedCount: 4 } },
  },
  'discount_code.deleted': {
    meaning: 'A discount code was deleted with the memory of its redemptions.',
    example: { before: { code: 'SPRING', trialDays: 14 }, after: null },
  },
  'api_key.created': {
    meaning: 'An API key was made for a creator.',
    example: { before: null, after: { name: 'shop', creatorId: 'ada' } },
  },
  'api_key.revoked': {
    meaning: 'API keys were revoked: one, or all of a creator, then with their number.',
    example: { before: { active: true }, after: { active: false, creatorId: 'ada', revoked: 2 } },
  },
  'operator_key.created': {
    meaning: "A key was made for one of the operator's people.",
    example: { before: null, after: { name: 'Bea', role: 'support' } },
  },
  'operator_key.revoked': {
    meaning: "A key of one of the operator's people was revoked; its console sessions are over.",
    example: { before: { name: 'Bea', active: true }, after: { name: 'Bea', active: false } },
  },
  'token_key.dropped': {
    meaning:
      'A key of session tokens was dropped: its tokens are refused, and apps activate again; or the last of them had expired.',
    example: { before: { keyId: '8sC1vN2bQpXw0aZk' }, after: null },
  },
  'console_session.created': {
    meaning:
      'Somebody signed in to the console. Sign-ins with one key within an hour share an event, with their `count` and the time of the last.',
    example: { before: null, after: { kind: 'operator', role: 'support', name: 'Bea' } },
  },
  'console_session.ended': {
    meaning:
      'A console session was ended: by signing out, by somebody else, or by a sign-in that took its place; the latter share an event as sign-ins do.',
    example: { before: { kind: 'operator', role: 'support', name: 'Bea' }, after: null },
  },
  'console_session.refused': {
    meaning:
      'An account of the identity provider has no rights in the console. Refusals of one within an hour share an event.',
    example: { before: null, after: { name: 'Eve (eve@example.com)', reason: 'not_mapped' } },
  },
  'studio_order.created': {
    meaning: 'A studio order was made with its seats.',
    example: { before: null, after: { courseId: 'c-1', seatCount: 10, buyerEmail: 'studio@example.com' } },
  },
  'studio_seat.redeemed': {
    meaning: 'A seat of a studio order was redeemed.',
    example: { before: { redeemedCount: 3 }, after: { redeemedCount: 4, seatNumber: 4, redeemedBy: 'bo@example.com' } },
  },
  'brand.updated': {
    meaning: "The brand of the pages for customers was changed: the operator's, or that of a creator's shop.",
    example: { before: { accent: '#000000' }, after: { accent: '#1a5fb4' } },
  },
  'mail_template.saved': {
    meaning: 'A text of e-mails to buyers was made or changed.',
    example: {
      before: null,
      after: { kind: 'keys', language: 'en', productId: 'paint', subject: 'Your key', text: '{keys}' },
    },
  },
  'mail_template.deleted': {
    meaning: 'A text of e-mails to buyers was deleted.',
    example: {
      before: { kind: 'keys', language: 'en', productId: 'paint', subject: 'Your key', text: '{keys}' },
      after: null,
    },
  },
  'reply_template.saved': {
    meaning: 'A reply template was made or changed.',
    example: { before: null, after: { name: 'Paid back', verdict: 'refunded', text: 'Hello' } },
  },
  'reply_template.deleted': {
    meaning: 'A reply template was deleted.',
    example: { before: { name: 'Paid back', verdict: 'refunded', text: 'Hello' }, after: null },
  },
  'destination.created': {
    meaning: 'A destination of events was made. Of its address only the origin is recorded.',
    example: {
      before: null,
      after: { origin: 'https://shop.example.com', types: ['license.*'], state: 'active' },
    },
  },
  'destination.updated': {
    meaning: 'A destination of events was changed.',
    example: { before: { types: ['license.*'] }, after: { types: ['*'] } },
  },
  'destination.secret_rotated': {
    meaning: 'A destination got another secret; the former one signs as well until `previousEndsAt`.',
    example: { before: { previousEndsAt: null }, after: { previousEndsAt: '2027-01-02T00:00:00.000Z' } },
  },
  'destination.paused': {
    meaning: 'Nothing is sent to a destination until it is resumed: somebody paused it, or it came from a copy.',
    example: { before: { state: 'active', reason: null }, after: { state: 'paused', reason: 'by_person' } },
  },
  'destination.resumed': {
    meaning: 'Events are sent to a destination again.',
    example: { before: { state: 'paused', reason: 'by_person' }, after: { state: 'active', reason: null } },
  },
  'destination.failing': {
    meaning: 'Nothing that was sent to a destination has succeeded since `failingSince`.',
    example: {
      before: null,
      after: { origin: 'https://shop.example.com', failingSince: '2027-01-01T00:00:00.000Z' },
    },
  },
  'destination.disabled': {
    meaning:
      'The service sends nothing more to a destination until it is resumed: its receiver answered 410 (`gone`), or ' +
      'nothing succeeded for five days (`gave_up`).',
    example: { before: { state: 'active', reason: null }, after: { state: 'disabled', reason: 'gave_up' } },
  },
  'destination.deleted': {
    meaning: 'A destination of events was deleted, and with it what waited for it.',
    example: {
      before: { origin: 'https://shop.example.com', types: ['license.*'], state: 'active' },
      after: null,
    },
  },
  'connector.created': {
    meaning: 'A connector of a shop was made. Of its secrets only the last four characters are recorded.',
    example: {
      before: null,
      after: { source: 'stripe', name: 'Shop', mode: 'live', state: 'watching', prefix: 'stripe' },
    },
  },
  'connector.updated': {
    meaning: 'A connector of a shop was changed: its state, settings, mappings or secrets.',
    example: { before: { state: 'watching' }, after: { state: 'on' } },
  },
  'connector.deleted': {
    meaning: 'A connector of a shop was deleted.',
    example: {
      before: { source: 'stripe', name: 'Shop', mode: 'live', state: 'paused', prefix: 'stripe' },
      after: null,
    },
  },
  'customer.forgotten': {
    meaning: 'A pseudonym replaced an e-mail address everywhere; states the number of places by kind.',
    example: {
      before: null,
      after: { pseudonym: 'forgotten-k7qwm2mnpr9xhtbv@invalid', licenses: 2, events: 5, machines: 3, redemptions: 1 },
    },
  },
} as const satisfies Record<string, EventTypeEntry>;

/** The type of an event. */
export type EventType = keyof typeof EVENT_TYPES;

/** All types, in the order of the list. */
export const eventTypes = Object.keys(EVENT_TYPES) as readonly EventType[];
