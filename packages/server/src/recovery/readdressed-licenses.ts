/** Finds the addresses that licenses had when two databases parted, by the changes of address since. */
import type { Event } from '../events/event.ts';
import { scanEventsUp } from '../events/scan-store.ts';
import type { Sql } from '../storage/storage.ts';
import { presentEvents } from './state-store.ts';

/** Events read at a time. */
const EVENTS_AT_ONCE = 200;

/**
 * The addresses before the first change that one database has and another lacks, by license. An address that was
 * forgotten since is a pseudonym. Keeps an entry in memory for each license whose address has changed.
 *
 * @param lastShared the id of the newest event that both have; older events may be missing because of their age
 */
export async function formerAddresses(sql: Sql, other: Sql, lastShared: string): Promise<ReadonlyMap<string, string>> {
  const first = new Map<string, { readonly number: number; readonly address: string }>();
  for (let after = lastShared; ; ) {
    const page = await scanEventsUp(sql, 'license.email_changed', after, EVENTS_AT_ONCE);
    const known = await presentEvents(
      other,
      page.map(({ eventId }) => eventId),
    );
    for (const event of page) {
      const { eventId, licenseKey, licenseNumber } = event;
      if (licenseKey === null || licenseNumber === null || known.has(eventId)) continue;
      // By number, because the order of ids depends on the clocks of the servers.
      const earlier = first.get(licenseKey)?.number ?? Number.POSITIVE_INFINITY;
      if (licenseNumber < earlier) first.set(licenseKey, { number: licenseNumber, address: formerAddress(event) });
    }
    const last = page.at(-1);
    if (last === undefined) return new Map([...first].map(([licenseKey, { address }]) => [licenseKey, address]));
    after = last.eventId;
  }
}

/** Forgetting a customer is a change of address, too, whose event does not name the former one. */
function formerAddress({ subject, after }: Event): string {
  return subject ?? String(after?.email);
}
