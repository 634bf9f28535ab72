/** Health for load balancers: /healthz says that the process answers, /readyz that it can do its work. */

import { outcomeOfRefusal } from '../dispatch/call.ts';
import { refuse } from '../refusals.ts';
import { type Storage, statement } from '../storage/storage.ts';
import type { Document } from './listener.ts';

const probe = statement('storage.probe', 'select 1 as "one"');

/** The two documents. A service that is stopping is healthy but not ready, so that no new requests are sent to it. */
export function healthDocuments(storage: Storage, isStopping: () => boolean): ReadonlyMap<string, Document> {
  const healthy = { status: 200, body: JSON.stringify({ success: true, status: 'ok' }) };
  const ready = { status: 200, body: JSON.stringify({ success: true, status: 'ready' }) };
  const notReady = outcomeOfRefusal(refuse('not_ready'), 'success');
  return new Map<string, Document>([
    ['/healthz', async () => healthy],
    [
      '/readyz',
      async () => {
        if (isStopping()) return notReady;
        return storage
          .read((sql) => sql.first(probe))
          .then(
            () => ready,
            () => notReady,
          );
      },
    ],
  ]);
}
