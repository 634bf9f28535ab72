/** Steps shared by the endpoints that change one destination: lock, find within the caller's scope, change, reply. */
import type { Request } from '../endpoint/endpoint.ts';
import { type Refusal, refuse } from '../endpoint/refusals.ts';
import type { Tx } from '../storage/storage.ts';
import { type DestinationWithProgress, findDestination, lockDestinations, withProgress } from './store.ts';
import { viewOf } from './views.ts';

type Asked = Pick<Request<{ readonly destinationId: string }>, 'fields' | 'scope'>;

/** Locks a destination within the caller's scope. */
export async function lockDestination(
  tx: Tx,
  { fields, scope }: Asked,
): Promise<DestinationWithProgress | Refusal<'destination_not_found'>> {
  await lockDestinations(tx);
  const destination = await findDestination(tx, fields.destinationId, scope);
  const [found] = destination === undefined ? [] : await withProgress(tx, [destination]);
  return found ?? refuse('destination_not_found');
}

/** The reply of an endpoint that changed a destination. */
export async function changedReply(tx: Tx, changed: DestinationWithProgress) {
  return { success: true as const, destination: await viewOf(tx, changed) };
}
