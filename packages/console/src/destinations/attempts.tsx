/** The recent requests of a destination. */
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import type { DeliveryAttempt, Destination } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { Empty } from '../parts/empty.tsx';
import { shortSpanText } from '../parts/span-words.ts';
import { StatusOf } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { outcomeOf } from '../sentences/destinations.ts';
import { useEventAddress } from './event-address.ts';

const EVERY_SECONDS = 5;

const COLUMNS: readonly Column<DeliveryAttempt>[] = [
  { title: 'Event', cell: ({ type }) => type },
  { title: 'Outcome', cell: (attempt) => <StatusOf {...outcomeOf(attempt)} />, phone: 'second' },
  { title: 'Took', cell: ({ durationMs }) => shortSpanText(durationMs), align: 'end', phone: 'secondEnd' },
  { title: 'When', cell: ({ at }) => <Time at={at} />, align: 'end', phone: 'firstEnd' },
];

export function Attempts({ of: destination, failedOnly }: { readonly of: Destination; readonly failedOnly: boolean }) {
  const filters = useFilters([]);
  const { hrefOf } = useEventAddress();
  const { destinationId } = destination;
  const request = {
    destinationId,
    limit: 50,
    ...(failedOnly ? { failedOnly } : {}),
    ...given({ cursor: filters.cursor }),
  };
  const list = useRead('/listDeliveryAttempts', request, {
    keepPrevious: true,
    everySeconds: filters.page === 1 ? EVERY_SECONDS : 0,
  });
  return (
    <Table
      caption={failedOnly ? 'Failed attempts, newest first' : 'Attempts, newest first'}
      file={listFile('attempts', '/listDeliveryAttempts', request, ({ attempts }) => attempts)}
      rows={list.data?.attempts}
      keyOf={({ attemptId }) => attemptId}
      hrefOf={({ eventId }) => hrefOf(eventId)}
      columns={COLUMNS}
      {...listingOf(list, filters)}
      empty={
        failedOnly ? (
          <Empty title="No attempt has failed">Failures of the last 30 days appear here.</Empty>
        ) : (
          <Empty title="Nothing was sent yet">Send a test, or wait for the next change.</Empty>
        )
      }
    />
  );
}
