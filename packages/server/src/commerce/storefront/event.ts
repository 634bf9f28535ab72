/** Events reported by the storefront (rules 4.8.1, 6). */
import Type, { type Static } from 'typebox';
import { metadataField } from '../../licensing/licenses/metadata.ts';
import { ownFeaturesField } from '../../licensing/products/features.ts';
import { LICENSE_TYPES } from '../../licensing/products/license-type.ts';
import { ownMetersField } from '../../licensing/products/meters.ts';
import { durationStartsField, termFields } from '../../licensing/products/terms.ts';
import {
  email,
  endTimestamp,
  flag,
  machineLimit,
  oneOf,
  productIdField,
  text,
  wholeNumber,
} from '../../platform/endpoint/field-types.ts';
import { MAIL_LANGUAGES } from '../../platform/endpoint/mail-kind.ts';

export const EVENT_TYPES = [
  'purchase.completed',
  'purchase.refunded',
  'purchase.disputed',
  'purchase.dispute_won',
  'subscription.renewed',
  'subscription.updated',
  'subscription.cancelled',
  'subscription.payment_failed',
  'customer.updated',
] as const;

/** The most copies of a product in one line of an order. */
export const MAX_QUANTITY = 1000;

/** The fields of an event of any type. */
export const eventFields = Type.Object({
  type: oneOf('What happened.', EVENT_TYPES, 'StorefrontEventType'),
  email: email('Purchaser or subscriber; compared without case. customer.updated: the former address.'),
  newEmail: Type.Optional(email('customer.updated: the address from now on.')),
  productId: productIdField,
  variant: Type.Optional(text('Variant name; `indie` for a new license by default.')),
  purchaseId: Type.Optional(text("The storefront's transaction, which identifies the deliveries of one purchase.")),
  lineId: Type.Optional(
    text(
      "The storefront's line of the order: with it a sale is known by purchaseId and lineId, so that an order has " +
        'several. Later events about the line name it, too.',
    ),
  ),
  subscriptionId: Type.Optional(
    text(
      'The subscription that pays for the purchase. A later event with it finds the licenses that were bought with it, ' +
        'and no others.',
    ),
  ),
  eventId: Type.Optional(
    text(
      "The storefront's own id of this event. Later deliveries with the id of an applied event of this type have no effect.",
    ),
  ),
  licenseType: Type.Optional(oneOf('For a new license; that of the variant by default.', LICENSE_TYPES)),
  maxMachines: Type.Optional(machineLimit('For a new license; that of the variant by default. -1 is unlimited.')),
  discountCode: Type.Optional(text('Code applied to the purchase.')),
  trialDays: Type.Optional(wholeNumber('Length of a trial.', 1)),
  durationDays: Type.Optional(wholeNumber('Length of a subscription period.', 1)),
  durationMonths: Type.Optional({
    ...termFields.durationMonths,
    description: 'Length of a subscription period in months of the calendar; not with durationDays.',
  }),
  expiresAt: Type.Optional(
    endTimestamp(
      "The shop's own end of the paid period, in place of a length. A renewal never shortens a license; " +
        'subscription.updated may. A day without a time is its end in UTC.',
    ),
  ),
  durationStarts: Type.Optional({
    ...durationStartsField,
    description:
      'For a new license; that of the variant by default. When its time begins: with its `issue`, or with its first ' +
      '`activation`.',
  }),
  graceDays: Type.Optional({
    ...termFields.graceDays,
    description: 'For a new license; that of the variant by default. Days after expiresAt in which it stays active.',
  }),
  updatesDays: Type.Optional({
    ...termFields.updatesDays,
    description: 'subscription.renewed: days by which the covered builds move, if they have an end.',
  }),
  features: Type.Optional(
    ownFeaturesField(
      'For a new license, or with subscription.updated: its own features, laid over those of the variant.',
    ),
  ),
  meters: Type.Optional(
    ownMetersField(
      'For a new license, or with subscription.updated: its own limits, laid over those of the variant: names of its ' +
        'meters to `{"limit": …}`.',
    ),
  ),
  unlockedProducts: Type.Optional({
    ...termFields.unlockedProducts,
    description: 'For a new license: further products that it opens; those of the variant by default.',
  }),
  metadata: Type.Optional(metadataField("For a new license: the vendor's own facts, at most 50 names to texts.")),
  maxConcurrent: Type.Optional(wholeNumber('For a new license: floating sessions at once.', 1)),
  amount: Type.Optional(
    Type.Number({
      description:
        "Transaction amount as the shop counts it, best in the currency's smallest unit, as the price of a variant: 4900 for " +
        '49.00 euros. Stored and shown with `currency` exactly as sent; may be negative for a refund.',
      minimum: -1e15,
      maximum: 1e15,
      errorText: 'must be a number from -1e15 to 1e15',
    }),
  ),
  currency: Type.Optional(text('ISO 4217 code, stored for reference.')),
  quantity: Type.Optional(
    wholeNumber(
      'purchase.completed: copies bought; so many licenses, or one whose limits are multiplied, as the variant says. ' +
        'purchase.refunded: copies given back; all by default. subscription.updated: copies from now on.',
      1,
      MAX_QUANTITY,
    ),
  ),
  mail: Type.Optional(
    flag(
      'purchase.completed: whether the buyer gets the keys by e-mail. subscription.payment_failed: whether the buyer is ' +
        'told. As LATCHKEY_MAIL_STOREFRONT says by default.',
    ),
  ),
  language: Type.Optional(oneOf('Language of that e-mail; `en` by default.', MAIL_LANGUAGES, 'MailLanguage')),
  partial: Type.Optional(
    flag('purchase.refunded only: a partial refund, so the license stays as it is and gets a note.'),
  ),
});

/** A parsed event. */
export type StorefrontEvent = Static<typeof eventFields>;
