/** The events that a destination has not accepted: they wait for another attempt, or were given up. */
import { useState } from 'react';
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import type { Delivery, DeliveryState, Destination } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { ActionBar } from '../parts/action-bar.tsx';
import { Button } from '../parts/button.tsx';
import { Mono } from '../parts/copy.tsx';
import { counted, countText } from '../parts/count-words.ts';
import { Empty } from '../parts/empty.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { failureText } from '../sentences/destinations.ts';
import { useEventAddress } from './event-address.ts';
import { ResendDialog } from './resend-dialog.tsx';

const EVERY_SECONDS = 10;

const EMPTY: Readonly<Record<DeliveryState, { readonly title: string; readonly text: string }>> = {
  waiting: { title: 'No event waits', text: 'An event waits here after a failed attempt.' },
  failed: { title: 'No event was given up', text: 'An event is given up after ten failed attempts in 75 hours.' },
};

export function Deliveries({ of: destination, state }: { readonly of: Destination; readonly state: DeliveryState }) {
  const filters = useFilters([]);
  const { hrefOf } = useEventAddress();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isResending, setResending] = useState(false);
  const mayResend = useCan('/resendEvents');
  const request = { destinationId: destination.destinationId, state, limit: 50, ...given({ cursor: filters.cursor }) };
  const list = useRead('/listDeliveries', request, {
    keepPrevious: true,
    everySeconds: filters.page === 1 ? EVERY_SECONDS : 0,
  });
  const columns: readonly Column<Delivery>[] = [
    { title: 'Event', cell: ({ eventId }) => <Mono>{eventId}</Mono> },
    { title: 'Last failure', cell: failureText, phone: 'second' },
    { title: 'Failed attempts', cell: ({ attempts }) => countText(attempts), align: 'end' },
    {
      title: state === 'waiting' ? 'Next try' : 'Given up',
      cell: ({ dueAt }) => <Time at={dueAt} />,
      align: 'end',
      phone: 'secondEnd',
    },
  ];
  const { title, text } = EMPTY[state];
  return (
    <>
      <Table
        caption={state === 'waiting' ? 'Waiting events' : 'Events that were given up'}
        file={listFile(`events-${state}`, '/listDeliveries', request, ({ deliveries }) => deliveries)}
        rows={list.data?.deliveries}
        keyOf={({ eventId }) => eventId}
        hrefOf={({ eventId }) => hrefOf(eventId)}
        columns={columns}
        {...(mayResend ? { selection: { keys: chosen, onChange: setChosen } } : {})}
        {...listingOf(list, filters)}
        empty={<Empty title={title}>{text}</Empty>}
      />
      {chosen.size > 0 && (
        <ActionBar
          label="Selected events"
          count={`${counted(chosen.size, 'event')} selected`}
          onClear={() => setChosen(new Set())}
        >
          <Button onClick={() => setResending(true)}>Send again</Button>
        </ActionBar>
      )}
      {isResending && (
        <ResendDialog
          of={destination}
          eventIds={[...chosen].slice(0, MAX_AT_ONCE)}
          onClose={() => setResending(false)}
          // The others stay selected for a further request.
          onDone={() => setChosen(new Set([...chosen].slice(MAX_AT_ONCE)))}
        />
      )}
    </>
  );
}

/** The number of events in a request of /resendEvents. */
const MAX_AT_ONCE = 100;
