/** Destinations in replies, with the counts of events that are left to send. */
import type { Sql } from '../../storage/contract/storage.ts';
import { destinationView } from './fields.ts';
import { listLeftToSend } from './left-store.ts';
import { isAnyNodeSending, isLongActive } from './sending-node.ts';
import type { DestinationWithProgress } from './store.ts';

export type DestinationView = ReturnType<typeof destinationView>;

/** The views of destinations, in their order. @param now milliseconds since 1970 */
export async function viewsOf(
  sql: Sql,
  found: readonly DestinationWithProgress[],
  now: number,
): Promise<DestinationView[]> {
  const counts = await listLeftToSend(sql, found);
  const areServed =
    !found.some(({ destination }) => isLongActive(destination, now)) || (await isAnyNodeSending(sql, now));
  return found.flatMap((each) => {
    const left = counts.get(each.destination.destinationId);
    return left === undefined ? [] : [destinationView(each, left, areServed || !isLongActive(each.destination, now))];
  });
}

/** The view of one destination. */
export async function viewOf(sql: Sql, found: DestinationWithProgress, now: number): Promise<DestinationView> {
  const [view] = await viewsOf(sql, [found], now);
  if (view === undefined) throw new Error(`${found.destination.destinationId} has no progress`);
  return view;
}
