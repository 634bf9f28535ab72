/** The replies of the webhook (rules 4.8.1). */
import Type from 'typebox';
import type { License } from '../../licensing/licenses/license.ts';
import { changedLicenseReply, licenseSchema } from '../../licensing/licenses/views.ts';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { nullable, oneOf, success, timestamp } from '../../platform/endpoint/field-types.ts';
import type { StorefrontEvent } from './event.ts';

/** Contradictions between a purchase and the service that do not stop the sale. */
const WARNINGS = ['variant_not_found', 'other_product', 'not_mailed'] as const;

export const webhookReplySchema = success({
  licenseKey: Type.Optional(Type.String({ description: 'Absent when a cancelled subscription has no license.' })),
  licenseKeys: Type.Optional(
    Type.Array(Type.String(), {
      description: 'With `quantity`, or where the event is about several licenses: all their keys, licenseKey first.',
    }),
  ),
  duplicate: Type.Optional(
    Type.Boolean({
      description:
        'purchase.completed: whether the purchaseId had a license before. Other events: true when the eventId was applied before.',
    }),
  ),
  productId: Type.Optional(Type.String({ description: 'With `other_product`: the product of the license found.' })),
  variant: Type.Optional(Type.String({ description: 'With `other_product`: the variant of the license found.' })),
  warnings: Type.Optional(
    Type.Array(oneOf('What to look at.', WARNINGS), {
      description:
        'purchase.completed: `variant_not_found`, the catalogue has the product and lacks the variant; `other_product`, ' +
        'the purchaseId has a license of another product; `not_mailed`, the service sends no e-mail.',
    }),
  ),
  license: Type.Optional(licenseSchema),
  expiresAt: Type.Optional(nullable(timestamp('subscription.renewed: the new expiry; null is perpetual.'))),
  changed: Type.Optional(
    Type.Integer({ description: 'customer.updated: how many licenses got the address; 0 where there are none.' }),
  ),
  remaining: Type.Optional(
    Type.Boolean({
      description: 'customer.updated: the former address has further licenses: deliver the event again.',
    }),
  ),
});

/** See {@link webhookReplySchema}. */
export type WebhookReply = ReplyOf<typeof webhookReplySchema>;

/** The reply to an event about existing licenses: the first one after the change, and all keys of several. */
export function existingLicensesReply(
  type: StorefrontEvent['type'],
  licenses: readonly License[],
  now: number,
): WebhookReply {
  const [license] = licenses;
  if (license === undefined) return { success: true };
  const { licenseKey, expiresAt } = license;
  const expiry = type === 'subscription.renewed' ? { expiresAt } : {};
  return { ...changedLicenseReply(license, now), licenseKey, ...severalKeys(licenses), ...expiry };
}

/** The keys of several licenses as a field of a reply; nothing for one. */
export function severalKeys(licenses: readonly Pick<License, 'licenseKey'>[]): Pick<WebhookReply, 'licenseKeys'> {
  return licenses.length > 1 ? { licenseKeys: licenses.map(({ licenseKey }) => licenseKey) } : {};
}
