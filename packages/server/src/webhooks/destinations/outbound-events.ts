/**
 * The types of events that destinations may receive, with an example of each. Tests of destinations send the examples,
 * and the reference shows them.
 */
import { fromTimestamp } from '../../ground/base/clock.ts';
import { exampleStored } from '../../licensing/licenses/examples.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import type { Event, Facts } from '../../platform/events/event.ts';
import { EVENT_TYPES, type EventType, eventTypes } from '../../platform/events/event-types.ts';
import { type Included, payloadOf } from './payload.ts';

/** The type of a test event without data. */
export const PING = 'ping';
export type OutboundType = EventType | typeof PING;
/** Every type of event that is sent. */
export const outboundTypes: readonly OutboundType[] = [PING, ...eventTypes];

/** The license in the examples. */
const LICENSE: License = { ...exampleStored, machinesUsed: 1, eventCount: 2 };

/** The subject of an event, by the part of its type before the dot; null for groups that are not listed. */
const SUBJECTS: Readonly<Record<string, string>> = {
  activation: EXAMPLE.machineFingerprint,
  session: EXAMPLE.machineFingerprint,
  license_file: MADE_BY_SERVICE.fileId,
  user: EXAMPLE.email,
  violation: MADE_BY_SERVICE.violationId,
  variant: EXAMPLE.variant,
  usage: 'exports',
  discount_code: 'SPRING',
  api_key: MADE_BY_SERVICE.apiKeyHash,
  operator_key: MADE_BY_SERVICE.operatorKeyHash,
  console_session: MADE_BY_SERVICE.consoleSessionId,
  studio_order: MADE_BY_SERVICE.studioOrderId,
  studio_seat: MADE_BY_SERVICE.studioOrderId,
  destination: MADE_BY_SERVICE.destinationId,
};

/** The actor of events by the service itself. */
const ACTORS: Readonly<Partial<Record<OutboundType, string>>> = {
  [PING]: 'service:send events',
  'license.expiring': 'service:record expiry notices',
  'license.expired': 'service:record expiry notices',
  'license.updates_expiring': 'service:record expiry notices',
};

const OF_LICENSE = ['license', 'activation', 'activations', 'session', 'license_file', 'violation', 'usage', 'user'];
const OF_PRODUCT = [...OF_LICENSE, 'product', 'variant', 'discount_code'];

/** Fields of the license that the examples change. */
const CHANGED_FIELDS: readonly string[] = ['maxMachines', 'expiresAt', 'revocation', 'disputeReason'];

/** The license after a change of these fields. */
function licenseAfter(after: Facts | null): License {
  const changed = Object.entries(after ?? {}).filter(([field]) => CHANGED_FIELDS.includes(field));
  return { ...LICENSE, ...Object.fromEntries(changed) };
}

/** The example of a type: the event, and its license if it has one. */
export function exampleEvent(type: OutboundType): { readonly event: Event; readonly license: License | null } {
  const group = type.slice(0, type.indexOf('.'));
  const isOfLicense = OF_LICENSE.includes(group);
  const facts = type === PING ? { before: null, after: null } : EVENT_TYPES[type].example;
  const event: Event = {
    eventId: MADE_BY_SERVICE.eventId,
    // A ping is no recorded change, so it has no type of the list.
    type: type as EventType,
    licenseKey: isOfLicense ? LICENSE.licenseKey : null,
    licenseNumber: isOfLicense ? LICENSE.eventCount : null,
    previousEventId: null,
    productId: OF_PRODUCT.includes(group) ? LICENSE.productId : null,
    creatorId: EXAMPLE.creatorId,
    subject: type === 'license.email_changed' ? EXAMPLE.email : (SUBJECTS[group] ?? null),
    actor: ACTORS[type] ?? 'operator',
    actorName: null,
    requestId: type in ACTORS ? null : MADE_BY_SERVICE.requestId,
    occurredAt: EXAMPLE_NOW,
    before: facts.before,
    after: facts.after,
  };
  const license = group === 'license' ? licenseAfter(event.after) : LICENSE;
  return { event, license: isOfLicense ? license : null };
}

/** The body of the example of a type, as a destination of the operator without optional parts gets it. */
export function exampleBody(type: OutboundType): string {
  const { event, license } = exampleEvent(type);
  const included: Included = { creatorId: null, includeLicenseKeys: false, includePersonalData: false };
  return payloadOf(event, license, included, fromTimestamp(EXAMPLE_NOW), type === PING);
}
