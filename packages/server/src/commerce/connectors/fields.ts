/** Connectors and events of shops as endpoints show them. */
import Type, { type Static } from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { nullable, oneOf, resource, text, timestamp } from '../../platform/endpoint/field-types.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { type AttentionReason, type Remedy, remediesOf } from './attention.ts';
import { listCatchUps } from './catch-up-store.ts';
import type { Connector } from './connector.ts';
import { listMappings, listRejections } from './connector-store.ts';
import { countEventStates, findLastEventAt } from './event-store.ts';
import { type MappingView, mappingSchema, mappingView, settingsSchema } from './given-parts.ts';
import { SHOP_EVENT_STATES } from './inbox-state.ts';
import { CONNECTOR_MODES, CONNECTOR_STATES, type ConnectorSettings, DEFAULT_SETTINGS } from './settings.ts';
import { DEEDS, type ShopEvent } from './shop-event.ts';
import { DELIVERY_EXAMPLE, PRICE_EXAMPLE, SOURCE_EXAMPLE } from './sources/example.ts';
import { REJECTIONS } from './sources/source.ts';
import { SOURCE_NAMES, setupSteps } from './sources/source-list.ts';

/** Where sellers send their events. */
const CONNECT = '/connect/';

export const connectorIdField = text('Identifier of the connector.');
export const connectorNameField = text('Name of the connector, in lists and as the author of what it changes.', 100);
export const secretField = text('Signing secret that the seller shows.');
export const apiKeyField = text(
  "Key of the seller's API, with which sales are read that an event does not tell whole; the private key of license " +
    'requests at a seller that makes some.',
  1024,
);
export const prefixField = text(
  'Begins the purchaseIds of its sales, 1 to 40 of a-z 0-9 -; the name of the seller by default. Unique for an owner.',
  40,
);
export const stateField = oneOf(
  '`watching`: events are stored and can be previewed; `on`: they are applied; `paused`: they are stored only.',
  CONNECTOR_STATES,
  'ConnectorState',
);
export const modeField = oneOf(
  'Which events it takes: those of real sales or those of tests. Licenses of a test last 14 days at most.',
  CONNECTOR_MODES,
  'ConnectorMode',
);
export const sourceField = oneOf('The seller.', SOURCE_NAMES, 'ShopSource');

const countsSchema = Type.Unsafe<Readonly<Record<string, number>>>({
  type: 'object',
  additionalProperties: { type: 'integer' },
  description: 'Number of its events by state, at most 10,000; states without events are left out.',
});

export const connectorSchema = resource('Connector', 'An account at a seller whose sales become licenses.', {
  connectorId: Type.String({ description: 'Its identifier.' }),
  source: sourceField,
  name: Type.String({ description: 'Its name.' }),
  creatorId: nullable(Type.String({ description: "Whose it is; null: the operator's." })),
  mode: modeField,
  state: stateField,
  prefix: Type.String({ description: 'Begins the purchaseIds of its sales.' }),
  url: Type.String({
    description: 'Address for the events of the seller; its path alone without LATCHKEY_PUBLIC_URL.',
  }),
  settings: Type.Unsafe<ConnectorSettings>(settingsSchema),
  mappings: Type.Unsafe<readonly MappingView[]>({
    type: 'array',
    items: mappingSchema,
    description: "Which name of the seller's is which product; see /createConnector.",
  }),
  secretHints: Type.Array(Type.String(), {
    description: 'The last four characters of each live signing secret, the newest first.',
  }),
  sellerApiKeyHint: nullable(
    Type.String({ description: 'The last four characters of the API key; null without one.' }),
  ),
  lastEventAt: nullable(timestamp('When an event arrived last.')),
  rejected: Type.Integer({ description: 'Requests whose signature was not valid.' }),
  lastRejectedAt: nullable(timestamp('When the last of them arrived.')),
  lastRejection: nullable(Type.String({ description: 'Why it was rejected.' })),
  caughtUpAt: nullable(
    timestamp('When the events that did not arrive were read last; null before, and where that is not possible.'),
  ),
  catchUpFailure: nullable(Type.String({ description: 'Why they could not be read; null if they could.' })),
  counts: countsSchema,
  steps: Type.Array(Type.String(), { description: 'What to set at the seller, in order.' }),
  createdAt: timestamp('When it was made.'),
  updatedAt: timestamp('When it was changed last.'),
});

/** The address of a connector; its path where the public URL is not known. */
export function urlOf(connectorId: string, { connectors: { publicUrl } }: Settings): string {
  return `${publicUrl ?? ''}${CONNECT}${connectorId}`;
}

