/** What the webhook answers (the specification shows no body but a duplicate's license key). */
import Type from 'typebox';
import type { Reply } from '../endpoint/endpoint.ts';
import { nullable, timestamp } from '../endpoint/vocabulary.ts';
import type { License } from '../licenses/license.ts';
import { changedLicenseReply, licenseSchema } from '../licenses/views.ts';

export const webhookReplySchema = Type.Object({
  success: Type.Literal(true),
  licenseKey: Type.Optional(Type.String({ description: 'Absent when a cancelled subscription has no license.' })),
  duplicate: Type.Optional(
    Type.Boolean({ description: 'purchase.completed: whether the purchaseId had a license before.' }),
  ),
  license: Type.Optional(licenseSchema),
  expiresAt: Type.Optional(nullable(timestamp('subscription.renewed: the new expiry; null is perpetual.'))),
});

/** The reply to an event about a license that exists: the license as it is afterwards. */
export function existingLicenseReply(license: License, now: number): Reply {
  return { ...changedLicenseReply(license, now), licenseKey: license.licenseKey };
}
