/** The schema of sent events, for the reference. payload.ts makes the events. */
import Type from 'typebox';
import { licenseStatusSchema, licenseTypeSchema } from '../../licensing/licenses/views.ts';
import type { SentEvents } from '../../platform/endpoint/endpoint.ts';
import { nullable, oneOf, resource, timestamp } from '../../platform/endpoint/field-types.ts';
import { ACTOR_KINDS } from '../../platform/events/event.ts';
import { EVENT_TYPES } from '../../platform/events/event-types.ts';
import { exampleBody, outboundTypes, PING } from './outbound-events.ts';

const text = (description: string) => Type.String({ description });
const number = (description: string) => Type.Integer({ description });
const flag = (description: string) => Type.Boolean({ description });
const facts = (description: string) =>
  Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], { description });

const license = resource('OutboundLicense', 'The license of an event at the time of sending.', {
  number: number('Number of its last change. Keep the license unless this is smaller than the number you have.'),
  ref: text('Identifies the license, as `lic` does in session tokens and license files.'),
  keyHint: text('The last characters of its key.'),
  licenseKey: Type.Optional(text('Its key, for destinations with `includeLicenseKeys`.')),
  email: Type.Optional(text('Address of the customer, for destinations with `includePersonalData`.')),
  productId: text('Its product.'),
  variant: text('Its variant.'),
  licenseType: licenseTypeSchema,
  status: licenseStatusSchema,
  maxMachines: number('Limit of machines; -1 is unlimited.'),
  maxConcurrent: nullable(number('Limit of floating sessions; null for other licenses.')),
  machinesUsed: number('Machines bound to it.'),
  createdAt: timestamp('When it was issued.'),
  purchasedAt: timestamp('When it was bought.'),
  expiresAt: nullable(timestamp('When it ends; null: never.')),
  purchaseId: nullable(text('The purchase in the storefront.')),
  bundleId: nullable(text('The bundle that it was bought in.')),
  threatLevel: number('0 to 4: the highest severity of its open violations.'),
  disputeReason: nullable(text('`refund` or `chargeback`, if its purchase was disputed.')),
});

const data = resource('OutboundData', 'The change, and its license.', {
  isTest: Type.Optional(flag('True for an event of /testDestination.')),
  isShortened: Type.Optional(flag('True if `before` and `after` were left out, because the event was too long.')),
  number: nullable(number('Number of the change among all changes of its license, from 1 without gaps.')),
  productId: nullable(text('Product that it is about.')),
  creatorId: nullable(text('Owner of the product when it happened.')),
  subject: nullable(text('The changed object if it is not the license or the product itself.')),
  actor: resource('OutboundActor', 'Who caused the change.', {
    kind: oneOf('The kind of caller.', ACTOR_KINDS, 'ActorKind'),
    id: nullable(text('The creator, or the name of the command or of the job.')),
    keyName: Type.Optional(
      nullable(text('Name of the API key or of the person, for destinations with `includePersonalData`.')),
    ),
  }),
  requestId: nullable(text('The id of the request; null for commands and jobs.')),
  before: facts('The changed fields with their former values; null if it was created.'),
  after: facts('The changed fields with their new values; null if it was removed.'),
  license: nullable(license),
});

/** The events that destinations receive. */
export const sentEvents: SentEvents = {
  schema: resource('OutboundEvent', 'An event as destinations receive it, in a signed POST request.', {
    id: text('Id of the event, the same in every attempt; also the header `webhook-id`.'),
    type: oneOf('What happened.', outboundTypes, 'OutboundType'),
    timestamp: timestamp('Time of the change.'),
    data,
  }),
  types: () =>
    outboundTypes.map((type) => ({
      type,
      meaning: type === PING ? 'A test without data, requested by /testDestination.' : EVENT_TYPES[type].meaning,
      example: JSON.parse(exampleBody(type)),
    })),
};
