/** Fields of destinations in requests and replies (rules 12). */
import Type, { type Static } from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { hasControlCharacter, NO_CONTROL_CHARACTERS } from '../../ground/base/web-address.ts';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import {
  flag,
  listOfText,
  nullable,
  oneOf,
  resource,
  success,
  text,
  timestamp,
  wholeNumber,
} from '../../platform/endpoint/field-types.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { eventTypes } from '../../platform/events/event-types.ts';
import { LONGEST_URL, readDestinationUrl } from './address-policy.ts';
import { isFull, MAX_WAITING, SHOWN_STATES, TOO_MANY_REFUSED } from './destination.ts';
import type { LeftToSend } from './left-store.ts';
import { NO_NODE_SENDS } from './sending-node.ts';
import type { DestinationSettings } from './settings.ts';
import type { DestinationWithProgress } from './store.ts';

export const destinationIdField = text('The destination, as /listDestinations shows it.', 64);

/** Default rate limit of a destination, in requests per second. */
export const DEFAULT_RATE = 50;

/** The fields that are set at creation and can be changed later. */
export const destinationFields = {
  url: text('Where events are sent: a public https address; port 443, or 1024 and above.', LONGEST_URL),
  types: listOfText(
    'Types of events, such as `license.created`; `license.*` is all of a kind. `*` is all that happens in the shop, ' +
      'without keys, console sessions, customers and destinations, which must be named.',
    50,
  ),
  description: nullable(text('What it is for.')),
  productIds: nullable(listOfText('Only events of these products; null is all.', 100)),
  includeLicenseKeys: flag('Whether events contain license keys, which are credentials.'),
  includePersonalData: flag('Whether events contain addresses, names of machines and people, countries and notes.'),
  requestsPerSecond: wholeNumber('Requests per second at most.', 1, 500),
};

export const destinationSchema = resource('Destination', 'An address that events are sent to.', {
  destinationId: Type.String({ description: 'Its identifier.' }),
  creatorId: nullable(Type.String({ description: "Its owner; null is the operator's." })),
  url: Type.String({ description: 'Where events are sent.' }),
  types: Type.Array(Type.String(), { description: 'Types of events, kinds such as `license.*`, or `*`.' }),
  description: nullable(Type.String({ description: 'What it is for.' })),
  productIds: nullable(Type.Array(Type.String(), { description: 'Only events of these products; null is all.' })),
  includeLicenseKeys: Type.Boolean({ description: 'Whether events contain license keys.' }),
  includePersonalData: Type.Boolean({ description: 'Whether events contain personal data.' }),
  requestsPerSecond: Type.Integer({ description: 'Requests per second at most.' }),
  state: oneOf('Whether events are sent; `failing`: it is tried again and again.', SHOWN_STATES, 'DestinationState'),
  stateReason: nullable(
    Type.String({
      description:
        'Why it is paused or disabled: `by_person`; `by_command`; `copied`, by copy or restore; `gone`, its receiver answered 410; ' +
        '`gave_up`, it failed for days. Of a failing one: `too_many_refused`, 1,000 refused events wait for another attempt, so ' +
        'no further ones are sent until some are settled; null if `lastError` is the reason. Of an active or failing one: ' +
        '`no_node_sends`, no node of the service sends events.',
    }),
  ),
  previousSecretEndsAt: nullable(timestamp('Until when the secret before the last rotation signs, too.')),
  failingSince: nullable(timestamp('When it began to fail; null while it does not.')),
  lastSuccessAt: nullable(timestamp('When an event was last delivered.')),
  lastError: nullable(Type.String({ description: 'The last failure; null once a delivery succeeded.' })),
  waiting: Type.Integer({ description: 'Events that wait for another attempt, see /listDeliveries.' }),
  failed: Type.Integer({ description: 'Events that were given up, see /listDeliveries.' }),
  behind: Type.Integer({
    description: 'Recorded events that it has not dealt with yet, whether they fit it or not; at most 10,000.',
  }),
  oldestUnsentAt: nullable(timestamp('Time of the oldest event that it has not dealt with yet; null without one.')),
  createdAt: timestamp('When it was made.'),
  updatedAt: timestamp('When it was last changed.'),
});

