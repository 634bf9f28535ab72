/** SQL of the types that destinations name, for events that are recorded only for destinations. */
import type { EventType } from '../../platform/events/event-types.ts';
import { type Sql, statement } from '../../storage/contract/storage.ts';
import { elementsOf, isText, parseStored } from '../../storage/contract/stored-json.ts';
import { DESTINATION_STATES, includesType } from './destination.ts';

const listSelections = statement(
  'destination.list_selections',
  'select distinct d.types as "types" from destination d where d.state = $1',
);

/**
 * Returns those of the given types that a destination of any owner names. Paused and disabled destinations count: once
 * resumed, they receive what they missed.
 */
export async function listWantedTypes(sql: Sql, types: readonly EventType[]): Promise<ReadonlySet<EventType>> {
  const rows: { types: string }[] = [];
  for (const state of DESTINATION_STATES) rows.push(...(await sql.all<{ types: string }>(listSelections, state)));
  const selections = rows.map((row) => elementsOf(parseStored(row.types), isText));
  return new Set(types.filter((type) => selections.some((named) => includesType(named, type))));
}
