import { listCatchUps } from '../../commerce/connectors/catch-up-store.ts';
import type { Connector } from '../../commerce/connectors/connector.ts';
import { listConnectorsAfter, listRejections } from '../../commerce/connectors/connector-store.ts';
import { countEventStates, findLastEventAt } from '../../commerce/connectors/event-store.ts';
import { isWaiting, type ShopEventState } from '../../commerce/connectors/inbox-state.ts';
import { counted } from '../../ground/base/count-words.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { type Command, inDatabase } from './command.ts';

/** Connectors that are read at once. */
const AT_ONCE = 100;

export const shops: Command = {
  name: 'shops',
  summary: 'list the connectors of shops with their state, without addresses and secrets',
  example: 'shops',
  more: ['latchkey shops replay applies events of a connector once more.'],
  run: ({ config, print }) =>
    inDatabase(config, async (storage) => {
      let count = 0;
      for (let last = ''; ; ) {
        const found = await storage.read(async (sql) => linesOf(sql, await listConnectorsAfter(sql, last, AT_ONCE)));
        for (const { line } of found) print(line);
        count += found.length;
        if (found.length < AT_ONCE) break;
        last = found.at(-1)!.connectorId;
      }
      if (count === 0) print('There are no connectors of shops.');
    }),
};

async function linesOf(sql: Sql, connectors: readonly Connector[]) {
  const ids = connectors.map(({ connectorId }) => connectorId);
  const counts = await countEventStates(sql, ids);
  const rejections = await listRejections(sql, ids);
  const catchUps = await listCatchUps(sql, ids);
  const lines: { readonly connectorId: string; readonly line: string }[] = [];
  for (const { connectorId, creatorId, source, name, mode, state } of connectors) {
    const of = counts.get(connectorId) ?? {};
    const states = Object.keys(of) as ShopEventState[];
    const waiting = states.filter(isWaiting).reduce((sum, each) => sum + (of[each] ?? 0), 0);
    const rejected = rejections.get(connectorId)?.rejected ?? 0;
    const lastAt = await findLastEventAt(sql, connectorId);
    const catchUp = catchUps.get(connectorId);
    const facts = [
      lastAt === null ? 'no event yet' : `last event ${lastAt}`,
      `${waiting} waiting`,
      `${of.attention ?? 0} to decide`,
      ...(rejected === 0 ? [] : [counted(rejected, 'wrong signature')]),
      ...(catchUp?.failure == null ? [] : [`cannot catch up: ${catchUp.failure}`]),
    ];
    const head = [connectorId, creatorId ?? 'operator', source, mode === 'live' ? state : `${state}, ${mode}`, name];
    lines.push({ connectorId, line: `${head.join('  ')}  ${facts.join('; ')}` });
  }
  return lines;
}
