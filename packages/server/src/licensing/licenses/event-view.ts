/** Events in replies. */
import Type from 'typebox';
import { actorView } from '../../platform/endpoint/actor-view.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { nullable, oneOf, resource, timestamp } from '../../platform/endpoint/field-types.ts';
import { ACTOR_KINDS, type Event, type Facts } from '../../platform/events/event.ts';
import { eventTypes } from '../../platform/events/event-types.ts';

const factsSchema = (description: string) =>
  Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], { description });

/** The schema of {@link eventView}. */
export const eventSchema = resource('Event', 'A change, recorded in its own transaction.', {
  id: Type.String({ description: 'Ids sort by time.' }),
  at: timestamp('When it was decided.'),
  type: oneOf('What happened.', eventTypes, 'EventType'),
  actor: resource('Actor', 'Who caused a change.', {
    kind: oneOf('The kind of caller.', ACTOR_KINDS, 'ActorKind'),
    id: nullable(Type.String({ description: 'The creator, or the name of the command or of the job; else null.' })),
    keyName: nullable(
      Type.String({
        description:
          'Name of the API key that was shown. In the console: name of the operator key, or `admin (Ada)` where Ada signed ' +
          'in by the admin secret and gave that name herself. Of a customer, the person with whose link the session ' +
          'began. Of the storefront, the connected shop. Else null, and for creators null in events of others.',
      }),
    ),
  }),
  licenseKey: nullable(Type.String({ description: 'License that was changed.' })),
  licenseNumber: nullable(
    Type.Integer({ description: 'Place of the change among all changes of the license, from 1 without gaps.' }),
  ),
  productId: nullable(Type.String({ description: 'Product that it is about.' })),
  creatorId: nullable(Type.String({ description: 'Owner of the product when it happened.' })),
  subject: nullable(
    Type.String({
      description:
        'The changed object if it is not the license or the product itself: a fingerprint, a violation, a variant, a ' +
        'discount code, an order, the hash of an API key, the address that a license had before.',
    }),
  ),
  requestId: nullable(
    Type.String({
      description:
        'The id of the request: Latchkey-Request-Id of its answer, else its X-Request-Id; null for commands and jobs.',
    }),
  ),
  before: factsSchema('The changed fields with their former values; null if it was created.'),
  after: factsSchema('The changed fields with their new values; null if it was removed.'),
});

/**
 * The view of an event.
 *
 * @param reader the caller: creators see neither operators' names nor names of other creators' API keys
 * @param isForViewer true for the role viewer, which reads no texts of reply templates
 */
export function eventView(event: Event, reader: Scope, isForViewer = false) {
  const shown = isForViewer && event.type.startsWith('reply_template.') ? withoutText : (facts: Facts | null) => facts;
  return {
    id: event.eventId,
    at: event.occurredAt,
    type: event.type,
    actor: actorView(event, reader),
    licenseKey: event.licenseKey,
    licenseNumber: event.licenseNumber,
    productId: event.productId,
    creatorId: event.creatorId,
    subject: event.subject,
    requestId: event.requestId,
    before: shown(event.before),
    after: shown(event.after),
  };
}

function withoutText(facts: Facts | null): Facts | null {
  if (facts === null) return null;
  const { text: _, ...others } = facts;
  return others;
}