/**
 * A destination as its owner sees it, without its secrets.
 *
 * @param isServed false if it is active and no node sends events
 */
export function destinationView(
  { destination, progress }: DestinationWithProgress,
  counts: LeftToSend,
  isServed: boolean,
): ReplyOf<typeof destinationSchema> {
  const moment = (at: number | null) => (at === null ? null : toTimestamp(at));
  const isFailing = destination.state === 'active' && progress.failingSince !== null;
  const isRefusing = isFailing && (isFull(progress) || counts.waiting >= MAX_WAITING);
  return {
    destinationId: destination.destinationId,
    creatorId: destination.creatorId,
    url: destination.url,
    types: destination.types,
    description: destination.description,
    productIds: destination.productIds,
    includeLicenseKeys: destination.includeLicenseKeys,
    includePersonalData: destination.includePersonalData,
    requestsPerSecond: destination.requestsPerSecond,
    state: isFailing ? 'failing' : destination.state,
    stateReason: !isServed ? NO_NODE_SENDS : isRefusing ? TOO_MANY_REFUSED : destination.stateReason,
    previousSecretEndsAt: destination.previousEndsAt,
    failingSince: moment(progress.failingSince),
    lastSuccessAt: moment(progress.lastSuccessAt),
    lastError: progress.lastError,
    ...counts,
    createdAt: destination.createdAt,
    updatedAt: destination.updatedAt,
  };
}

export const changedDestinationSchema = success({
  destination: destinationSchema,
});

/** The destination in the examples of the reference. */
export const exampleDestination: Static<typeof destinationSchema> = {
  destinationId: MADE_BY_SERVICE.destinationId,
  creatorId: null,
  url: 'https://shop.example.com/latchkey',
  types: ['license.*', 'activation.created'],
  description: 'Shop',
  productIds: [EXAMPLE.productId],
  includeLicenseKeys: false,
  includePersonalData: false,
  requestsPerSecond: DEFAULT_RATE,
  state: 'active',
  stateReason: null,
  previousSecretEndsAt: null,
  failingSince: null,
  lastSuccessAt: null,
  lastError: null,
  waiting: 0,
  failed: 0,
  behind: 0,
  oldestUnsentAt: null,
  createdAt: EXAMPLE_NOW,
  updatedAt: EXAMPLE_NOW,
};

/** The example after it was changed `changes` times; the events of these changes are not dealt with yet. */
export function changedExample(changes: number): Static<typeof destinationSchema> {
  return { ...exampleDestination, behind: changes, oldestUnsentAt: EXAMPLE_NOW };
}

const KINDS = new Set(eventTypes.map((type) => `${type.slice(0, type.indexOf('.'))}.*`));

/** Returns the refusal of an invalid URL or invalid types; null if both are valid. */
export function refuseFields(
  { url, types }: { readonly url?: string | undefined; readonly types?: readonly string[] | undefined },
  isOperators: boolean,
  { addresses }: DestinationSettings,
): Refusal<'invalid_field'> | null {
  const invalid = (message: string) => refuse('invalid_field', { details: { message } });
  if (url !== undefined && hasControlCharacter(url)) return invalid(`url ${NO_CONTROL_CHARACTERS}`);
  if (url !== undefined && readDestinationUrl(addresses, url, isOperators) === null)
    return invalid('url must be a public https address, with port 443 or one from 1024 on');
  if (types === undefined) return null;
  if (types.length === 0) return invalid('types must name a type of event, a kind such as license.*, or *');
  const unknown = types.find(
    (each) => each !== '*' && !KINDS.has(each) && !(eventTypes as readonly string[]).includes(each),
  );
  return unknown === undefined ? null : invalid(`types must name types of events, kinds such as license.*, or *`);
}
