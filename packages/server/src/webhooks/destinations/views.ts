/** Destinations in replies, with the counts of what is left to send. */
import type { Sql } from '../../storage/contract/storage.ts';
import { destinationView } from './fields.ts';
import { listLeftToSend } from './left-store.ts';
import type { DestinationWithProgress } from './store.ts';

export type DestinationView = ReturnType<typeof destinationView>;

/** The views of destinations, in their order. */
export async function viewsOf(sql: Sql, found: readonly DestinationWithProgress[]): Promise<DestinationView[]> {
  const counts = await listLeftToSend(sql, found);
  return found.flatMap((each) => {
    const left = counts.get(each.destination.destinationId);
    return left === undefined ? [] : [destinationView(each, left)];
  });
}

/** The view of one destination. */
export async function viewOf(sql: Sql, found: DestinationWithProgress): Promise<DestinationView> {
  const [view] = await viewsOf(sql, [found]);
  if (view === undefined) throw new Error(`${found.destination.destinationId} has no progress`);
  return view;
}
