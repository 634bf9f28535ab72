/** The only writer of connectors. Records every change, of a secret its hint only. */
import { toTimestamp } from '../../ground/base/clock.ts';
import { difference, type Facts, type Origin } from '../../platform/events/event.ts';
import { recordChanges } from '../../platform/events/record.ts';
import type { Tx } from '../../storage/contract/storage.ts';
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

/** Adds a connector with its mappings; false if its owner has one with this prefix. */
export async function addConnector(
  tx: Tx,
  origin: Origin,
  connector: Connector,
  mappings: readonly Mapping[],
): Promise<boolean> {
  if (!(await insertConnector(tx, connector))) return false;
  await setMappings(tx, connector.connectorId, mappings);
  const after = factsOf(connector, mappings);
  await recordChanges(tx, [{ ...subjectOf(connector), type: 'connector.created', after, origin }]);
  return true;
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
  const mappings = await mappingsOf(tx, connectorId);
  await updateConnector(tx, changed);
  await removeMappings(tx, connectorId, remove);
  await setMappings(tx, connectorId, set);
  const differing = difference(factsOf(before, mappings), factsOf(changed, await mappingsOf(tx, connectorId)));
  if (Object.keys(differing.after).length > 0)
    await recordChanges(tx, [{ ...subjectOf(changed), type: 'connector.updated', ...differing, origin }]);
  return changed;
}

/** Deletes a locked connector. Its events stay until they are tidied away, its sales for good. */
export async function removeConnector(tx: Tx, origin: Origin, connector: Connector): Promise<void> {
  const before = factsOf(connector, await mappingsOf(tx, connector.connectorId));
  await recordChanges(tx, [{ ...subjectOf(connector), type: 'connector.deleted', before, origin }]);
  await deleteConnector(tx, connector.connectorId);
}

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