/** Connectors as replies show them, in their order. */
export async function connectorViews(
  sql: Sql,
  connectors: readonly Connector[],
  settings: Settings,
  now: number,
): Promise<ReplyOf<typeof connectorSchema>[]> {
  const ids = connectors.map(({ connectorId }) => connectorId);
  const mappings = await listMappings(sql, ids);
  const rejections = await listRejections(sql, ids);
  const counts = await countEventStates(sql, ids);
  const catchUps = await listCatchUps(sql, ids);
  const views: ReplyOf<typeof connectorSchema>[] = [];
  for (const connector of connectors) {
    const { connectorId, source, name, creatorId, mode, state, prefix, createdAt, updatedAt } = connector;
    const rejection = rejections.get(connectorId);
    const live = connector.secrets.filter(({ endsAt }) => endsAt === null || Date.parse(endsAt) > now);
    views.push({
      ...{ connectorId, source, name, creatorId, mode, state, prefix, url: urlOf(connectorId, settings) },
      settings: connector.settings,
      mappings: (mappings.get(connectorId) ?? []).map(mappingView),
      secretHints: live.map(({ hint }) => hint),
      sellerApiKeyHint: connector.apiKey?.hint ?? null,
      lastEventAt: await findLastEventAt(sql, connectorId),
      rejected: rejection?.rejected ?? 0,
      lastRejectedAt: rejection?.lastRejectedAt ?? null,
      lastRejection: rejection === undefined ? null : REJECTIONS[rejection.lastRejection],
      caughtUpAt: catchUps.get(connectorId)?.caughtUpAt ?? null,
      catchUpFailure: catchUps.get(connectorId)?.failure ?? null,
      counts: counts.get(connectorId) ?? {},
      steps: setupSteps(source, urlOf(connectorId, settings), null),
      ...{ createdAt, updatedAt },
    });
  }
  return views;
}

export const shopEventSchema = resource('ShopEvent', 'An event as a seller delivered it, and what came of it.', {
  eventId: Type.String({ description: 'Its identifier.' }),
  connectorId: Type.String({ description: 'The connector that received it.' }),
  sellerEventId: Type.String({ description: "The seller's identifier, or a digest where the seller gives none." }),
  type: Type.String({ description: "The seller's type, or `unreadable`." }),
  subject: nullable(Type.String({ description: "The seller's id of what it is about." })),
  sourceAt: nullable(timestamp('When it happened; null where the seller does not say.')),
  receivedAt: timestamp('When it arrived.'),
  state: oneOf(
    '`watched`: stored only; `received`, `looking up`, `held`: the service goes on by itself; `attention`: a person ' +
      'decides; the others are final.',
    SHOP_EVENT_STATES,
    'ShopEventState',
  ),
  reason: nullable(Type.String({ description: 'Why it needs attention or is ignored; null in other states.' })),
  detail: nullable(Type.String({ description: 'The field that is not understood, or what failed.' })),
  attempts: Type.Integer({ description: 'Attempts that failed.' }),
  dueAt: nullable(timestamp('When the service goes on with it; null unless it does.')),
  outcome: Type.Array(
    Type.Object({
      licenseKey: Type.String({ description: 'A license that it changed.' }),
      did: oneOf('What it did to the license.', DEEDS, 'ShopDeed'),
    }),
    { description: 'What it did.' },
  ),
  remedies: Type.Array(Type.String(), { description: 'What /decideShopEvent can do about it.' }),
});

/** An event as replies show it. */
export function shopEventView(event: ShopEvent): ReplyOf<typeof shopEventSchema> {
  const { eventId, connectorId, sellerEventId, type, subject, sourceAt, receivedAt } = event;
  const { state, reason, detail, attempts, outcome } = event;
  const dueAt = event.dueAt ?? event.lookUpAt;
  const due = dueAt === null ? null : toTimestamp(dueAt);
  return {
    ...{ eventId, connectorId, sellerEventId, type, subject, sourceAt, receivedAt },
    ...{ state, reason, detail, attempts, dueAt: due },
    outcome: outcome.map(({ licenseKey, did }) => ({ licenseKey, did })),
    remedies: [...remediesOfEvent(event)],
  };
}

/** The remedies of an event; every event that is not final can be dismissed. */
export function remediesOfEvent({ state, reason }: Pick<ShopEvent, 'state' | 'reason'>): readonly Remedy[] {
  if (state === 'attention') return remediesOf(reason as AttentionReason);
  return state === 'watched' || state === 'held' ? ['dismiss'] : [];
}

export const SHOP_EVENT_EXAMPLE = {
  eventId: MADE_BY_SERVICE.shopEventId,
  connectorId: MADE_BY_SERVICE.connectorId,
  sellerEventId: DELIVERY_EXAMPLE.id,
  type: DELIVERY_EXAMPLE.type,
  subject: DELIVERY_EXAMPLE.data.object.id,
  sourceAt: EXAMPLE_NOW,
  receivedAt: EXAMPLE_NOW,
  state: 'watched' as const,
  reason: null,
  detail: null,
  attempts: 0,
  dueAt: null,
  outcome: [],
  remedies: ['dismiss'],
};

/** The connector in the examples of the reference. */
export const CONNECTOR_EXAMPLE: Static<typeof connectorSchema> = {
  connectorId: MADE_BY_SERVICE.connectorId,
  source: SOURCE_EXAMPLE,
  name: 'Shop',
  creatorId: null,
  mode: 'live',
  state: 'on',
  prefix: SOURCE_EXAMPLE,
  url: MADE_BY_SERVICE.connectorUrl,
  settings: DEFAULT_SETTINGS,
  mappings: [{ match: 'price', id: PRICE_EXAMPLE, productId: EXAMPLE.productId, variant: EXAMPLE.variant }],
  secretHints: ['G8wQ'],
  sellerApiKeyHint: null,
  lastEventAt: null,
  rejected: 0,
  lastRejectedAt: null,
  lastRejection: null,
  caughtUpAt: null,
  catchUpFailure: null,
  counts: {},
  steps: setupSteps(SOURCE_EXAMPLE, MADE_BY_SERVICE.connectorUrl, null),
  createdAt: EXAMPLE_NOW,
  updatedAt: EXAMPLE_NOW,
};

export const DEFAULT_OVERLAP_HOURS = 24;
export const LONGEST_OVERLAP_HOURS = 168;
