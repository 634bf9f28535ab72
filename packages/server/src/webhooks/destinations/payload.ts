/**
 * The body of an event. Each attempt builds it from the current event and license, and it is never stored, so that no
 * retry sends the data of a customer who was forgotten in the meantime.
 */

import { eventView } from '../../licensing/licenses/event-view.ts';
import { type License, shownLicenseKey, statusAt } from '../../licensing/licenses/license.ts';
import { bindingOf } from '../../licensing/session-tokens/token.ts';
import type { Event, Facts } from '../../platform/events/event.ts';
import type { Destination } from './destination.ts';
import { sentFacts, sentSubject } from './facts.ts';

/** The largest body, in bytes. */
export const LARGEST_BODY = 16 * 1024;

/** The optional parts of an event that a destination receives. */
export type Included = Pick<Destination, 'creatorId' | 'includeLicenseKeys' | 'includePersonalData'>;

/**
 * The body of an event.
 *
 * @param license the current license of the event; null for an event without one
 * @param isTest true for an event of /testDestination
 */
export function payloadOf(
  event: Event,
  license: License | null,
  included: Included,
  now: number,
  isTest = false,
): string {
  const { includePersonalData } = included;
  const { actor, before, after } = eventView(event, { creatorId: included.creatorId });
  const data = {
    ...(isTest ? { isTest: true } : {}),
    number: event.licenseNumber,
    productId: event.productId,
    creatorId: event.creatorId,
    subject: sentSubject(event.type, event.subject, includePersonalData),
    actor: { kind: actor.kind, id: actor.id, ...(includePersonalData ? { keyName: actor.keyName } : {}) },
    requestId: event.requestId,
    before: sentFacts(event.type, before, includePersonalData),
    after: sentFacts(event.type, after, includePersonalData),
    license: license === null ? null : licenseOf(license, included, now),
  };
  const body = bodyOf(event, data);
  if (Buffer.byteLength(body) <= LARGEST_BODY) return body;
  // Only long lists and texts in facts exceed the limit: the event is sent without them.
  return bodyOf(event, { ...data, before: null, after: null, isShortened: true });
}

function bodyOf({ eventId, type, occurredAt }: Event, data: Facts): string {
  return JSON.stringify({ id: eventId, type, timestamp: occurredAt, data });
}

/** The current license. */
function licenseOf(license: License, { includeLicenseKeys, includePersonalData }: Included, now: number) {
  const key = shownLicenseKey(license);
  return {
    number: license.eventCount,
    ref: bindingOf(license.licenseKey),
    keyHint: key.slice(-5),
    ...(includeLicenseKeys ? { licenseKey: key } : {}),
    ...(includePersonalData ? { email: license.email } : {}),
    productId: license.productId,
    variant: license.variant,
    licenseType: license.licenseType,
    status: statusAt(license, now),
    maxMachines: license.maxMachines,
    maxConcurrent: license.maxConcurrent,
    machinesUsed: license.machinesUsed,
    createdAt: license.createdAt,
    purchasedAt: license.purchasedAt,
    expiresAt: license.expiresAt,
    purchaseId: license.purchaseId,
    bundleId: license.bundleId,
    threatLevel: license.threatLevel,
    disputeReason: license.disputeReason,
  };
}
