/** The only writer of connectors. Records every change, of a secret its hint only. */
import { DAY_MS, fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { difference, type Facts, type Origin, type Recorded } from '../../platform/events/event.ts';
import { recording } from '../../platform/events/record.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { deleteCatchUp, makeCatchUpDue } from './catch-up-store.ts';
import type { Connector } from './connector.ts';
import {
  deleteConnector,
  insertConnector,
  mappingsOf,
  removeMappings,
  setMappings,
  updateConnector,
} from './connector-store.ts';
import { type MappingName, mappingView } from './given-parts.ts';
import type { Mapping } from './mapping.ts';
import { noteRemains } from './remains-store.ts';
import { listsEvents, sourceNamed } from './sources/source-list.ts';

/** Adds a connector with its mappings; false if its owner has one with this prefix. */
export async function addConnector(
  tx: Tx,
  origin: Origin,
  connector: Connector,
  mappings: readonly Mapping[],
): Promise<boolean> {
  const after = factsOf(connector, mappings);
  const created: Recorded = { ...subjectOf(connector), type: 'connector.created', after, origin };
  const isAdded = await recording(
    tx,
    (isNew: boolean) => (isNew ? [created] : []),
    async (tx) => {
      if (!(await insertConnector(tx, connector))) return false;
      await setMappings(tx, connector.connectorId, mappings);
      return true;
    },
  );
  if (isAdded && catchesUp(connector)) await makeCatchUpDue(tx, connector.connectorId, connector.createdAt, origin.now);
  return isAdded;
}

/** The changes of the mappings of a connector. */
export interface MappingChanges {
  readonly set: readonly Mapping[];
  readonly remove: readonly MappingName[];
}

/** Writes the new state of a locked connector and of its mappings. */
export async function changeConnector(
  tx: Tx,
  origin: Origin,
  before: Connector,
  after: Connector,
  { set, remove }: MappingChanges,
): Promise<Connector> {
  const { connectorId } = before;
  const changed = { ...after, updatedAt: toTimestamp(origin.now) };
  const facts = factsOf(before, await mappingsOf(tx, connectorId));
  const updated = (mappings: readonly Mapping[]): readonly Recorded[] => {
    const differing = difference(facts, factsOf(changed, mappings));
    if (Object.keys(differing.after).length === 0) return [];
    return [{ ...subjectOf(changed), type: 'connector.updated', ...differing, origin }];
  };
  await recording(tx, updated, async (tx) => {
    await updateConnector(tx, changed);
    await removeMappings(tx, connectorId, remove);
    await setMappings(tx, connectorId, set);
    return mappingsOf(tx, connectorId);
  });
  if (!catchesUp(changed)) await deleteCatchUp(tx, connectorId);
  else if (changed.apiKey?.sealed !== before.apiKey?.sealed)
    await makeCatchUpDue(tx, connectorId, toTimestamp(sinceOf(changed, origin.now)), origin.now);
  return changed;
}

/** Deletes a locked connector. A job deletes its events and sales; its licenses stay. */
export async function removeConnector(tx: Tx, origin: Origin, connector: Connector): Promise<void> {
  const before = factsOf(connector, await mappingsOf(tx, connector.connectorId));
  await recording(tx, [{ ...subjectOf(connector), type: 'connector.deleted', before, origin }], (tx) =>
    deleteConnector(tx, connector.connectorId),
  );
  await deleteCatchUp(tx, connector.connectorId);
  await noteRemains(tx, connector.connectorId);
}

/** Whether a connector can read the events that did not arrive: it has an API key, and the seller's API lists them. */
export function catchesUp({ source, apiKey }: Pick<Connector, 'source' | 'apiKey'>): boolean {
  return apiKey !== null && listsEvents(sourceNamed(source));
}

/** The moment from which a connector catches up for the first time. */
export function sinceOf({ createdAt }: Pick<Connector, 'createdAt'>, now: number): number {
  return Math.max(fromTimestamp(createdAt), now - FIRST_DAYS * DAY_MS);
}
/** Stripe lists the events of so many days. */
const FIRST_DAYS = 30;

const subjectOf = ({ connectorId, creatorId }: Connector) => ({ subject: connectorId, creatorId });

function factsOf(connector: Connector, mappings: readonly Mapping[]): Facts {
  const { source, name, mode, state, prefix, settings, secrets, apiKey } = connector;
  return {
    source,
    name,
    mode,
    state,
    prefix,
    settings,
    secretHints: secrets.map(({ hint }) => hint),
    apiKeyHint: apiKey?.hint ?? null,
    mappings: mappings.map(mappingView),
  };
}
