/** The recorded events of one license, for tests of a single endpoint. */
import type { Database } from '../../../src/storage/contract/database.ts';
import { eventsOf, type StoredEvent, StoredRows } from './stored-changes.ts';

/** The events of a license in their order, read on a separate connection, without creations and activations. */
export async function remediesOf(database: Database, licenseKey: string): Promise<StoredEvent[]> {
  const rows = await StoredRows.of(database);
  try {
    const events = eventsOf(await rows.snapshot(), licenseKey);
    return events.filter(({ type }) => type !== 'license.created' && type !== 'activation.created');
  } finally {
    await rows.close();
  }
}
