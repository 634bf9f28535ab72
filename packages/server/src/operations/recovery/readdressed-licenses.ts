/** Finds the addresses that licenses had when two databases parted, by the changes of address since. */
import type { Event } from '../../platform/events/event.ts';
import { scanEventsUp } from '../../platform/events/scan-store.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { eventPages, oldestEvent, presentWithPredecessors } from './state-store.ts';

/** Events read at a time. */
const EVENTS_AT_ONCE = 200;

/**
 * The addresses before the first change that one database has and another lacks, by license. An address that was
 * forgotten since is a pseudonym. Keeps an entry in memory for each license whose address has changed.
 *
 * The other database may have deleted old events for their age, but no notes. It never had a change if it has an older
 * event, or the event before the change. The newest event of both is no bound: a clock that was put back dates later
 * changes before it.
 */
export async function formerAddresses(sql: Sql, other: Sql): Promise<ReadonlyMap<string, string>> {
  const oldest = await oldestEvent(other);
  const first = new Map<string, { readonly number: number; readonly address: string }>();
  const read = (after: string) => scanEventsUp(sql, 'license.email_changed', after, EVENTS_AT_ONCE);
  for await (const page of eventPages('', read)) {
    const known = await presentWithPredecessors(other, page);
    for (const event of page) {
      const { eventId, previousEventId, licenseKey, licenseNumber } = event;
      if (licenseKey === null || licenseNumber === null || known.has(eventId)) continue;
      const followsKnown = previousEventId !== null && known.has(previousEventId);
      if (!followsKnown && (oldest === null || eventId < oldest)) continue;
      // By number, because the order of ids depends on the clocks of the servers.
      const earlier = first.get(licenseKey)?.number ?? Number.POSITIVE_INFINITY;
      if (licenseNumber < earlier) first.set(licenseKey, { number: licenseNumber, address: formerAddress(event) });
    }
  }
  return new Map([...first].map(([licenseKey, { address }]) => [licenseKey, address]));
}

/** Forgetting a customer is a change of address, too, whose event does not name the former one. */
function formerAddress({ subject, after }: Event): string {
  return subject ?? String(after?.email);
}
