/**
 * Takes the deliveries of sellers (rules 15.2): the site checks the signature, and the rows are on disk before the
 * answer.
 */
import Type from 'typebox';
import { MINUTE_MS, SECOND_MS, toTimestamp } from '../../ground/base/clock.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { countRates } from '../../platform/rates/rates.ts';
import { applyShopEvent, noteFailedApplication } from './apply.ts';
import { findConnector, noteRejection } from './connector-store.ts';
import { storeEvents } from './received.ts';
import { REJECTIONS, type Rejection } from './sources/source.ts';

const EVERYBODY = { creatorId: null };
/** Time in which the node that received an event applies it, before another one does. */
const FIRST_TURN_MS = 10 * SECOND_MS;

const REPORTER = { kind: 'storefront' } as const;

/** Requests with wrong signatures that one network may send in a minute. */
export function wrongSignaturesOf(network: string) {
  return { subject: `shop signatures of ${network}`, max: 60, windowMs: MINUTE_MS };
}

/** Stores a delivery whose signature is valid. */
export const receiveShopEvents = inner(
  'receiveShopEvents',
  REPORTER,
  {
    fields: Type.Object({
      connectorId: Type.String(),
      events: Type.Array(
        Type.Object({
          sellerEventId: Type.String(),
          type: Type.String(),
          at: Type.Union([Type.Number(), Type.Null()]),
          isTest: Type.Union([Type.Boolean(), Type.Null()]),
          subject: Type.Union([Type.String(), Type.Null()]),
          body: Type.String(),
        }),
      ),
    }),
    reply: Type.Object({ eventIds: Type.Array(Type.String()) }),
  },
  ['connector_not_found'],
).write(async (tx, { fields: { connectorId, events }, origin }) => {
  const connector = await findConnector(tx, connectorId, EVERYBODY);
  if (connector === undefined) return refuse('connector_not_found');
  const { now } = origin;
  return { eventIds: await storeEvents(tx, connector, events, { now, dueAt: now + FIRST_TURN_MS }) };
});

/** Counts a delivery whose signature is not valid. */
export const rejectShopEvents = inner(
  'rejectShopEvents',
  REPORTER,
  {
    fields: Type.Object({ connectorId: Type.String(), network: Type.String(), reason: Type.String() }),
    reply: Type.Object({}),
  },
  ['signature_rate'],
).write(async (tx, { fields: { connectorId, network, reason }, origin: { now } }) => {
  const retryAfterSeconds = await countRates(tx, [wrongSignaturesOf(network)], now);
  if (retryAfterSeconds !== null) return refuse('signature_rate', { retryAfterSeconds });
  const lastRejection = (Object.keys(REJECTIONS) as Rejection[]).find((each) => each === reason)!;
  await noteRejection(tx, { connectorId, lastRejectedAt: toTimestamp(now), lastRejection });
  return {};
});

/** Applies an event at once; the reply names the events that waited for it. */
export const applyReceived = inner(
  'applyReceived',
  REPORTER,
  { fields: Type.Object({ eventId: Type.String() }), reply: Type.Object({ eventIds: Type.Array(Type.String()) }) },
  [],
).write(async (tx, { fields: { eventId }, origin: { now, requestId }, ruleContext }) => {
  const applied = await applyShopEvent(tx, eventId, { now, requestId, ruleContext });
  return { eventIds: [...(applied?.due ?? [])] };
});

/** Notes that an event could not be applied. */
export const noteNotApplied = inner(
  'noteNotApplied',
  REPORTER,
  { fields: Type.Object({ eventId: Type.String(), failure: Type.String() }), reply: Type.Object({}) },
  [],
).write(async (tx, { fields: { eventId, failure }, origin: { now } }) => {
  await noteFailedApplication(tx, eventId, failure, now);
  return {};
});
